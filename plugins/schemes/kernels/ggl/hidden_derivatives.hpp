#pragma once
/// \file
/// Derivatives of the hidden constraint Psi(q,p) = G(q) T_p of a mass M(q), for constraints that do not move: with v =
/// T_p, w = G^T gamma and C = d(G^T gamma)/dq = sum_i gamma_i Hess g_i, which for constraints of velocities, A in place
/// of G, is not symmetric,
///
///     Psi_q = d(G v)/dq + G T_pq,    Psi_p = G T_pp
///     Hess (gamma.Psi) = Hess (w.T_p) + [T_qp C + C^T T_pq + d(C^T v)/dq, C^T T_pp; T_pp C, 0],   w constant in the
///                        former
///
/// The second derivatives of T are given: they are those of the Newton matrix that these go into.

#include "gnomon/model/system_at.hpp"

namespace gnomon::kernels {

class HiddenDerivatives {
 public:
  explicit HiddenDerivatives(const System& system);

  /// G, Psi_q and Psi_p at v = T_p; kinetic = Hess T, 2n x 2n
  void first(double t, const Vector& q, const Vector& v, const Matrix& kinetic);
  const Matrix& g() const { return g_; }
  const Matrix& psi_q() const { return psi_q_; }
  const Matrix& psi_p() const { return psi_p_; }

  /// kinetic = Hess T becomes Hess (T + gamma.Psi), after first() at the same point.
  void add_second(double t, const Vector& q, const Vector& p, const Vector& v, const Vector& gamma, Matrix& kinetic);

 private:
  const System* system_;
  SystemAt at_;
  const SparsityPattern* pattern_;
  Index n_;
  Matrix g_, psi_q_, psi_p_, turn_, sum_, of_velocity_;
  Vector unit_, column_, values_;
};

}  // namespace gnomon::kernels
