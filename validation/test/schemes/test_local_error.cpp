/// \file
/// Estimates of local errors against the errors themselves: one step from a start that is no special one, against a
/// solution by Gauss stages of order 10 over sixteenths of it. Estimates must be within a factor of three of the error,
/// of q and of v.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "measures/run/counting_malloc.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;
using validation::CountAllocations;

struct Setting {
  const char* problem;
  Assignments set;
  double off;  ///< time from the problem's start to that of the step
  std::vector<double> steps;
};

const Setting pendulum{"planar-pendulum", {}, .7, {.8, .4, .2, .1, .05, .02}};
const Setting double_pendulum{"double-spherical-pendulum", {{"start", "spatial"}}, .37, {.1, .05, .02, .01}};
const Setting top{"heavy-top", {{"start", "nutating"}}, .1, {.02, .01, .005}};
const Setting spring{"spring-pendulum", {}, .1, {.2, .1, .05, .02}};
const Setting atwood{"spherical-atwood", {}, .1, {.2, .1, .05, .02}};
const Setting satellites{"tethered-triangle", {}, 1000, {200, 100, 50}};
const Setting polymer{"polymer", {}, .1, {.1, .05, .02}};
const Setting links{"chain", {{"links", "20"}, {"start", "spatial"}}, .1, {.1, .05, .02}};
const Setting driven{"driven-double-pendulum", {}, .3, {.1, .05, .02}};
const Setting shaken{"shaken-pendulum", {}, .13, {.1, .05, .02}};
const Setting wave{"wave-bead", {}, .13, {.1, .05, .02}};
const Setting axis{"car-axis", {}, .13, {.05, .02, .01}};
const Setting angles{"double-compound-pendulum", {}, .3, {.1, .05, .02}};
const Setting ellipse{"ellipse-pendulum", {}, .1, {.05, .02, .01}};
const Setting cylindrical{"wave-bead", {{"coordinates", "cylindrical"}}, .13, {.1, .05, .02}};
const Setting friction{"cubic-surface", {}, .05, {.05, .02, .01}};

const Setting blade{GNOMON_MODELS_FOLDER "/gallery/knife-edge.toml", {}, .3, {.2, .1, .05, .02}};
const Setting coin{GNOMON_MODELS_FOLDER "/gallery/rolling-coin.toml", {}, .3, {.05, .02, .01}};

Vector difference(const Compensated& a, const Compensated& b) {
  return (a.value() - b.value()) + (a.tail() - b.tail());
}

/// The start of the step, and what is true after it.
class Truth {
 public:
  explicit Truth(const Setting& setting)
      : instance_(registry().build(setting.problem, setting.set)),
        system_(instance_.model->mechanical()),
        reference_(system_->parts().friction
                       ? registry().integrator(instance_, "line-integral-ggl", "newton", {{"s", "7"}})
                       : registry().integrator(instance_, "projected-rk", "newton", {{"stages", "5"}})) {
    BOOST_REQUIRE(reference_.advance(100, setting.off / 100).success());
    t_ = reference_.state().t;
    q_ = reference_.state().q.value();
    p_ = reference_.state().p.value();
  }

  Integrator integrator(const char* scheme, const Assignments& options) const {
    return registry().integrator(instance_, scheme, "newton", options);
  }
  void start(Integrator& integrator) const { integrator.start(t_, q_, p_); }
  /// Errors of a state h after the start.
  void errors(const State& z, double h, Vector& of_q, Vector& of_v) {
    reference_.start(t_, q_, p_);
    BOOST_REQUIRE(reference_.advance(16, h / 16).success());
    const State& exact = reference_.state();
    of_q = difference(z.q, exact.q);
    if (!system_->parts().mass) return velocity(z.q.value(), difference(z.p, exact.p), of_v);
    Vector v;
    velocity(z.q.value(), z.p.value(), of_v);
    velocity(exact.q.value(), exact.p.value(), v);
    of_v -= v;
  }

