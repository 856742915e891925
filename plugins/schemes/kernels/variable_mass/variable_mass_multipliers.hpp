#pragma once
/// \file
/// Index-1 multipliers of a state whose mass depends on q: from d/dt G T_p = 0 with p' = -T_q - grad U + Q - G^T
/// lambda,
///
///     A lambda = bias + G (T_pq v + M^-1 (Q - T_q - grad U)),   A = G M^-1 G^T,  bias = v^T (Hess g) v,  v = T_p.
///
/// Dense, for few constraints; no allocation.

#include <Eigen/Cholesky>

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

class VariableMassMultipliers {
 public:
  explicit VariableMassMultipliers(const System& system)
      : system_(&system), n_(system.n()), m_(system.m()), factor_(m_ > 0 ? m_ : 1) {
    for (Vector* v : {&v_, &t_q_, &pull_, &turn_, &row_, &scratch_}) v->setZero(n_);
    for (Vector* v : {&right_, &term_}) v->setZero(m_);
    values_.setZero(system.constraint_pattern().nonzeros());
    gram_.setZero(m_, m_);
  }

  /// False, with lambda untouched, where A is not positive definite: G has lost rank.
  bool solve(double t, const Vector& q, const Vector& p, Vector& lambda) {
    if (m_ == 0) return true;
    const System& s = *system_;
    const SparsityPattern& g = s.constraint_pattern();
    s.parts().mass->kinetic_gradient(q, p, t_q_, v_);
    s.potential_gradient(t, q, pull_);
    pull_ = -pull_ - t_q_;
    if (s.parts().force) {
      s.parts().force->force(t, q, v_, row_);
      pull_ += row_;
    }
    s.parts().mass->kinetic_hessian_times(q, p, v_, pull_, scratch_, turn_);  // T_pq v + T_pp pull
    s.constraint_jacobian(t, q, values_);
    s.constraint_bias(t, q, v_, right_);
    multiply(g, values_, turn_, term_);
    right_ += term_;
    for (Index i = 0; i < m_; ++i) {
      row_.setZero();
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) row_[g.indices[k]] += values_[k];
      s.parts().mass->kinetic_gradient(q, row_, scratch_, turn_);  // M^-1 G_i^T
      multiply(g, values_, turn_, term_);
      gram_.col(i) = term_;
    }
    factor_.compute(gram_);
    if (factor_.info() != Eigen::Success) return false;
    factor_.solveInPlace(right_);
    if (!right_.allFinite()) return false;
    lambda = right_;
    return true;
  }

 private:
  const System* system_;
  Index n_, m_;
  Eigen::LLT<Matrix> factor_;
  Matrix gram_;
  Vector v_, t_q_, pull_, turn_, row_, scratch_, right_, term_, values_;
};

}  // namespace gnomon::kernels
