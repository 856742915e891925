// Systems whose mass depends on the configuration: what no validation case can say.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/start/consistency.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

State after(const Assignments& set, const std::string& scheme, const Assignments& options, long steps, double h,
            const std::string& problem = "wall-pendulum") {
  Integrator integrator = registry().integrator(registry().build(problem, set), scheme, "kinsol-linesearch", options);
  const StepReport report = integrator.advance(steps, h);
  BOOST_TEST_REQUIRE(report.success(), report.message);
  return integrator.state();
}

/// A spherical pendulum of length 1 in the angles q = (theta, phi) from the lowest point: M = diag(1, sin^2 theta), phi
/// does not occur.
struct Angles : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::sin;
    m[0] = S(1.0);
    m[3] = sin(q[0]) * sin(q[0]);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::cos;
    return -9.81 * cos(q[0]);
  }
  std::string symmetry_name(Index) const { return "angular momentum"; }
  void symmetry_generator(Index, const double*, double* xi) const { xi[1] = 1; }
};

/// Two particles in space whose masses grow with the distances from the origin and from each other, a spring between
/// them, the first on a sphere: three rotations, all of them linear in q.
struct Rotating : AutodiffModel<6, 1> {
  static constexpr int n_symmetries = 3;
  ModelTraits describe() const {
    ModelTraits traits;
    traits.name = "rotating";
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Ones(6)); }
  template <class S>
  static S square(const S* a, const S* b) {
    S sum(0.0);
    for (int j = 0; j < 3; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
  }
  template <class S>
  static S square(const S* a) {
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
  }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    const S near = 0.2 / (1.0 + square(q, q + 3));
    for (int j = 0; j < 3; ++j) {
      m[7 * j] = 1.0 + near;
      m[7 * (j + 3)] = 1.5 + 0.1 * square(q + 3);
      m[6 * j + j + 3] = m[6 * (j + 3) + j] = 0.5 * near;
    }
  }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::sqrt;
    const S stretch = sqrt(square(q, q + 3)) - 1.0;
    return 5.0 * stretch * stretch;
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (square(q) - 1.0);
  }
  std::string symmetry_name(Index a) const { return "angular momentum " + std::to_string(a + 1); }
  void symmetry_generator(Index a, const double* q, double* xi) const {
    const Index b = (a + 1) % 3, c = (a + 2) % 3;
    for (int k = 0; k < 6; k += 3) {
      xi[k + b] = -q[k + c];
      xi[k + c] = q[k + b];
    }
  }
};

struct Errors {
  double energy, momentum;
  bool promised;
};
template <class Model>
Errors errors(const std::string& scheme, const Vector& q, const Vector& p, long steps, double h) {
  ProblemInstance instance;
  instance.model = std::make_shared<AutodiffSystem<Model>>(Model(), q);
  instance.q0 = q;
  instance.p0 = p;
  Integrator integrator = registry().integrator(instance, scheme, "newton");
  const StepReport report = integrator.advance(steps, h);
  BOOST_TEST_REQUIRE(report.success(), scheme + ": " + report.message);
  double momentum = 0;
  for (const auto& map : integrator.monitor().momentum()) momentum = std::max(momentum, map.max_abs_error());
  return {integrator.monitor().energy().max_abs_error(), momentum, integrator.promises().momentum};
}

double distance(const State& a, const State& b) {
  return (a.q.value() - b.q.value()).norm() / b.q.value().norm();
}

bool names(const Error& error, const std::vector<std::string>& words) {
  const std::string text = error.what();
  for (const auto& word : words)
    if (text.find(word) == std::string::npos) return false;
  return true;
}

/// M(q), U and g are the same in every direction about e3.
struct Round : AutodiffModel<3, 1> {
  Mass mass() const { return Mass::diagonal(Eigen::Vector3d(1, 1, 1)); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    m[0] = m[4] = 1.0 + 0.5 * (q[0] * q[0] + q[1] * q[1]);
    m[8] = S(1.2);
    for (int j : {0, 1}) m[3 * j + 2] = m[6 + j] = 0.2 * q[j] * q[2];
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[2] + 0.3 * q[2] * (q[0] * q[0] + q[1] * q[1]);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + 0.2 * q[2] * q[2] * q[2] - 1.0;
  }
  std::string symmetry_name(Index) const { return "turn"; }
  void symmetry_generator(Index, const double* q, double* xi) const {
    xi[0] = -q[1];
    xi[1] = q[0];
    xi[2] = 0;
  }
};

