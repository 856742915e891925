#pragma once
/// \file
/// A motion whose quantities can be differentiated backwards.

#include <string>
#include <vector>

#include "core.hpp"
#include "gnomon/registry/quantities.hpp"
#include "gnomon/run/adjoint.hpp"

namespace gnomon::python {

class Motion {
 public:
  /// The run has started, and outlives it.
  Motion(const Instance& instance, Integrator& run, const std::vector<std::string>& quantities,
         std::vector<Sensitivities::Parameter> parameters, Adjoint::Make make, std::vector<double> times, Index states);
  /// Once. Without the interpreter's lock. step 0: steps of a tolerance.
  void run(double t_end, double step);
  const StepReport& report() const { return report_; }
  const Adjoint& adjoint() const { return adjoint_; }
  /// (dJ/ds or None, why there is none, what a signal handler raised), from dJ/dy, quantities x times
  py::tuple pull_back(const FArray& weights);

  py::object raised = py::none();

 private:
  Integrator& integrator_;
  Quantities quantities_;
  Adjoint adjoint_;
  StepReport report_;
};

void bind_motion(py::module_& module);

}  // namespace gnomon::python