 private:
  void velocity(const Vector& q, const Vector& p, Vector& v) const {
    Vector scratch(q.size());
    v.resize(q.size());
    system_->velocity(q, p, scratch, v);
  }

  ProblemInstance instance_;
  const System* system_;
  Integrator reference_;
  double t_ = 0;
  Vector q_, p_;
};

/// Below this an error is that of rounding, in units of max(1, |x|).
constexpr double rounding = 2e-14;

/// Estimates of one step of every size; how many errors they were compared with.
int compare(const Setting& setting, const char* scheme, const Assignments& options, double factor = 3) {
  Truth truth(setting);
  Integrator integrator = truth.integrator(scheme, options);
  const int order = integrator.equations().estimate_errors(true);
  BOOST_TEST(order == integrator.promises().order);
  int compared = 0;
  for (const double h : setting.steps) {
    truth.start(integrator);
    integrator.equations().estimate_errors(true);  // where friction may stop the motion each start makes new equations
    const State before = integrator.state();
    const StepReport report = integrator.step(h);
    BOOST_REQUIRE_MESSAGE(report.success(), report.message);
    const State& after = integrator.state();
    if (integrator.counters().refused_steps > 0) continue;
    Vector of_q, of_v, estimate_q(before.q.value().size()), estimate_v(estimate_q.size());
    truth.errors(after, h, of_q, of_v);
    BOOST_REQUIRE(integrator.equations().local_error(before, after, estimate_q, estimate_v));
    const auto check = [&](const char* what, const Vector& estimate, const Vector& error, const Vector& x) {
      if (error.norm() < rounding * std::max(1., x.norm())) return;
      const double ratio = estimate.norm() / error.norm();
      BOOST_TEST((ratio < factor && ratio > 1 / factor), setting.problem << ", " << scheme << ", h = " << h
                                                                         << ": error of " << what << " " << error.norm()
                                                                         << ", estimate " << ratio << " of it");
      ++compared;
    };
    check("q", estimate_q, of_q, after.q.value());
    check("v", estimate_v, of_v, of_v);
  }
  return compared;
}

}  // namespace

BOOST_AUTO_TEST_CASE(line_integrals_follow_the_error_of_their_end_values) {
  int compared = 0;
  for (const Setting& setting : {pendulum, double_pendulum, top, spring, atwood, satellites, polymer, links, driven})
    for (const char* s : {"1", "2", "3", "4"}) compared += compare(setting, "line-integral-ggl", {{"s", s}});
  BOOST_TEST(compared > 220);
}

BOOST_AUTO_TEST_CASE(line_integrals_with_other_degrees) {
  int compared = 0;
  for (const Assignments& degrees : std::initializer_list<Assignments>{{{"s", "2"}, {"r", "2"}},
                                                                       {{"s", "3"}, {"r", "1"}},
                                                                       {{"s", "3"}, {"r", "3"}},
                                                                       {{"s", "2"}, {"k", "6"}},
                                                                       {{"s", "5"}}})
    for (const Setting& setting : {pendulum, double_pendulum, top, atwood})
      compared += compare(setting, "line-integral-ggl", degrees);
  BOOST_TEST(compared > 120);
}

BOOST_AUTO_TEST_CASE(line_integrals_of_moving_systems_and_with_a_mass_that_depends_on_q) {
  int compared = 0;
  for (const Setting& setting : {shaken, wave, axis, cylindrical}) {
    compared += compare(setting, "line-integral-ggl", {{"s", "1"}});
    compared += compare(setting, "line-integral-ggl", {});
    compared += compare(setting, "line-integral-ggl", {{"s", "3"}, {"r", "1"}});
  }
  for (const Setting& setting : {angles, ellipse})
    for (const char* s : {"1", "2", "3", "4"}) compared += compare(setting, "line-integral-ggl", {{"s", s}});
  for (const char* s : {"1", "2"}) compared += compare(friction, "line-integral-ggl", {{"s", s}});
  compared += compare(friction, "energy-momentum-ggl", {});
  BOOST_TEST(compared > 110);
}

