/// Under friction, and with obstacles, a run watches the rank of its constraints as it does without them, and takes
/// constraints that repeat others.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "test/instance.hpp"

using namespace gnomon;

namespace {

constexpr double gravity = 9.81;

/// A parallelogram of two cranks and a coupler, all of length 1, the tips of mass 1: where they lie on one line G loses
/// its rank.
struct Parallelogram : AutodiffModel<4, 3> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(4)); }
  template <class S>
  S potential(const S* q) const {
    return gravity * (q[1] + q[3]);
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    const S x = q[2] - 1.0, dx = q[2] - q[0], dy = q[3] - q[1];
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[1] = 0.5 * (x * x + q[3] * q[3] - 1.0);
    g[2] = 0.5 * (dx * dx + dy * dy - 1.0);
  }
};

/// With the friction R = -c (1 + lambda_0^2/(1 + lambda_0^2)) v.
struct RubbedParallelogram : Parallelogram {
  double c = 0;

  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* force) const {
    const S square = lambda[0] * lambda[0];
    for (int j = 0; j < 4; ++j) force[j] = -c * (1.0 + square / (1.0 + square)) * v[j];
  }
};

/// With a floor for the first tip, 0.4 below the pivots.
struct WalledParallelogram : Parallelogram {
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[1] + 0.4;
  }
};

/// A pendulum whose rod is a constraint of weight 1, or two of weights 1 and 2, and whose friction depends on the
/// tension T = sum_i w_i lambda_i: R = -T^2/(200 (1 + T^2/100)) v.
template <int rods>
struct Pendulum : AutodiffModel<2, rods> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S* q) const {
    return gravity * q[1];
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    for (int i = 0; i < rods; ++i) g[i] = 0.5 * (i + 1) * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* force) const {
    S tension(0.0);
    for (int i = 0; i < rods; ++i) tension += lambda[i] * (i + 1.0);
    const S square = tension * tension;
    for (int j = 0; j < 2; ++j) force[j] = -0.005 * (square / (1.0 + 0.01 * square)) * v[j];
  }
};

/// With a wall at x = -0.5.
template <int rods>
struct WalledPendulum : Pendulum<rods> {
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[0] + 0.5;
  }
};

template <class Model>
Integrator started(const Model& model, const Vector& q, const Vector& p, const std::string& scheme,
                   const IntegratorOptions& options = {}) {
  const ProblemInstance instance = test::instance_of(model, q, p);
  return registry().integrator(instance, scheme, "newton", {}, {}, options);
}

template <class Model>
Integrator upright(const Model& model, const std::string& scheme, double restitution = 0) {
  IntegratorOptions options;
  options.contact.restitution = restitution;
  return started(model, Eigen::Vector4d(0, 1, 1, 1), Eigen::Vector4d(1, 0, 1, 0), scheme, options);
}

Integrator rubbed(double c, const std::string& scheme) {
  RubbedParallelogram model;
  model.c = c;
  return upright(model, scheme);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rank_under_friction)

/// Friction with the coefficient zero changes nothing: the same step, time and pivot are found.
BOOST_AUTO_TEST_CASE(a_singular_position_is_found_as_without_friction) {
  for (const char* scheme : {"energy-momentum", "energy-momentum-ggl", "line-integral-ggl"}) {
    Integrator smooth = upright(Parallelogram(), scheme);
    Integrator other = rubbed(0, scheme);
    BOOST_REQUIRE(smooth.advance_to(1, 3e-3).success());
    BOOST_REQUIRE(other.advance_to(1, 3e-3).success());
    BOOST_REQUIRE(smooth.singular_position().step > 0);
    BOOST_TEST(other.singular_position().step == smooth.singular_position().step, scheme);
    BOOST_TEST(std::abs(other.singular_position().t - smooth.singular_position().t) <= 1e-12, scheme);
    BOOST_TEST(std::abs(std::log(other.singular_position().pivot_ratio / smooth.singular_position().pivot_ratio)) < .1);
    BOOST_TEST(other.constraint_rank().rank == 3);
  }
}

/// With friction, the cranks are within two degrees of the horizontal where it is found, whatever the step; a start
/// at a regular position forgets it.
BOOST_AUTO_TEST_CASE(a_singular_position_is_found_under_friction) {
  for (const double h : {1e-2, 3e-3, 1e-3}) {
    Integrator run = rubbed(.2, "energy-momentum-ggl");
    double height = 1;
    while (run.singular_position().step == 0 && run.state().t < 2) {
      BOOST_REQUIRE(run.step(h).success());
      height = run.state().q.value()[1];
    }
    BOOST_REQUIRE(run.singular_position().step > 0);
    BOOST_TEST(run.singular_position().t == run.state().t);
    BOOST_TEST(std::abs(height) <= .04, "h = " << h << ", height " << height);
    run.start(0, Eigen::Vector4d(0, 1, 1, 1), Eigen::Vector4d(1, 0, 1, 0));
    BOOST_TEST(run.singular_position().step == 0);
    BOOST_REQUIRE(run.advance(20, h).success());
    BOOST_TEST(run.singular_position().step == 0);
  }
}

