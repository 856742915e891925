#pragma once
/// \file
/// The steps of energy-momentum-ggl, which estimate their local errors (kernels/common/estimated_step.hpp).

#include <memory>

#include "gnomon/scheme/scheme.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace gnomon::kernels {

/// Which terms the discrete derivatives have for a system.
struct GglRule {
  bool split_potential = false;      ///< D_qU by quotients in the quadratic invariants
  bool correct_potential = false;    ///< D_qU with a correction
  bool correct_constraints = false;  ///< D_q g and DPsi with corrections
  bool orthogonal = false;           ///< zorb instead of part
  bool corrected() const { return correct_potential || correct_constraints; }
};

/// For constant mass. end_multipliers: State::lambda are the index-1 multipliers of the state.
std::unique_ptr<StepEquations> ggl_step(const System& system, bool end_multipliers, const GglRule& rule);
/// For a mass that depends on q.
std::unique_ptr<StepEquations> level_step(const System& system, bool end_multipliers, const MidpointRule& rule);

}  // namespace gnomon::kernels