BOOST_AUTO_TEST_CASE(stages_of_index_1_follow_the_error_of_their_end_values) {
  int compared = 0;
  for (const Setting& setting :
       {pendulum, double_pendulum, spring, atwood, shaken, driven, angles, ellipse, cylindrical})
    for (const char* stages : {"1", "2", "3", "4"}) compared += compare(setting, "projected-rk", {{"stages", stages}});
  for (const Setting& setting : {pendulum, double_pendulum, atwood, ellipse}) {
    for (const char* tableau : {"radau-iia", "lobatto-iiic"})
      for (const char* stages : {"2", "3"})
        compared += compare(setting, "projected-rk", {{"tableau", tableau}, {"stages", stages}});
    for (const Assignments& options : std::initializer_list<Assignments>{{{"projection", "symmetric"}, {"stages", "2"}},
                                                                         {{"metric", "euclidean"}, {"stages", "2"}},
                                                                         {{"directions", "frozen"}, {"stages", "2"}},
                                                                         {{"projection", "pva"}, {"stages", "2"}},
                                                                         {{"tableau", "radau-iia"}, {"stages", "1"}}})
      compared += compare(setting, "projected-rk", options);
  }
  BOOST_TEST(compared > 300);
}

// Constraints of velocities leave errors of positions in all directions.
BOOST_AUTO_TEST_CASE(constraints_of_velocities) {
  int compared = 0;
  for (const Setting& setting : {blade, coin})
    for (const char* projection : {"pv", "pve"})
      for (const char* stages : {"1", "2", "3", "4"})
        compared += compare(setting, "projected-rk", {{"stages", stages}, {"projection", projection}});
  BOOST_TEST(compared > 80);
  for (const Setting& setting : {blade, coin}) {
    compared += compare(setting, "energy-momentum-ggl", {});
    for (const char* s : {"1", "2", "3"}) compared += compare(setting, "line-integral-ggl", {{"s", s}});
  }
  BOOST_TEST(compared > 120);
}

// A projection onto the energy takes away the part of the error that it sees.
BOOST_AUTO_TEST_CASE(projections_onto_the_energy) {
  int compared = 0;
  for (const Setting& setting : {pendulum, double_pendulum, atwood, angles})
    for (const Assignments& options :
         std::initializer_list<Assignments>{{{"projection", "pve"}, {"stages", "2"}},
                                            {{"projection", "pvae-0"}, {"stages", "3"}},
                                            {{"projection", "pve"}, {"stages", "2"}, {"metric", "euclidean"}}})
      compared += compare(setting, "projected-rk", options);
  BOOST_TEST(compared > 60);
}

// Halving h divides the estimate by 2^(p+1).
BOOST_AUTO_TEST_CASE(estimates_have_the_order_of_the_method) {
  const auto slope = [](const Setting& setting, const char* scheme, const Assignments& options, double h) {
    const Truth truth(setting);
    Integrator integrator = truth.integrator(scheme, options);
    const int order = integrator.equations().estimate_errors(true);
    double size[2];
    for (int i = 0; i < 2; ++i) {
      truth.start(integrator);
      const State before = integrator.state();
      BOOST_REQUIRE(integrator.step(i == 0 ? h : h / 2).success());
      Vector q(before.q.value().size()), v(q.size());
      BOOST_REQUIRE(integrator.equations().local_error(before, integrator.state(), q, v));
      size[i] = std::hypot(q.norm(), v.norm());
    }
    return std::log2(size[0] / size[1]) - (order + 1);
  };
  for (const char* s : {"1", "2", "3"}) {
    BOOST_TEST(std::abs(slope(double_pendulum, "line-integral-ggl", {{"s", s}}, .02)) < .3);
    BOOST_TEST(std::abs(slope(angles, "line-integral-ggl", {{"s", s}}, .02)) < .3);
    BOOST_TEST(std::abs(slope(double_pendulum, "projected-rk", {{"stages", s}}, .02)) < .3);
  }
  BOOST_TEST(std::abs(slope(shaken, "line-integral-ggl", {}, .02)) < .3);
}

