/// \file
/// projected-rk where no case goes: options that do not fit, the singular sign of the symmetric projection, energy
/// projections at an equilibrium and out of reach, and its place in a composition.

#include <Eigen/SVD>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "kernels/runge_kutta/frozen_projection.hpp"
#include "kernels/runge_kutta/manifold_projection.hpp"
#include "kernels/runge_kutta/stage_extrapolation.hpp"
#include "kernels/runge_kutta/symmetric_projection.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;
using boost::algorithm::contains;

Integrator projected_rk(const ProblemInstance& instance, const Assignments& options,
                        const std::string& solver = "kinsol-newton") {
  return registry().integrator(instance, "projected-rk", solver, options);
}

/// The sentence with which the options are refused; empty when they are not.
std::string refusal(const Assignments& options, const std::string& scheme = "projected-rk") {
  try {
    registry().integrator(registry().build("simple-pendulum"), scheme, "newton", options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Condition number of the scaled matrix of the symmetric projection at the first step of a double pendulum.
double condition(Index stages, bool index1, double sign, double h) {
  const ProblemInstance instance = registry().build("double-spherical-pendulum", {{"start", "spatial"}});
  const System& system = *instance.model->mechanical();
  State z;
  z.q.set(instance.q0);
  z.p.set(instance.p0);
  Vector v0(system.n()), w(system.n()), lambda(system.m());
  system.mass().solve(instance.p0, v0);
  acceleration(system, 0, instance.q0, v0, w, lambda);
  kernels::StepScales scales(system);
  scales.update(z, h);
  kernels::SymmetricProjection<kernels::ConstantRkInertia> equations(system, kernels::gauss_tableau(stages), index1,
                                                                     true, sign, scales);
  equations.begin(z, v0, h);
  Vector x = Vector::Zero(equations.size()), values(equations.pattern().nonzeros());
  for (Index i = 0; i < stages; ++i) {
    x.segment(i * system.n(), system.n()) = w;
    x.segment(stages * system.n() + i * system.m(), system.m()) = lambda;
  }
  x.segment(equations.dq(), system.n()) = h * v0;
  x.segment(equations.dv(), system.n()) = h * w;
  equations.jacobian(x, values);
  Vector columns(equations.size()), rows(equations.size());
  equations.scales(columns, rows);
  const Matrix scaled = rows.cwiseInverse().asDiagonal() * to_dense(equations.pattern(), values) * columns.asDiagonal();
  const Vector singular = Eigen::JacobiSVD<Matrix>(scaled).singularValues();
  return singular[0] / singular[singular.size() - 1];
}

}  // namespace

// Steps of three sizes: values of a polynomial of degree N - 1 are met, and a much shorter step takes none.
BOOST_AUTO_TEST_CASE(start_values_are_on_the_polynomial_of_the_steps_before) {
  for (const kernels::RkTableau& rk : {kernels::gauss_tableau(1), kernels::gauss_tableau(2), kernels::gauss_tableau(4),
                                       kernels::radau_iia_tableau(3), kernels::lobatto_iiic_tableau(3)}) {
    const double h = 0.7, last = 0.5, before = 0.3;
    kernels::StageExtrapolation extrapolation(rk);
    extrapolation.begin(h);
    if (extrapolation.add(last, 0)) extrapolation.add(before, -last);
    BOOST_REQUIRE(extrapolation.finish());
    const Index count = extrapolation.count();
    BOOST_TEST(count >= rk.stages);
    const auto polynomial = [&](double t) { return std::pow(1 + t, static_cast<double>(count - 1)) - 0.5 * t; };
    for (Index i = 0; i < rk.stages; ++i) {
      double value = 0;
      for (Index k = 0; k < count; ++k) {
        const Index age = k / rk.stages, stage = rk.stages - 1 - k % rk.stages;
        value += extrapolation.weight(i, k) *
                 polynomial(age == 0 ? (rk.c[stage] - 1) * last : (rk.c[stage] - 1) * before - last);
      }
      const double expected = count > 1 ? polynomial(rk.c[i] * h) : polynomial((rk.c[0] - 1) * last);
      BOOST_TEST(std::abs(value - expected) <= 1e-11);
    }
    extrapolation.begin(0.2 * last);
    BOOST_TEST(!extrapolation.add(last, 0));
    BOOST_TEST(!extrapolation.finish());
  }
}

BOOST_AUTO_TEST_CASE(the_other_sign_of_the_symmetric_projection_is_singular) {
  for (const Index stages : {1, 2, 3, 4}) {
    for (const bool index1 : {true, false}) {
      const double sign = index1 || stages % 2 == 0 ? 1 : -1;
      for (const double h : {1e-1, 1e-2, 1e-3, 1e-4}) BOOST_TEST(condition(stages, index1, sign, h) < 1e4);
      BOOST_TEST(condition(stages, index1, sign, 1e-4) < 2 * condition(stages, index1, sign, 1e-2));
      // What is left is of the order of h: the other sign's matrix is singular in the limit.
      BOOST_TEST(condition(stages, index1, -sign, 1e-4) > 1e6);
    }
  }
}

BOOST_AUTO_TEST_CASE(symmetric_projections_that_cannot_be_are_refused) {
  const std::string plus =
      refusal({{"projection", "symmetric"}, {"index", "3"}, {"stages", "3"}, {"signs", "plus-plus"}});
  BOOST_TEST(contains(plus, "singular"), plus);
  BOOST_TEST(contains(plus, "expected plus-minus"), plus);
  const std::string minus = refusal({{"projection", "symmetric"}, {"signs", "plus-minus"}});
  BOOST_TEST(contains(minus, "expected plus-plus"), minus);
  BOOST_TEST(refusal({{"projection", "symmetric"}, {"index", "3"}, {"stages", "2"}, {"signs", "plus-plus"}}).empty());
  BOOST_TEST(refusal({{"projection", "symmetric"}, {"index", "3"}, {"stages", "3"}, {"signs", "plus-minus"}}).empty());
  BOOST_TEST(contains(refusal({{"projection", "symmetric"}, {"tableau", "radau-iia"}}), "expected gauss"));
  BOOST_TEST(contains(refusal({{"projection", "symmetric"}, {"directions", "frozen"}}), "directions = frozen"));
  BOOST_TEST(contains(refusal({{"signs", "plus-minus"}}), "signs = plus-minus is for projection = symmetric"));
  BOOST_TEST(contains(refusal({{"directions", "frozen"}, {"projection", "none"}}), "but projection = none"));
}

BOOST_AUTO_TEST_CASE(unknown_names_get_the_nearest_known_one) {
  const std::pair<const char*, const char*> tries[] = {
      {"tableau", "gaus"},  {"tableau", "radau-ia"}, {"projection", "pvae-1"}, {"projection", "symetric"},
      {"metric", "euclid"}, {"carry", "papers"},     {"directions", "frosen"}, {"signs", "plus-plu"}};
  const char* const nearest[] = {"gauss",     "radau-iia", "pvae-n", "symmetric",
                                 "euclidean", "paper",     "frozen", "plus-plus"};
  for (int i = 0; i < 8; ++i) {
    const std::string sentence = refusal({{tries[i].first, tries[i].second}});
    BOOST_TEST(contains(sentence, std::string("did you mean \"") + nearest[i] + "\"?"), sentence);
    BOOST_TEST(contains(sentence, std::string("\"") + tries[i].second + "\""), sentence);
  }
  BOOST_TEST(contains(refusal({{"projections", "pv"}}), "did you mean \"projection\"?"));
  BOOST_TEST(contains(refusal({{"index", "2"}}), "\"2\" is not one of 1|3"));
  BOOST_TEST(contains(refusal({{"stages", "6"}}), "[1, 5]"));
  BOOST_TEST(contains(refusal({{"tableau", "lobatto-iiic"}, {"stages", "1"}}), "at least 2"));
}

BOOST_AUTO_TEST_CASE(a_composition_takes_the_symmetric_projection) {
  const Assignments inner{{"inner", "projected-rk"}, {"inner.stages", "1"}, {"paired", "no"}};
  const auto with = [&inner](const std::string& projection) {
    Assignments options = inner;
    options.emplace_back("inner.projection", projection);
    return options;
  };
  BOOST_TEST(contains(refusal(with("pv"), "composition"), "it is not symmetric"));
  const Promises promises =
      registry().integrator(registry().build("simple-pendulum"), "composition", "newton", with("symmetric")).promises();
  BOOST_TEST(promises.order == 4);
  BOOST_TEST((promises.symmetric && promises.position && promises.hidden));
}

BOOST_AUTO_TEST_CASE(energy_projections_leave_an_equilibrium_alone) {
  ProblemInstance hanging = registry().build("simple-pendulum");
  hanging.q0 << 0, -1;
  hanging.p0.setZero();
  for (const char* directions : {"end", "frozen"})
    for (const char* projection : {"pvae-n", "pvae-0", "pve"})
      for (const char* index : {"1", "3"}) {
        Integrator integrator =
            projected_rk(hanging, {{"projection", projection}, {"directions", directions}, {"index", index}});
        const StepReport report = integrator.advance(100, 0.05);
        BOOST_TEST(report.success(), directions << " " << projection << ": " << report.message);
        BOOST_TEST((integrator.state().q.value() - hanging.q0).norm() < 1e-15);
        BOOST_TEST(integrator.state().p.value().norm() < 1e-15);
      }
}

BOOST_AUTO_TEST_CASE(frozen_directions_have_2m_plus_1_unknowns_and_work_beside_an_equilibrium) {
  ProblemInstance hanging = registry().build("simple-pendulum");
  for (const double angle : {1e-2, 1e-4, 1e-6}) {
    hanging.q0 << std::sin(angle), -std::cos(angle);
    hanging.p0.setZero();
    Integrator integrator = projected_rk(hanging, {{"projection", "pvae-0"}, {"directions", "frozen"}});
    BOOST_TEST(integrator.equations().system(1).size() == 3);
    const StepReport report = integrator.advance(1000, 0.01);
    BOOST_TEST(report.success(), "angle " << angle << ": " << report.message);
    BOOST_TEST(integrator.monitor().energy().max_abs_error() < 1e-14);
    BOOST_TEST(integrator.monitor().position_max() < 1e-15);
  }
  Integrator stacked = projected_rk(hanging, {{"projection", "pvae-0"}});
  BOOST_TEST(stacked.equations().system(1).size() == 7);
}

// Where the force along the motion of Andrews' squeezer changes its sign, with steps so short that rounding is far
// above the corrections of the projection: near t = 0.02557. Both directions find their solution, refined.
BOOST_AUTO_TEST_CASE(energy_projections_of_a_changing_mass_are_refined_in_short_steps) {
  ProblemInstance instance = registry().build("andrews-squeezer");
  Integrator before = projected_rk(instance, {{"stages", "5"}}, "newton");
  before.set_tolerances(Tolerances(1e-10));
  instance.t0 = 0.0255;
  BOOST_TEST_REQUIRE(before.advance_to(instance.t0).success());
  instance.q0 = before.state().q.value();
  instance.p0 = before.state().p.value();
  for (const char* directions : {"end", "frozen"}) {
    Integrator run =
        projected_rk(instance, {{"stages", "2"}, {"projection", "pve"}, {"directions", directions}}, "newton");
    run.set_tolerances(Tolerances(3e-10));
    const StepReport report = run.advance_to(0.02563);
    BOOST_TEST(report.success(), report.message);
    BOOST_TEST(run.counters().unrefined_solves == 0);
    BOOST_TEST(run.check_promises().empty());
  }
}

BOOST_AUTO_TEST_CASE(energies_out_of_reach_are_recognised) {
  const ProblemInstance instance = registry().build("simple-pendulum");
  const System& system = *instance.model->mechanical();
  kernels::StepScales scales(system);
  kernels::FrozenProjection<kernels::ConstantRkInertia> frozen(system, {true, true, true}, scales);
  kernels::ManifoldProjection<kernels::ConstantRkInertia> stacked(system, {true, true, true}, scales);
  const Vector zero = Vector::Zero(2);
  for (const double angle : {0., 0.1, 0.5}) {
    State z;
    z.q.set((Vector(2) << std::sin(angle), -std::cos(angle)).finished());
    z.p.set(zero);
    scales.update(z, 0.01);
    const double above = 10 * (1 - std::cos(angle));  // the lowest point
    for (kernels::EndProjection* projection : std::initializer_list<kernels::EndProjection*>{&frozen, &stacked}) {
      // H0 - H*: below the lowest point there is no state, above the start there are.
      BOOST_TEST((projection->begin(z, zero, zero, 0.01, above + 1) == kernels::Feasibility::distant));
      const kernels::Feasibility same = projection->begin(z, zero, zero, 0.01, 0);
      BOOST_TEST((same == kernels::Feasibility::reached));
      if (angle > 0) BOOST_TEST((projection->begin(z, zero, zero, 0.01, -0.1) == kernels::Feasibility::regular));
      if (angle > 0) BOOST_TEST((projection->begin(z, zero, zero, 0.01, above / 4) == kernels::Feasibility::regular));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_energy_out_of_reach_is_reported_and_the_state_kept) {
  const ProblemInstance instance = registry().build("spring-pendulum");
  IntegratorOptions whole;
  whole.max_halvings = 0;
  Integrator integrator =
      registry().integrator(instance, "projected-rk", "kinsol-newton",
                            {{"stages", "1"}, {"projection", "pvae-0"}, {"directions", "frozen"}}, {}, whole);
  StepReport report;
  State before;
  // Such steps that find no root far away are a matter of luck: the first of several step sizes with one.
  const auto out_of_reach = [&] { return contains(report.message, "the energy projection may have no real root"); };
  double h = 0.16;
  while (!out_of_reach() && h < 0.35) {
    h += 0.005;
    integrator.start(instance.t0, instance.q0, instance.p0);
    report = StepReport();
    for (int i = 0; i < 50 && report.success(); ++i) {
      before = integrator.state();
      report = integrator.step(h);
    }
  }
  BOOST_REQUIRE(!report.success());
  BOOST_TEST((report.status == SolveStatus::not_converged));
  BOOST_TEST(out_of_reach(), report.message);
  BOOST_TEST(contains(report.message, "over h = " + number_text(h)), report.message);
  const State& after = integrator.state();
  BOOST_TEST(after.t == before.t);
  BOOST_TEST((after.q.value() == before.q.value() && after.p.value() == before.p.value()));
  BOOST_TEST(
      (after.q.tail() == before.q.tail() && after.lambda == before.lambda && after.scheme_data == before.scheme_data));
  const StepReport smaller = integrator.advance(20, 0.01);
  BOOST_TEST(smaller.success(), smaller.message);
  BOOST_TEST(integrator.monitor().energy().last_error() < 1e-14);
  // A failure of another kind does not get this reason.
  Integrator plain = projected_rk(instance, {{"stages", "1"}});
  const StepReport other = plain.advance(100, 5);
  BOOST_TEST(!contains(other.message, "energy projection"), other.message);
}
