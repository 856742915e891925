/// Derivatives over events: contacts that close, open, stick and slip, impacts of linkages, switches; against closed
/// forms and differences of whole runs. Where the events beside a run are others there is none.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

struct Setting {
  std::string text;  ///< of a model file
  std::vector<std::string> by;
  double h, until;
  std::string scheme = "energy-momentum-ggl";
  std::string zeno_speed = "0.1";
};

class Motion {
 public:
  explicit Motion(const Setting& s)
      : setting_(s), problem_(read_model_text("format = 1\n" + s.text, "test.toml")), varied_([&] {
          return VariedProblem(
              *problem_, {}, [this](const ProblemInstance& of) { return start(of); }, s.by);
        }()) {}

  /// By q and p of the end; what stopped it, or is to be known.
  std::string derivatives(Matrix& found) {
    Integrator of = start(built());
    Sensitivities by(of, varied_.parameters(), varied_.make());
    if (!by.observe(of.state(), 0)) return by.failure();
    of.add_observer(by);
    Vector end;
    if (const std::string why = finish(of, &by, end); !why.empty()) return why;
    found.resize(end.size(), by.positions().cols());
    found << by.positions(), by.momenta();
    return by.warning();
  }
  /// The best of differences of order six of whole runs.
  double off_differences(const Matrix& found) {
    double worst = 0;
    for (std::size_t i = 0; i < setting_.by.size(); ++i) {
      double best = 1;
      for (const double part : {1e-2, 1e-3, 1e-4}) {
        const double d = part * varied_.parameters()[i].size;
        const auto pair = [&](int k) { return Vector(end_of(i, k * d) - end_of(i, -k * d)); };
        const Vector slope = (45 * pair(1) - 9 * pair(2) + pair(3)) / (60 * d);
        const Vector off = found.col(static_cast<Index>(i)) - slope;
        best = std::min(best, off.lpNorm<Eigen::Infinity>() / slope.lpNorm<Eigen::Infinity>());
      }
      worst = std::max(worst, best);
    }
    return worst;
  }

 private:
  ProblemInstance built() const { return problem_->build(Options("problem test", problem_->parameters(), {})); }
  Integrator start(const ProblemInstance& of) const {
    IntegratorOptions options;
    options.project_start = true;
    options.contact.zeno_speed = std::stod(setting_.zeno_speed);
    return registry().integrator(of, setting_.scheme, "newton", {}, {}, options);
  }
  std::string finish(Integrator& run, Sensitivities* by, Vector& end) const {
    const StepReport report = run.advance_to(setting_.until, setting_.h);
    if (by && !by->failure().empty()) return by->failure();
    const State& z = run.state();
    end.resize(2 * z.q.value().size());
    end << z.q.value(), z.p.value();
    return report.message;
  }
  Vector end_of(std::size_t parameter, double change) {
    const std::unique_ptr<Variant> with = varied_.make()(parameter, change);
    Vector end;
    BOOST_TEST(finish(with->integrator, nullptr, end) == "");
    return end;
  }

  Setting setting_;
  std::unique_ptr<const Problem> problem_;
  VariedProblem varied_;
};

const std::string ball = R"toml(coordinates = ["x", "y"]
mass = 1
potential = "g*y"
[parameters]
g = 9.81
height = 1.0
[obstacles]
floor = { formula = "y", restitution = 0.6 }
[start]
position = { y = "height" }
velocity = { x = 2.0 }
)toml";

}  // namespace

/// y = (e v - g s/2) s at s after the second impact at t1 (1 + 2 e), v = e g t1 its speed, t1 = (2 h/g)^1/2.
BOOST_AUTO_TEST_CASE(a_ball_that_bounces_twice) {
  Motion motion({ball, {"g", "height", "start.der(y)"}, 0.013, 1.2});
  Matrix found;
  BOOST_TEST(motion.derivatives(found) == "");
  const double g = 9.81, e = 0.6, t1 = std::sqrt(2 / g), t2 = t1 * (1 + 2 * e), s = 1.2 - t2, v = e * e * g * t1;
  // by t1 = (2 h/g)^1/2: dv/dg = e^2 t1/2, dt2/dg = -t2/(2 g); dv/dh = e^2 g t1/(2 h), dt2/dh = t2/(2 h)
  const double by_g = e * e * t1 / 2 * s - s * s / 2 + (v - g * s) * t2 / (2 * g);
  const double by_h = e * e * g * t1 / 2 * s - (v - g * s) * t2 / 2;
  BOOST_TEST(found(1, 0) == by_g, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(found(1, 1) == by_h, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(motion.off_differences(found) < 1e-10);
}

/// It slides, sticks and comes to rest, where only the place is left to change.
BOOST_AUTO_TEST_CASE(a_ball_on_a_rough_floor) {
  std::string rough = ball;
  rough.replace(rough.find("restitution = 0.6"), 17, "restitution = 0.5, slip = \"x\", friction = 0.15");
  for (const std::string scheme : {"energy-momentum-ggl", "composition", "line-integral-ggl"})
    for (const double until : {0.7, 1.1, 3.0}) {
      Motion motion({rough, {"g", "height"}, 0.01, until, scheme});
      Matrix found;
      BOOST_TEST(motion.derivatives(found) == "");
      BOOST_TEST(motion.off_differences(found) < 1e-9, scheme << ", t = " << until);
    }
}

/// A pendulum of two rods against a wall.
BOOST_AUTO_TEST_CASE(a_linkage_that_hits_a_wall) {
  Motion motion({R"toml(coordinates = ["x1", "y1", "x2", "y2"]
mass = 1
potential = "g*(y1 + y2)"
constraints = { first = "x1^2 + y1^2 - l^2", second = "(x2 - x1)^2 + (y2 - y1)^2 - 1" }
[parameters]
g = 9.81
l = 1.0
[obstacles]
wall = { formula = "x2 + 0.3", restitution = 0.7 }
[start]
position = { x1 = "l", y1 = 0.0, x2 = "l + 1", y2 = 0.0 }
)toml",
                 {"g", "l", "start.der(y2)"},
                 0.01,
                 1.4});
  Matrix found;
  BOOST_TEST(motion.derivatives(found) == "");
  BOOST_TEST(motion.off_differences(found) < 1e-8);
}

/// A spring that pulls on one side only.
BOOST_AUTO_TEST_CASE(a_switch_of_the_model) {
  Motion motion({R"toml(coordinates = ["x"]
mass = 1
potential = "0"
force = { x = "if(x > 0, -k*x, -3*k*x)" }
[parameters]
k = 2.0
[start]
position = { x = 1.0 }
)toml",
                 {"k", "start.x"},
                 0.05,
                 6});
  Matrix found;
  BOOST_TEST(motion.derivatives(found) == "");
  BOOST_TEST(motion.off_differences(found) < 1e-9);
}

/// A ball that is thrown up to a ceiling and just reaches it.
BOOST_AUTO_TEST_CASE(a_contact_that_is_grazed_is_refused) {
  std::string grazing = ball;
  grazing.replace(grazing.find("formula = \"y\""), 13, "formula = \"1.5 - y\"");
  grazing.replace(grazing.find("x = 2.0"), 7, "y = \"(2*g*0.5)^(1/2)\"");
  Motion motion({grazing, {"height"}, 0.01, 0.6});
  Matrix found;
  const std::string why = motion.derivatives(found);
  BOOST_TEST(why.find("events are others beside it") != std::string::npos, why);
}
