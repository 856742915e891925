#pragma once
/// \file
/// The residual of hbvm, see hbvm.cpp for the equations. Unknowns x = [gamma_j | lambda_i], j < s, i < r:
///
///     phi_j = sum_l b_l P_j(c_l) F_l,   F_l = grad U(q_l) + G(q_l)^T lambda_l - Q_l                        j < s
///     F1_i = M gamma_i - delta_i0 p0 + h sum_j X_ij phi_j                                                  i < s
///     F2_i = sum_l b_l P_i(c_l) [G(q_l) q'_l + g_t(q_l)] + delta_i0 g(q0)/h                                i < r
///
/// The rounded P_j(c_l) and X_ij are the same numbers in velocities, forces, constraints and the end of the step, so
/// that their rounding is no energy: that of W = X P^T Omega is 1e-20 of the energy in every step, always of one sign.
///
/// (51) as printed has no g(q0)/h.

#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "hbvm/hbvm_inverse.hpp"
#include "kernels/common/applied_friction.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/line_integral/line_integral_frame.hpp"

namespace gnomon::kernels {

class HbvmEquations final : public TemplatedEquations<HbvmEquations, true> {
 public:
  HbvmEquations(const System& system, Index k, Index s, Index r, bool printed);

  ApproximateInverse* approximate_inverse() override { return &inverse_; }
  Index n() const { return n_; }
  Index lambda_at(Index i) const { return s_ * n_ + i * m_; }

  void begin(const State& z0, double h);

  /// After begin(): from the momentum p0 instead of that of the state, of a scheme that keeps another one.
  void set_momentum(const Compensated& p0) { p0_ = &p0; }

  /// A constant force with the multipliers of the last step.
  void predict(VectorRef x);
  void scales(VectorRef columns, VectorRef rows) const override;
  double rounding_floor() const override { return floor_; }

  /// dq = h gamma_0 and dp = -h phi_0 at x + low, phi_0 by the rows F1, so that forces are not needed again, phi_s = 0:
  ///     -h phi_{i-1} = (M gamma_i - delta_i0 p0 + X_i,i+1 h phi_{i+1}) / X_i,i-1    i = s-1, s-3, ..,  X_0,-1 = X_00
  void increments(const Vector& x, VectorOf<Extended>& dq, VectorOf<Extended>& dp);

  /// Multipliers and booked work of the step: lambda becomes the mean multiplier, lambda_0.
  void finish(const Vector& x, State& next);

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f);
  void jacobian(const ConstVectorRef& x, VectorRef values) override;

 private:
  /// -h W_il R of node l: by q and v on every gamma_j, by lambda on every lambda_j; after q_, qdot_ and lambda_ there
  void add_friction(Index l, VectorRef values);
  /// f_i += h sum_j X_ij phi_j
  template <class S>
  void add_forces(const VectorOf<S>& phi, VectorRefOf<S> f) const;
  /// out = gamma_i + low
  void gamma(const Vector& x, Index i, VectorOf<Extended>& out) const {
    out = x.segment(i * n_, n_).cast<Extended>() + low_.segment(i * n_, n_).cast<Extended>();
  }

  template <class S>
  struct Buffers {
    VectorOf<S> q, force, work, lambda, g, phi;
  };
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void lay_out();

  /// b.force = grad U(q_l) + G(q_l)^T lambda_l - Q(q_l, q'_l, t_l) - R(q_l, q'_l, lambda_l), at b.q
  template <class S, class X>
  void force_at(const X& x, Index l, Buffers<S>& b);

  const System* system_;
  SystemAt at_;
  StepScales scales_;
  AppliedForce applied_;
  AppliedFriction friction_;
  LineIntegralFrame frame_;
  HbvmInverse inverse_;
  Index n_, m_, s_, r_;
  bool printed_;  ///< (51) as printed
  Matrix w_;      // s x k, W = X P^T Omega
  std::vector<BlockMap> mass_, hessian_, multiplier_, constraint_;
  std::vector<AppliedForce::Place> places_;
  std::vector<AppliedFriction::Place> friction_places_;

  const Compensated* p0_ = nullptr;
  double floor_ = thresholds::residual_rounding;
  ForAllScalars<Buffers> buffers_;
  Vector q_, qdot_, work_, force_, lambda_, g_values_, dg_values_, rate_values_, hessian_values_;
};

}  // namespace gnomon::kernels

extern template class gnomon::TemplatedEquations<gnomon::kernels::HbvmEquations, true>;