/// A free particle in polar coordinates (r, phi): translations are not affine in them.
struct Polar : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal(Eigen::Vector2d(1, 1)); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    m[0] = S(1.0);
    m[3] = q[0] * q[0];
  }
  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
  std::string symmetry_name(Index) const { return "shift"; }
  void symmetry_generator(Index, const double* q, double* xi) const {
    xi[0] = std::cos(q[1]);
    xi[1] = -std::sin(q[1]) / q[0];
  }
};

/// A constant mass, declared as one or not.
template <bool declared>
struct Plain : AutodiffModel<3, 1> {
  static constexpr bool constant_mass = declared;

  template <class S>
  void mass_matrix(const S*, S* m) const {
    m[0] = S(1.0);
    m[4] = S(2.0);
    m[8] = S(0.5);
    m[1] = m[3] = S(0.3);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    using std::cos;
    using std::sin;
    return q[2] + 0.3 * cos(q[0] + 0.5 * q[1]) + 0.1 * sin(t) * q[1];
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + 0.2 * sin(q[0] * q[2]) - 1.0 + 0.1 * sin(t) * q[1];
  }
  template <class S>
  void force(const S&, const S* q, const S* v, S* f) const {
    for (int j = 0; j < 3; ++j) f[j] = -0.1 * v[j];
    f[0] += 0.2 * q[1];
  }
};

template <class Written>
ProblemInstance start_of(const Vector& q0, const Vector& p0) {
  ProblemInstance instance;
  instance.q0 = q0;
  instance.p0 = p0;
  const auto system = std::make_shared<AutodiffSystem<Written>>(Written(), instance.q0);
  project_start(*system, instance.t0, instance.q0, instance.p0);
  instance.model = system;
  return instance;
}

}  // namespace

// (35) in U with alpha, which knows no obstacle, and alpha-penalty on the obstacle are the same map.
BOOST_AUTO_TEST_CASE(a_soft_wall_is_a_penalty) {
  for (const char* body : {"tip", "joint-and-tip", "whole"}) {
    const State soft = after({{"body", body}, {"eps", "1e-5"}}, "alpha", {}, 2000, 1e-3);
    const State penalty = after({{"body", body}}, "alpha-penalty", {{"eps", "1e-5"}}, 2000, 1e-3);
    BOOST_TEST(distance(soft, penalty) < 1e-9);
  }
}

// A light second link, a near wall: the joint goes through it unless it is part of what meets it. Of the body (37) the
// farther end meets the wall, not both.
BOOST_AUTO_TEST_CASE(the_whole_body_meets_the_wall) {
  const Assignments start{{"m2", "1"}, {"l2", ".3"}, {"d", "1.5"}, {"theta1", "-1.5"}, {"theta2", "-1.5"}};
  const auto run = [&](const char* body) {
    Assignments set = start;
    set.emplace_back("body", body);
    return after(set, "alpha-penalty", {{"eps", "1e-6"}}, 4000, 1e-3);
  };
  BOOST_TEST(distance(run("tip"), run("joint-and-tip")) > 1e-3);
  BOOST_TEST(distance(run("tip"), run("whole")) > 1e-3);
  BOOST_TEST(distance(run("joint-and-tip"), run("whole")) > 1e-3);
}

// Multipliers at the ends, their iteration, and both levels with the energy: one motion, up to O(h^2).
BOOST_AUTO_TEST_CASE(constrained_schemes_agree) {
  const auto run = [](const std::string& scheme, const Assignments& options) {
    return after({}, scheme, options, 1000, 1e-3, "ellipse-pendulum");
  };
  const State alpha = run("alpha", {});
  BOOST_TEST(distance(run("alpha-augmented", {{"tolerance", "1e-14"}}), alpha) < 1e-10);
  BOOST_TEST(distance(run("alpha-augmented", {{"tolerance", "1e-14"}, {"update", "first"}}), alpha) < 1e-10);
  BOOST_TEST(distance(run("alpha-exact", {}), alpha) < 1e-3);
  BOOST_TEST(distance(run("energy-momentum-ggl", {}), alpha) < 1e-3);
}

