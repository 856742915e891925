/// \file
/// Penalty and augmented Lagrange schemes: what they refuse, penalty functions of a model's own, and a multiplier
/// iteration that stalls.

#include <boost/algorithm/string/predicate.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "gnomon/gnomon.hpp"
#include "gnomon/model/autodiff_system.hpp"

namespace {

using namespace gnomon;
using boost::algorithm::contains;

/// A point mass on a rod under gravity, with a penalty function of its own: y^2 exp(y^2) = y^2 + y^4 + ...
struct Pendulum : AutodiffModel<2, 1> {
  ModelTraits::Penalty penalty = ModelTraits::Penalty::convex;
  double power = 1;  ///< r(y) = y^2 exp(power y^2)

  ModelTraits describe() const {
    ModelTraits traits = polynomial_traits("pendulum with a penalty", 1, 2);
    traits.penalty = penalty;
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[1] * 9.81;
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) * 0.5;
  }
  template <class S>
  S penalty_function(const S& y) const {
    using std::exp;
    return y * y * exp(y * y * power);
  }
};

Registry registry() {
  Registry all;
  register_builtin(all);
  return all;
}

Integrator start(const Registry& all, ModelTraits::Penalty penalty, const std::string& scheme,
                 const Assignments& options) {
  Pendulum model;
  model.penalty = penalty;
  const Scheme& chosen = all.scheme(scheme);
  const SolverFactory& newton = all.solver("newton");
  Integrator integrator(std::make_shared<AutodiffSystem<Pendulum>>(model), chosen,
                        Options("scheme " + scheme, chosen.options(), options), newton,
                        Options("solver newton", newton.options()));
  integrator.start(0, Vector::Unit(2, 0), Vector::Unit(2, 1) * 0.3);
  return integrator;
}

std::string refusal(const Registry& all, ModelTraits::Penalty penalty, const Assignments& options) {
  try {
    start(all, penalty, "penalty", options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_penalty_function_of_the_model_conserves_the_energy) {
  const Registry all = registry();
  for (const char* scheme : {"penalty", "penalty-general", "penalty-dhat"})
    for (const char* mu : {"30", "1e6"}) {
      BOOST_TEST_CONTEXT(scheme << " mu = " << mu) {
        Integrator integrator = start(all, ModelTraits::Penalty::convex, scheme, {{"penalty", "model"}, {"mu", mu}});
        BOOST_TEST(integrator.advance(2000, 5e-3).success());
        BOOST_TEST(integrator.monitor().energy().max_abs_error() < integrator.monitor().energy_gate());
        BOOST_TEST(integrator.monitor().position_max() > 1e-7);
      }
    }
}

BOOST_AUTO_TEST_CASE(the_derivatives_of_a_penalty_function_come_with_it) {
  const AutodiffSystem<Pendulum> system{Pendulum()};
  const double y = 0.3, y2 = y * y, e = std::exp(y2);
  const auto r = system.parts().penalty->penalty_function(y);
  BOOST_TEST(std::abs(r[0] - y2 * e) < 1e-15);
  BOOST_TEST(std::abs(r[1] - 2 * y * (1 + y2) * e) < 1e-15);
  BOOST_TEST(std::abs(r[2] - (2 + 10 * y2 + 4 * y2 * y2) * e) < 1e-14);
  BOOST_TEST(std::abs(r[3] - y * (24 + 36 * y2 + 8 * y2 * y2) * e) < 1e-14);
}

BOOST_AUTO_TEST_CASE(a_penalty_function_changes_the_motion) {
  const Registry all = registry();
  const auto end = [&](const Assignments& options) {
    Integrator integrator = start(all, ModelTraits::Penalty::convex, "penalty", options);
    BOOST_TEST(integrator.advance(200, 5e-3).success());
    return Vector(integrator.state().q.value());
  };
  const Vector quadratic = end({{"mu", "30"}}), own = end({{"mu", "30"}, {"penalty", "model"}}),
               quartic = end({{"mu", "30"}, {"penalty", "quartic"}});
  BOOST_TEST((own - quadratic).norm() > 1e-4);
  BOOST_TEST((own - quartic).norm() < 0.05 * (own - quadratic).norm());
}

BOOST_AUTO_TEST_CASE(a_penalty_that_is_not_convex_is_refused) {
  const Registry all = registry();
  using Penalty = ModelTraits::Penalty;
  BOOST_TEST(contains(refusal(all, Penalty::not_convex, {{"penalty", "model"}}), "not declared convex"));
  BOOST_TEST(contains(refusal(all, Penalty::none, {{"penalty", "model"}}), "not declared convex"));
  BOOST_TEST(contains(refusal(all, Penalty::none, {{"penalty", "quartic"}, {"quartic", "-2"}}), "-2 is not convex"));
  BOOST_TEST(contains(refusal(all, Penalty::none, {{"mu", "0"}}), "mu"));
  BOOST_TEST(contains(refusal(all, Penalty::none, {{"mu", "-1"}}), "mu"));
  BOOST_TEST(refusal(all, Penalty::not_convex, {}).empty());
}

BOOST_AUTO_TEST_CASE(a_penalty_function_that_is_not_finite_is_seen_at_the_start) {
  const Registry all = registry();
  Pendulum model;
  model.power = std::numeric_limits<double>::quiet_NaN();
  const Scheme& scheme = all.scheme("penalty");
  const SolverFactory& newton = all.solver("newton");
  Integrator integrator(std::make_shared<AutodiffSystem<Pendulum>>(model), scheme,
                        Options("scheme penalty", scheme.options(), {{"penalty", "model"}}), newton,
                        Options("solver newton", newton.options()));
  BOOST_CHECK_EXCEPTION(integrator.start(0, Vector::Unit(2, 0), Vector::Zero(2)), Error, [](const Error& error) {
    return error.code() == ErrorCode::not_finite && contains(error.what(), "penalty function r(0)");
  });
}

/// (40) as printed on the top: the step is refused with its cause, and the state is the one before, bit for bit.
BOOST_AUTO_TEST_CASE(a_multiplier_iteration_that_stalls_keeps_the_state) {
  const Registry all = registry();
  Integrator integrator = all.integrator(all.build("heavy-top", {{"start", "steady"}}), "augmented-lagrange", "newton",
                                         {{"update", "printed"}, {"tolerance", "1e-10"}, {"mu", "1e7"}});
  State before;
  StepReport report;
  for (int i = 0; i < 1000 && report.success(); ++i) {
    before = integrator.state();
    report = integrator.step(1e-3);
  }
  BOOST_TEST(!report.success());
  BOOST_TEST(contains(report.message, "the augmented Lagrange iteration stalls"), report.message);
  const State& after = integrator.state();
  BOOST_TEST((after.t == before.t && after.t_tail == before.t_tail && after.last_h == before.last_h));
  BOOST_TEST((after.q.value() == before.q.value() && after.q.tail() == before.q.tail()));
  BOOST_TEST((after.p.value() == before.p.value() && after.p.tail() == before.p.tail()));
  BOOST_TEST((after.lambda == before.lambda));
  BOOST_TEST(after.history.count() == before.history.count());
  for (Index age = 0; age < after.history.count(); ++age) BOOST_TEST((after.history.at(age) == before.history.at(age)));
}
