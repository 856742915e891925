#include "solve/held_constraints.hpp"

#include <algorithm>
#include <string>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

[[noreturn]] void refuse_friction(const System& system) {
  throw Error(ErrorCode::refused, "system " + system.traits().name +
                                      " is not linearised: it has friction, whose direction is not defined at rest");
}

}  // namespace

Vector HeldConstraints::lambda(const Vector& of_state) const {
  Vector all = Vector::Zero(system->m());
  for (std::size_t k = 0; k < rows.size(); ++k) all[rows[k]] = of_state[multipliers[k]];
  return all;
}

HeldConstraints held_constraints(const System& model, const std::vector<Index>& closed) {
  const Parts& parts = model.parts();
  if (parts.friction) refuse_friction(model);
  HeldConstraints held;
  held.system = &model;
  const Index of_positions = model.m() - parts.n_velocity_constraints(), obstacles = parts.n_obstacles();
  const auto hold = [&](Index row, Index multiplier) {
    held.rows.push_back(row);
    held.multipliers.push_back(multiplier);
  };
  for (Index i = 0; i < of_positions; ++i) hold(i, i);
  if (parts.obstacles) {
    // The rows of the closed system are g, -c, those of slips, and the constraints of velocities.
    held.owner = parts.obstacles->with_obstacles_closed();
    held.system = held.owner.get();
    for (Index i = 0; i < obstacles; ++i) {
      if (std::find(closed.begin(), closed.end(), i) == closed.end()) continue;
      if (parts.coulomb && parts.coulomb->friction_coefficients()[i] > 0) refuse_friction(model);
      hold(of_positions + i, model.m() + i);
    }
  }
  held.n_positions = static_cast<Index>(held.rows.size());
  for (Index i = of_positions; i < model.m(); ++i) hold(held.system->m() - model.m() + i, i);
  return held;
}

Matrix mass_at(const System& system, const Vector& q) {
  if (!system.parts().mass) return to_dense(system.mass().pattern(), system.mass().values());
  Matrix M(system.n(), system.n());
  system.parts().mass->mass_matrix(q, M);
  return M;
}

Matrix rows_of(const Matrix& all, const std::vector<Index>& which) {
  Matrix rows(static_cast<Index>(which.size()), all.cols());
  for (Index i = 0; i < rows.rows(); ++i) rows.row(i) = all.row(which[static_cast<std::size_t>(i)]);
  return rows;
}

}  // namespace gnomon
