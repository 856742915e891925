#pragma once
/// \file
/// The sizes of the terms of g and of G v at a state of any model, see gnomon/model/constraint_sizes.hpp. At rest
/// velocities are rounding: they count against the speed (2 E)^1/2 in the mass norm, E the largest energy of the run,
/// and where that is zero too against the speed that forces would make in a step.

#include "gnomon/model/model.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// |M^-1 f| in the mass norm, f = -grad U + Q of the state: the acceleration that forces make where nothing holds them.
/// Zero for an overdetermined DAE.
GNOMON_EXPORT double free_acceleration(const Model& model, const State& z);

class GNOMON_EXPORT ConstraintTerms {
 public:
  /// The model outlives it. Allocates everything.
  explicit ConstraintTerms(const Model& model);
  ConstraintTerms(const Model& model, const State& z) : ConstraintTerms(model) { evaluate(z); }
  void evaluate(const State& z);
  /// sum_j |(v^T Hess g_i)_j q_j| at the state of the last evaluate: relative changes of q change G v by parts of it.
  /// Far from the origin rounding of q is larger than that of the terms of G v. Zero for an overdetermined DAE.
  const Vector& of_moved_velocities(const State& z);
  const Vector& of_positions() const { return positions_; }    ///< m
  const Vector& of_velocities() const { return velocities_; }  ///< m
  /// The same where velocities count against `speed` as well; until the next evaluate.
  const Vector& of_velocities(double speed);
  const Vector& mass() const { return mass_; }   ///< its diagonal; ones for an overdetermined DAE
  const Vector& velocity() const { return v_; }  ///< v of the last state

 private:
  const Model* model_;
  double energy_speed_ = 0;
  Vector mass_, v_, scratch_, jacobian_, turned_, positions_, velocities_, moved_;
};

}  // namespace gnomon