BOOST_AUTO_TEST_CASE(an_estimate_depends_on_the_step_alone) {
  for (const char* scheme : {"line-integral-ggl", "projected-rk"}) {
    const Truth truth(double_pendulum);
    Integrator one = truth.integrator(scheme, {}), other = truth.integrator(scheme, {});
    one.equations().estimate_errors(true);
    other.equations().estimate_errors(true);
    truth.start(one);
    truth.start(other);
    Vector q(6), v(6), other_q(6), other_v(6);
    for (int i = 0; i < 5; ++i) {
      const State before = one.state();
      BOOST_REQUIRE(one.step(.01).success());
      BOOST_REQUIRE(other.step(.01).success());
      BOOST_REQUIRE(one.equations().local_error(before, one.state(), q, v));
      if (i < 4) continue;
      BOOST_REQUIRE(other.equations().local_error(before, other.state(), other_q, other_v));
    }
    BOOST_TEST(q == other_q);
    BOOST_TEST(v == other_v);
  }
}

BOOST_AUTO_TEST_CASE(estimates_allocate_nothing) {
  if (!CountAllocations::available()) return;
  for (const Setting& setting : {double_pendulum, links, ellipse, shaken})
    for (const char* scheme : {"line-integral-ggl", "projected-rk"}) {
      const Truth truth(setting);
      Integrator integrator = truth.integrator(scheme, {});
      integrator.equations().estimate_errors(true);
      truth.start(integrator);
      State before = integrator.state();
      Vector q(before.q.value().size()), v(q.size());
      long count = 0;
      for (int i = 0; i < 4; ++i) {
        before = integrator.state();
        BOOST_REQUIRE(integrator.step(.01).success());
        const CountAllocations allocations;
        BOOST_TEST(integrator.equations().local_error(before, integrator.state(), q, v));
        if (i > 0) count += allocations.count();
      }
      BOOST_TEST(count == 0, setting.problem << ", " << scheme << ": " << count << " allocations");
    }
}

BOOST_AUTO_TEST_CASE(where_there_is_no_estimate) {
  const Truth truth(pendulum);
  Vector q(2), v(2);
  const auto estimates = [&](const char* scheme, const Assignments& options, bool on, bool halves) {
    Integrator integrator = truth.integrator(scheme, options);
    const int order = integrator.equations().estimate_errors(on);
    truth.start(integrator);
    const State before = integrator.state();
    BOOST_REQUIRE(integrator.step(.01).success());
    if (halves) BOOST_REQUIRE(integrator.step(.01).success());
    return std::make_pair(order, integrator.equations().local_error(before, integrator.state(), q, v));
  };
  const auto none = [](int order) { return std::make_pair(order, false); };
  BOOST_TEST((estimates("line-integral-ggl", {}, true, false) == std::make_pair(4, true)));
  BOOST_TEST((estimates("line-integral-ggl", {}, false, false) == none(4)));
  BOOST_TEST((estimates("line-integral-ggl", {}, true, true) == none(4)), "two steps");
  BOOST_TEST((estimates("projected-rk", {}, true, true) == none(6)), "two steps");
  BOOST_TEST((estimates("projected-rk", {{"index", "3"}}, true, false) == none(0)));
  BOOST_TEST((estimates("projected-rk", {{"projection", "none"}}, true, false) == none(0)));
  BOOST_TEST((estimates("projected-rk", {{"projection", "p"}}, true, false) == none(0)));
}