// The first step of start=printed satisfies (40) for n = 0 with q^1 - q^{-1} = 2 h v^0, written out for
// M = [1.4, c; c, .35], c = .5 cos(theta2 - theta1), U = -14.715 cos theta1 - 4.905 cos theta2;
// the state's own start does not.
BOOST_AUTO_TEST_CASE(the_printed_start_is_that_of_40) {
  using Pair = Eigen::Vector2d;
  const auto momentum = [](const Pair& q, const Pair& v) {
    const double c = 0.5 * std::cos(q[1] - q[0]);
    return Pair(1.4 * v[0] + c * v[1], c * v[0] + 0.35 * v[1]);
  };
  const auto force = [](const Pair& q, const Pair& v) {  // -L_q
    const double s = 0.5 * std::sin(q[1] - q[0]) * v[0] * v[1];
    return Pair(14.715 * std::sin(q[0]) - s, 4.905 * std::sin(q[1]) + s);
  };
  const Pair q0(1.8, 1.2), p0(0.5, -0.3);
  const double c = 0.5 * std::cos(q0[1] - q0[0]), determinant = 1.4 * 0.35 - c * c;
  const Pair v0((0.35 * p0[0] - c * p0[1]) / determinant, (1.4 * p0[1] - c * p0[0]) / determinant);
  for (const double h : {5e-2, 1e-2, 1e-3}) {
    const auto defect = [&](const char* start) {
      const Pair q1 = after({}, "alpha", {{"start", start}}, 1, h, "double-compound-pendulum").q.value();
      const Pair before = q1 - 2 * h * v0, v_plus = (q1 - q0) / h, v_minus = (q0 - before) / h;
      const Pair plus = 0.5 * (q0 + q1), minus = 0.5 * (q0 + before);
      return ((momentum(plus, v_plus) - momentum(minus, v_minus)) / h +
              0.5 * (force(plus, v_plus) + force(minus, v_minus)))
          .norm();
    };
    BOOST_TEST(defect("printed") < 1e-13 / (h * h));
    BOOST_TEST(defect("state") > 0.1 * h);
  }
  // From rest both are the same.
  const Assignments rest{{"p1", "0"}, {"p2", "0"}};
  BOOST_TEST(distance(after(rest, "alpha", {{"start", "printed"}}, 50, 1e-2, "double-compound-pendulum"),
                      after(rest, "alpha", {}, 50, 1e-2, "double-compound-pendulum")) < 1e-12);
}

// What the schemes do with M(q) is what they do with a constant mass, where M does not depend on q: with forces, U(q,t)
// and g(q,t).
BOOST_AUTO_TEST_CASE(a_constant_mass_is_a_mass_of_q) {
  const Vector q0 = Eigen::Vector3d(.6, .5, .6), p0 = Eigen::Vector3d(.3, -.2, .4);
  const ProblemInstance constant = start_of<Plain<true>>(q0, p0), of_q = start_of<Plain<false>>(q0, p0);
  BOOST_REQUIRE(!constant.model->mechanical()->parts().mass);
  BOOST_REQUIRE(of_q.model->mechanical()->parts().mass);
  const auto same = [&](const std::string& scheme, const Assignments& options) {
    Integrator a = registry().integrator(constant, scheme, "kinsol-newton", options);
    Integrator b = registry().integrator(of_q, scheme, "kinsol-newton", options);
    std::string what = scheme;
    for (const auto& [name, value] : options) what += " " + name + "=" + value;
    for (Integrator* one : {&a, &b}) {
      const StepReport report = one->advance(20, 0.05);
      BOOST_TEST_REQUIRE(report.success(), what << ": " << report.message);
    }
    const State &x = a.state(), &y = b.state();
    const auto close = [&](const Vector& u, const Vector& v, const char* name, double gate = 1e-11) {
      BOOST_TEST((u - v).norm() <= gate * u.norm(), what << ": " << name << " is off by " << (u - v).norm());
    };
    close(x.q.value(), y.q.value(), "q");
    close(x.p.value(), y.p.value(), "p");
    // The multipliers of stages of index 3, and accelerations with them, have the rounding of g over h^2.
    close(x.lambda, y.lambda, "lambda", 1e-9);
    if (x.scheme_data.size() > 0) close(x.scheme_data.head(3), y.scheme_data.head(3), "v'", 1e-9);
    for (int term = 0; term < Work::terms; ++term)
      BOOST_TEST(std::abs(static_cast<double>(x.work.term(term) - y.work.term(term))) <= 1e-11, what << ": work");
  };
  same("rattle", {});
  for (const char* index : {"1", "3"})
    for (const char* metric : {"mass", "euclidean"}) {
      for (const char* projection : {"none", "p", "pv", "pve", "pva", "pvae-0"})
        for (const char* carry : {"kkt", "paper"})
          for (const char* directions : {"end", "frozen"}) {
            if (projection == std::string("none") && directions == std::string("frozen")) continue;
            same("projected-rk", {{"stages", "2"},
                                  {"index", index},
                                  {"metric", metric},
                                  {"projection", projection},
                                  {"carry", carry},
                                  {"directions", directions}});
          }
      same("projected-rk", {{"index", index}, {"metric", metric}, {"projection", "symmetric"}});
    }
  same("projected-rk", {{"tableau", "radau-iia"}});
  same("projected-rk", {{"tableau", "lobatto-iiic"}});
}

