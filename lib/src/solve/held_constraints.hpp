#pragma once
/// \file
/// The constraints that hold beside a state: those of positions, obstacles that are closed, those of velocities.

#include <memory>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon {

/// Rows `rows` of `system`, which is the model, or the model with all its obstacles as constraints.
struct HeldConstraints {
  std::shared_ptr<const System> owner;  ///< of the system; null where it is the model
  const System* system = nullptr;
  std::vector<Index> rows;         ///< ascending; the first n_positions of them are constraints of positions
  std::vector<Index> multipliers;  ///< of a state, one a row: of constraints, then of obstacles
  Index n_positions = 0;

  /// One entry a constraint of `system`, zero where it does not hold; of_state: those of a State.
  Vector lambda(const Vector& of_state) const;
};

/// Throws Error(refused) for friction where it acts.
HeldConstraints held_constraints(const System& model, const std::vector<Index>& closed);

/// M(q), dense.
Matrix mass_at(const System& system, const Vector& q);

/// The rows of `all` that are in `which`.
Matrix rows_of(const Matrix& all, const std::vector<Index>& which);

}  // namespace gnomon
