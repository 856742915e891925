#pragma once
/// \file
/// A static equilibrium by any solver, for `gnomon equilibrium` and the cases.

#include <memory>
#include <string>

#include "gnomon/registry/registry.hpp"
#include "gnomon/solve/minimum.hpp"
#include "measures/case.hpp"

namespace gnomon::validation {

/// How it is sought: `by`, `method`, `eps` and `levels`.
OptionSpecs equilibrium_options();

struct EquilibriumSearch {
  Options options;                       ///< of equilibrium_options
  std::string solver = "kinsol-newton";  ///< with by=solver
  Assignments solver_options;
  JacobianSource jacobian = JacobianSource::analytic;
};

/// Where the last solve ended, converged or not.
struct Equilibrium : Minimum {
  double potential = 0;   ///< U
  double penalty = 0;     ///< sum_i w_i g_i^2/(2 eps), penalty only
  double constraint = 0;  ///< max |g_i|
};

/// From the instance's start. With the penalty and levels > 1 the first solve has eps 10^(levels - 1), the next ones a
/// tenth of it down to eps, each from the solution before it. What is not proved a minimum has the status
/// not_converged, with by=solver too. Throws Error(refused) for an instance that is no
/// mechanical system and what the equations and the solver refuse.
Equilibrium find_equilibrium(const Registry& registry, const ProblemInstance& instance,
                             const EquilibriumSearch& search);

}  // namespace gnomon::validation
