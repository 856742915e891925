#pragma once
/// \file
/// The step of projected-rk, as projected_rk.cpp has it.

#include <memory>

#include "gnomon/scheme/scheme.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"
#include "kernels/runge_kutta/rk_tableau.hpp"

namespace gnomon {
class AlgebraTable;
}

namespace gnomon::kernels {

struct ProjectedRkMethod {
  RkTableau tableau;
  bool index1 = true;
  bool project = true;  ///< onto the position constraint, and what the rule adds
  ProjectionRule rule;
  bool frozen = false;     ///< directions of the projection at (q^, v^)
  double mirror_sign = 0;  ///< symmetric projection: sign of its second half; else 0
  bool project_acceleration = false;
  bool from_start = false;  ///< H* counts from the start of the run
  bool kkt = true;
};

/// estimated: the order of the estimates of local errors, 0 without them
std::unique_ptr<StepEquations> projected_rk_step(const System& system, const ProjectedRkMethod& method, int estimated,
                                                 const AlgebraTable& table);

}  // namespace gnomon::kernels
