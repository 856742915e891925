#pragma once
/// \file
/// The errors of (q^, v^) that the projection of the end of a step leaves, to leading order: the direction of
/// the constraints is taken out in its metric W, and the velocity follows the position,
///
///     e_q <- e_q - W^-1 G^T A^-1 G e_q,    A = G W^-1 G^T
///     e_v <- e_v - W^-1 G^T A^-1 [ G e_v + v^T (Hess g) e_q + G_t e_q ]
///
/// at the end, and for a projection onto the energy its direction n, made tangent by the same two steps,
///
///     n_q = w W^-1 H_q, n_v = W^-1 p + T_pq n_q,    e <- e - n H'e / H'n,    H'e = H_q.e_q + p.(e_v - T_pq e_q)
///
/// with w of projection_metric.hpp, which leaves no error of the energy: that of the quadrature of the work is not
/// seen.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/constraint_gram.hpp"
#include "kernels/common/velocity_change.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"

namespace gnomon::kernels {

class TangentError {
 public:
  TangentError(const System& system, const ProjectionRule& rule);

  /// The errors after a step over h of q and, with a constant mass, of v, else of p become those of q1 and v1 = M^-1
  /// p1. False where G has lost rank.
  bool project(const State& z1, double h, Vector& error_q, Vector& error_v);

 private:
  /// Constraints of velocities keep their errors of positions unless of_velocities; the correction is tangent to them.
  void position(Vector& error_q, bool of_velocities);
  void velocity(const Vector& error_q, Vector& error_v);
  void take_out(Vector& error);

  void energy(double weight, Vector& error_q, Vector& error_v);
  double change_of_energy(const Vector& dq, const Vector& dv);

  const System* system_;
  SystemAt at_;
  ConstraintGram gram_;
  VelocityChange change_;
  ProjectionRule rule_;
  Index n_, m_;
  const State* z1_ = nullptr;
  Vector v1_, jump_, scratch_, second_, slope_, n_q_, n_v_, turn_, zero_, row_, more_, rate_;
};

}  // namespace gnomon::kernels