// rattle keeps a momentum map p.xi(q) with xi affine in q, at large steps too, and promises no other.
BOOST_AUTO_TEST_CASE(momentum_maps_of_rattle) {
  const auto change = [](Integrator& integrator) {
    double largest = 0;
    const auto momentum = [&] {
      const System& system = integrator.system();
      Vector xi(system.n());
      system.parts().symmetries->symmetry_generator(0, integrator.state().q.value(), xi);
      return integrator.state().p.value().dot(xi);
    };
    const double start = momentum();
    for (int step = 0; step < 400; ++step) {
      BOOST_TEST_REQUIRE(integrator.advance(1, 0.05).success());
      largest = std::max(largest, std::abs(momentum() - start));
    }
    return largest;
  };
  Integrator round = registry().integrator(start_of<Round>(Eigen::Vector3d(.6, .3, .5), Eigen::Vector3d(.2, .5, -.3)),
                                           "rattle", "kinsol-newton");
  BOOST_TEST(round.promises().momentum);
  BOOST_TEST(change(round) < 1e-13);
  Integrator polar = registry().integrator(start_of<Polar>(Eigen::Vector2d(2, .3), Eigen::Vector2d(-.2, .8)), "rattle",
                                           "kinsol-newton");
  BOOST_TEST(!polar.promises().momentum);
  BOOST_TEST(change(polar) > 1e-6);
}

BOOST_AUTO_TEST_CASE(bad_input) {
  for (const char* scheme : {"alpha-penalty", "alpha-augmented"})
    for (const char* eps : {"0", "-1e-6", "nan"})
      BOOST_CHECK_EXCEPTION(after({}, scheme, {{"eps", eps}}, 1, 1e-3), Error, [&](const Error& error) {
        return names(error, {scheme, "eps", eps});
      });
  BOOST_CHECK_EXCEPTION(after({{"theta1", "1"}, {"theta2", "1"}}, "alpha-penalty", {}, 1, 1e-3), Error,
                        [](const Error& error) {
                          return error.code() == ErrorCode::inconsistent_start &&
                                 names(error, {"wall-pendulum", "inside", "\"tip\"", "c = "});
                        });
}

// Momentum maps with M(q), exact where the generators are affine, at small, practical and large steps; alpha, the
// midpoint rule in (q,p), keeps them too.
BOOST_AUTO_TEST_CASE(momentum_maps) {
  const Vector angles = (Vector(2) << 1, .2).finished(), spin = (Vector(2) << .3, 2).finished();
  Vector q(6), p(6);
  q << .6, 0, .8, 1.2, .9, .3;
  p << .8, .5, -.6, .2, -.4, .9;
  for (const double h : {1e-3, 1e-2, .1}) {
    for (const char* scheme : {"energy-momentum-general", "energy-momentum-ggl", "alpha", "alpha-exact"}) {
      const Errors found = errors<Angles>(scheme, angles, spin, 1000, h);
      BOOST_TEST(found.promised);
      BOOST_TEST(found.momentum <= 1e-14, scheme << ", h = " << h << ": momentum " << found.momentum);
      if (scheme != std::string("alpha"))
        BOOST_TEST(found.energy <= 1e-13, scheme << ", h = " << h << " " << found.energy);
    }
  }
  ProblemInstance start;
  start.q0 = q;
  start.p0 = p;
  project_start(AutodiffSystem<Rotating>(Rotating(), q), 0, start.q0, start.p0);
  for (const double h : {1e-3, 1e-2, .1})
    for (const char* scheme : {"energy-momentum-general", "energy-momentum-ggl"}) {
      const Errors found = errors<Rotating>(scheme, start.q0, start.p0, 1000, h);
      BOOST_TEST(found.promised);
      BOOST_TEST(found.momentum <= 1e-13, scheme << ", h = " << h << ": momentum " << found.momentum);
      BOOST_TEST(found.energy <= 1e-13, scheme << ", h = " << h << " " << found.energy);
    }
}
