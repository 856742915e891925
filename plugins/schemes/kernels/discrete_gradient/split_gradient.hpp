#pragma once
/// \file
/// The equivariant discrete derivative of a potential U = U2(q) + sum_k V_k(pi_k(q)), Gonzalez (1996):
///
///     D U = grad U2(q_m) + sum_k c_k grad pi_k(q_m),   c_k = [V_k(pi_k(q1)) - V_k(pi_k(q0))] / [pi_k(q1) - pi_k(q0)]
///
/// D U.dq = U1 - U0 because grad pi_k(q_m).dq = pi_k(q1) - pi_k(q0) for quadratic pi_k.

#include <vector>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

class SplitGradient {
 public:
  SplitGradient(const System& system, SystemAt& at);

  void begin(const State& z0);

  void evaluate(double t, const Vector& qm, const Vector& q1, Vector& out);
  void evaluate(double t, const VectorOf<Dual1>& qm, const VectorOf<Dual1>& q1, VectorOf<Dual1>& out);

  /// Of a model that is not evaluated at Extended, to first order from the rounded positions.
  void evaluate(double t, const VectorOf<Extended>& qm, const VectorOf<Extended>& q1, VectorOf<Extended>& out);

  /// values on hessian_pattern() = Hess U2 + sum_k c_k Hess pi_k + sum_i lambda_i Hess g_i, at q_m: twice the
  /// derivative of D U + G(q_m)^T lambda by q1 through q_m.
  void hessian(double t, const Vector& qm, const Vector& q1, const Vector& lambda, Vector& values);
  /// The rest of the derivative, after hessian(): values += factor sum_k grad pi_k(q_m) (dc_k/dpi1) grad pi_k(q1)^T,
  /// at the entries that find_outer found.
  void add_outer(double factor, VectorRef values) const;
  /// After layout.finish(); the pattern has the entries of hessian_pattern() there, among which these are.
  void find_outer(const Layout& layout, const Block& rows, const Block& unknown);

 private:
  void evaluate_extended(double t, const VectorOf<Extended>& qm, const VectorOf<Extended>& q1, VectorOf<Extended>& out);
  template <class Add>
  void for_each_outer(const Add& add) const {
    if (c_.size() == 0) return;
    const SparsityPattern& pi = split_->invariant_pattern();
    for (Index k = 0; k < pi.rows; ++k)
      for (Index a = pi.offsets[k]; a < pi.offsets[k + 1]; ++a)
        for (Index b = pi.offsets[k]; b < pi.offsets[k + 1]; ++b)
          add(pi.indices[a], pi.indices[b], jacobian_m_[a] * dc_[k] * jacobian_1_[b]);
  }

  const SplitPotential* split_;  // null: nothing but the constructor may be called
  const ExtendedPrecision* extended_;
  bool extends_ = false;  ///< the invariants are evaluated at Extended
  SystemAt* at_;
  std::vector<Index> outer_;
  Vector pi0_, pi1_, pi_double_, c_, dc_, regular_, jacobian_m_, jacobian_1_;
  VectorOf<Dual1> pi_dual_, c_dual_, regular_dual_, qm_dual_, q1_dual_, out_dual_;
  VectorOf<Extended> pi0_extended_, pi_extended_, jacobian_extended_;
  Vector position_, tail_;
};

}  // namespace gnomon::kernels
