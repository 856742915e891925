/// \file
/// composition: it is the substeps it says it is, hands options on, and refuses what it cannot make better.

#include <boost/algorithm/string/predicate.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"

namespace {

using namespace gnomon;
using boost::algorithm::contains;

/// RATTLE, but it does not say that it is symmetric.
class Lopsided final : public MechanicalScheme {
 public:
  explicit Lopsided(const SchemeTable& schemes) : schemes_(&schemes) {}
  std::string name() const override { return "lopsided"; }
  std::string description() const override { return "promises no symmetry"; }
  std::string source() const override { return ""; }
  Promises promises() const override { return {}; }
  Binding bind(const System& system, const Options&) const override {
    const Scheme& rattle = schemes_->scheme("rattle");
    Binding binding = rattle.bind(system, Options("scheme rattle", rattle.options()));
    binding.promises.symmetric = false;
    return binding;
  }

 private:
  const SchemeTable* schemes_;
};

Registry registry() {
  Registry all;
  register_builtin(all);
  all.add([](Registrar& registrar) { registrar.add(std::make_unique<Lopsided>(registrar.schemes())); }, "test");
  return all;
}

Integrator start(const Registry& all, const std::string& scheme, const Assignments& options = {}) {
  return all.integrator(all.build("double-spherical-pendulum", {{"start", "spatial"}}), scheme, "newton", options);
}

/// The sentence with which the options are refused; empty when they are not.
std::string refusal(const Registry& all, const Assignments& options, ErrorCode expected) {
  try {
    start(all, "composition", options);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == expected), error.what());
    return error.what();
  }
  return {};
}

/// Largest difference in q and p between one composed step and its substeps taken one after the other.
double difference(const Registry& all, const Assignments& options, const std::string& inner,
                  const std::vector<double>& substeps) {
  const double h = 0.01;
  Integrator composed = start(all, "composition", options), single = start(all, inner);
  for (int step = 0; step < 3; ++step) {
    BOOST_TEST(composed.step(h).success());
    for (const double c : substeps) BOOST_TEST(single.step(c * h).success());
  }
  BOOST_TEST(std::abs(composed.state().t - 3 * h) < 1e-16);
  return std::max((composed.state().q.value() - single.state().q.value()).lpNorm<Eigen::Infinity>(),
                  (composed.state().p.value() - single.state().p.value()).lpNorm<Eigen::Infinity>());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_step_is_its_substeps) {
  const Registry all = registry();
  const double a = 1 / (4 - std::cbrt(4.)), b = 1 / (2 - std::cbrt(2.));
  const double s = (1 - 4 * a) / 2;
  BOOST_TEST(difference(all, {}, "energy-momentum", {a / 2, a / 2, a / 2, a / 2, s, s, a / 2, a / 2, a / 2, a / 2}) <
             1e-14);
  BOOST_TEST(difference(all, {{"inner", "rattle"}, {"kind", "yoshida"}, {"paired", "no"}}, "rattle",
                        {b, 1 - 2 * b, b}) < 1e-14);
  // The measure sees a wrong substep.
  BOOST_TEST(difference(all, {{"inner", "rattle"}, {"kind", "yoshida"}, {"paired", "no"}}, "rattle",
                        {1. / 3, 1. / 3, 1. / 3}) > 1e-8);
}

BOOST_AUTO_TEST_CASE(promises_come_from_the_inner_scheme) {
  const Registry all = registry();
  const Promises energy = start(all, "composition").promises();
  BOOST_TEST(energy.order == 4);
  BOOST_TEST((energy.energy && energy.position && energy.momentum && energy.symmetric));
  BOOST_TEST((!energy.hidden && !energy.symplectic));
  const Promises symplectic =
      start(all, "composition", {{"inner", "rattle"}, {"order", "6"}, {"paired", "no"}}).promises();
  BOOST_TEST(symplectic.order == 6);
  BOOST_TEST((symplectic.symplectic && symplectic.hidden && !symplectic.energy));
  BOOST_TEST(start(all, "composition", {{"paired", "no"}}).promises().order == 2);
  // A penalty does not tend to the constrained motion, however high the order.
  BOOST_TEST(energy.constrained_limit);
  BOOST_TEST(!start(all, "composition", {{"inner", "penalty"}}).promises().constrained_limit);
  // HBVM's p is of order 2 where q is of order 4: both are raised.
  BOOST_TEST(start(all, "composition", {{"inner", "hbvm"}}).promises().order == 4);
}

BOOST_AUTO_TEST_CASE(refusals_name_the_reason) {
  const Registry all = registry();
  BOOST_TEST(
      contains(refusal(all, {{"inner", "lopsided"}}, ErrorCode::refused), "inner=lopsided: it is not symmetric"));
  for (const char* inner : {"penalty-dhat", "projected-rk", "augmented-lagrange"})
    BOOST_TEST(contains(refusal(all, {{"inner", inner}}, ErrorCode::refused), "it is not symmetric"), inner);
  BOOST_TEST(contains(refusal(all, {{"inner", "composition"}}, ErrorCode::refused), "its own order is 4"));
  BOOST_TEST(contains(refusal(all, {{"inner", "ratle"}}, ErrorCode::unknown_name), "\"rattle\""));
  BOOST_TEST(contains(refusal(all, {{"order", "5"}}, ErrorCode::bad_value), "\"5\""));
  BOOST_TEST(contains(refusal(all, {{"inner.mu", "1"}}, ErrorCode::unknown_name), "\"mu\""));
  const std::string nested =
      refusal(all, {{"inner", "energy-momentum-general"}, {"inner.weight", "none"}}, ErrorCode::bad_value);
  BOOST_TEST(contains(nested, "energy-momentum-general"));
  BOOST_TEST(contains(nested, "\"none\""));
  BOOST_TEST(
      refusal(all, {{"inner", "energy-momentum-general"}, {"inner.weight", "mass"}}, ErrorCode::bad_value).empty());
}