/// The floor throws it back up through the line; a bounce that ends before the line finds nothing.
BOOST_AUTO_TEST_CASE(a_singular_position_is_found_with_an_obstacle) {
  Integrator run = upright(WalledParallelogram(), "energy-momentum-ggl", .5);
  Integrator free = upright(Parallelogram(), "energy-momentum-ggl");
  BOOST_REQUIRE(run.advance_to(.9, 1e-3).success());
  BOOST_REQUIRE(free.advance_to(.9, 1e-3).success());
  BOOST_REQUIRE(free.singular_position().step > 0);
  BOOST_TEST(!run.events().empty());
  BOOST_TEST(run.singular_position().step == free.singular_position().step);
}

/// What was seen is part of a checkpoint, before and after, and the run goes on bit by bit.
BOOST_AUTO_TEST_CASE(checkpoints_hold_what_was_seen) {
  const std::string file = "test_rank_under_friction.checkpoint";
  for (const long steps : {50L, 300L}) {
    Integrator whole = rubbed(.2, "energy-momentum-ggl");
    BOOST_REQUIRE(whole.advance(steps, 3e-3).success());
    whole.save(file);
    Integrator other = rubbed(.2, "energy-momentum-ggl");
    other.load(file);
    BOOST_TEST(other.singular_position().step == whole.singular_position().step);
    BOOST_REQUIRE(whole.advance(300, 3e-3).success());
    BOOST_REQUIRE(other.advance(300, 3e-3).success());
    BOOST_TEST(whole.singular_position().step > 0);
    BOOST_TEST(other.singular_position().step == whole.singular_position().step);
    BOOST_TEST(other.singular_position().pivot_ratio == whole.singular_position().pivot_ratio);
    BOOST_TEST(other.singular_position().velocity_before == whole.singular_position().velocity_before);
    BOOST_TEST(other.state().q.value() == whole.state().q.value(), boost::test_tools::per_element());
    BOOST_TEST(other.state().p.value() == whole.state().p.value(), boost::test_tools::per_element());
  }
  std::remove(file.c_str());
}

namespace {

template <template <int> class Model>
void repeated_rods_move_as_one(bool walled) {
  const Eigen::Vector2d q(1, 0), p(0, 0);
  IntegratorOptions options;
  options.contact.restitution = .5;
  for (const char* scheme : {"line-integral-ggl", "energy-momentum-ggl"}) {
    Integrator one = started(Model<1>(), q, p, scheme, options);
    Integrator two = started(Model<2>(), q, p, scheme, options);
    BOOST_TEST(two.constraint_rank().rank == 1);
    BOOST_TEST(two.constraint_rank().dependent.size() == 1u);
    const StepReport first = one.advance_to(2, .01);
    BOOST_REQUIRE_MESSAGE(first.success(), first.message);
    const StepReport report = two.advance_to(2, .01);
    BOOST_REQUIRE_MESSAGE(report.success(), report.message);
    BOOST_TEST(one.events().size() == two.events().size());
    const auto& events = one.events();
    const auto hits = [](const ContactEvent& event) { return event.kind == EventKind::impact; };
    BOOST_TEST(std::any_of(events.begin(), events.end(), hits) == walled);
    BOOST_TEST((one.state().q.value() - two.state().q.value()).norm() <= 1e-10, scheme);
    BOOST_TEST((one.state().p.value() - two.state().p.value()).norm() <= 1e-9, scheme);
    // Of least norm in the scaling of unit rows: (T/2, T/4) for rows of length 1 and 2.
    const double tension = one.index1_multipliers()[0];
    const Vector lambda = two.index1_multipliers();
    BOOST_TEST(std::abs(lambda[0] - tension / 2) <= 1e-8 * std::abs(tension), scheme);
    BOOST_TEST(std::abs(lambda[1] - tension / 4) <= 1e-8 * std::abs(tension), scheme);
    const EnergyBook book = two.energy_book();
    BOOST_TEST(std::abs(book.now - book.start - book.work - book.impact) <= 1e-10);
  }
}

}  // namespace

/// Two rods that are one: with the multipliers of least norm the motion is that of one, and the rank is reported.
BOOST_AUTO_TEST_CASE(constraints_may_repeat_others_under_friction) {
  repeated_rods_move_as_one<Pendulum>(false);
}

BOOST_AUTO_TEST_CASE(constraints_may_repeat_others_between_a_wall) {
  repeated_rods_move_as_one<WalledPendulum>(true);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_holds_the_rank) {
  const std::string file = "test_rank_under_friction.checkpoint";
  const Eigen::Vector2d q(1, 0), p(0, 0);
  Integrator whole = started(Pendulum<2>(), q, p, "energy-momentum-ggl");
  BOOST_REQUIRE(whole.advance(70, .01).success());
  whole.save(file);
  Integrator other = started(Pendulum<2>(), q, p, "energy-momentum-ggl");
  other.load(file);
  BOOST_TEST(other.constraint_rank().rank == 1);
  BOOST_REQUIRE(whole.advance(70, .01).success());
  BOOST_REQUIRE(other.advance(70, .01).success());
  BOOST_TEST(other.state().q.value() == whole.state().q.value(), boost::test_tools::per_element());
  BOOST_TEST(other.state().lambda == whole.state().lambda, boost::test_tools::per_element());
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_SUITE_END()
