#pragma once
/// \file
/// The wish of gnomon run --sensitivity: derivatives of the motion, as columns beside those of the state.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/registry/varied_problem.hpp"
#include "program/run/run_arguments.hpp"
#include "program/summary/run_report.hpp"
#include "tables/state_columns.hpp"

namespace gnomon::program {

class RunSensitivities {
 public:
  /// For a run at its start, which outlives this object. Throws what VariedProblem and Sensitivities throw.
  RunSensitivities(const Registry& registry, const ProblemInstance& instance, const RunArguments& arguments,
                   Integrator& run);

  /// d(X)/d(s) for each parameter s and each X of measure_motion
  const std::vector<tables::Column>& columns() const { return columns_; }
  /// The derivatives of the state at t, which is in the last step, or its end; NaN where it has none.
  void fill(double t, double* values);
  /// Why the run stopped for want of a derivative; empty where it did not.
  const std::string& failure() const { return found_.failure(); }
  /// Those of the outputs at the end or, where the problem has none, of the first coordinates.
  void report(std::vector<SummaryRow>& rows);
  /// {parameter: {X: derivative}} at the end
  Json::Value json();

 private:
  std::vector<tables::Column> motion_;  ///< of measure_motion
  std::vector<tables::Column> columns_;
  Sensitivities found_;
};

}  // namespace gnomon::program
