#pragma once
/// \file
/// What the projections of the end of a step (q^, v^) have in common: the rule and the interface.

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

struct ProjectionRule {
  bool velocity = true;
  bool energy = false;  ///< with velocity
  bool mass_metric = true;
};

/// What an energy projection will meet.
enum class Feasibility {
  regular,
  equilibrium,  ///< grad H has no tangential part and H is right: eta = 0 replaces the energy row
  distant,      ///< H has an extremum before it reaches H*, to second order in eta: there may be no real root
};

class EndProjection {
 public:
  virtual ~EndProjection() = default;
  virtual NonlinearEquations& equations() = 0;
  /// From z0 with the increments dq_hat, dv_hat of (q^, v^), with a mass M(q) of (q^, p^); energy_defect = H0 - H*. z0
  /// outlives the step.
  virtual Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& dv_hat, double h,
                            double energy_defect) = 0;
  /// Corrections of q^ and v^ (p^) from the solution; dv is left alone where the rule has no velocity.
  virtual void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& dv) const = 0;
};

}  // namespace gnomon::kernels
