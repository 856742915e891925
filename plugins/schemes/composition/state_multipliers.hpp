#pragma once
/// \file
/// The multipliers that belong to a state by itself, of any model: those for which the constraints differentiated twice
/// hold there. Without allocation.

#include <memory>
#include <optional>

#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "kernels/common/friction_multipliers.hpp"

namespace gnomon::kernels {

class StateMultipliers {
 public:
  /// Index1 is dense, and allocates nothing, up to this number of unknowns; beyond it a step's own multipliers remain.
  static constexpr Index most_unknowns = 100;

  /// Those of a System come from the Cholesky factor of G M^-1 G^T, under friction with Newton's method beside it, and
  /// those of an overdetermined DAE from Newton's method. The model outlives it.
  explicit StateMultipliers(const Model& model);

  /// lambda of the state, in it; as it was where G has lost rank.
  void solve(State& state);

 private:
  std::optional<FrictionMultipliers> of_system_;
  std::shared_ptr<const OverdeterminedSystem> dae_;
  std::optional<Index1> of_dae_;
  Vector z_, slope_, psi_;
};

}  // namespace gnomon::kernels
