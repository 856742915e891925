#pragma once
/// \file
/// Runs of mechanisms by a tolerance alone, with their outputs by name.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "mechanism/built_models.hpp"
#include "support/builtin_registry.hpp"

namespace gnomon::test {

/// A run of a model by a tolerance alone, as `gnomon run FILE --rtol 1e-10` makes it.
class MechanismRun {
 public:
  explicit MechanismRun(const std::string& text, double tolerance = 1e-10, const Assignments& set = {})
      : MechanismRun(build(text, set), tolerance) {}
  MechanismRun(ProblemInstance instance, double tolerance)
      : instance_(std::move(instance)), integrator_(make(tolerance)), outputs_(instance_) {}

  MechanismRun& to(double t) {
    const StepReport report = integrator_.advance_to(t);
    BOOST_REQUIRE_MESSAGE(report.success(), report.message);
    return *this;
  }
  double operator[](const std::string& name) const {
    const Vector values = outputs_.evaluate(integrator_);
    for (Index i = 0; i < values.size(); ++i)
      if (outputs_.outputs()[static_cast<std::size_t>(i)].name == name) return values[i];
    BOOST_FAIL("there is no output " << name);
    return 0;
  }
  const Integrator& integrator() const { return integrator_; }
  std::vector<ContactEvent> events(EventKind kind) const {
    std::vector<ContactEvent> found;
    for (const ContactEvent& event : integrator_.events())
      if (event.kind == kind) found.push_back(event);
    return found;
  }
  /// The booked energy is that of the motion, and constraints hold.
  void check_promises(double energy = 1e-12) const {
    const InvariantMonitor& monitor = integrator_.monitor();
    BOOST_TEST(monitor.energy().max_abs_error() <= energy);
    BOOST_TEST(monitor.position_max() <= 1e-12);
    BOOST_TEST(monitor.velocity_max() <= 1e-11);
  }

 private:
  Integrator make(double tolerance) const {
    const Registry& registry = gnomon::registry();
    const SolverFactory& solver = registry.solver("newton");
    const SchemeChoice choice =
        suited_scheme(registry, {instance_, tolerance, &solver, Options("newton", solver.options()), {}});
    Integrator run = registry.integrator(instance_, choice.scheme, "newton", choice.options);
    run.set_tolerances(Tolerances(tolerance));
    return run;
  }
  ProblemInstance instance_;
  Integrator integrator_;
  EvaluatedOutputs outputs_;
};

inline void check_near(double value, double expected, double within) {
  BOOST_TEST(std::abs(value - expected) <= within, value << " is not " << expected);
}

}  // namespace gnomon::test
