#pragma once
/// \file
/// The residual of energy-momentum-ggl, see energy_momentum_ggl.cpp for the equations and their derivation. Unknowns
/// x = [u = dq/h | y = M^-1 dp | mu = h lambda | gamma], v_m = v0 + y/2, rows multiplied by M:
///
///     F1 = M u - p0 - M y/2 - M (D_pPsi)^T gamma
///     F2 = M y + h D_qU + (D_q g)^T mu + h (D_qPsi)^T gamma - h Q(q_m, u, t_m) - h R(q_m, u, mu/h)
///     F3 = g(q1)/h            (quadratic g: g0/h + G(q_m) u, which is the same and does not cancel)
///     F4 = G(q1) (v0 + y)
///
/// U and g that depend on time are averaged over the two times in F1, F2 and the corrections, see energy_balance.hpp,
/// with phi_i = G_i(q) v_m + g_t,i in place of G_i(q) v_m; F3 = g(q1,t1)/h, of quadratic g g(q0,t1)/h + G(q_m,t1) u,
/// and F4 = G(q1,t1) v1 + g_t(q1,t1).
///
/// Constraints of velocities, Psi = A(q,t) v + b: F3 = A(q_m) u + b(q_m), of the average; F4 and all terms of gamma are
/// those of g, with (d(A v_m + b)/dq)^T gamma in place of sum_i gamma_i (Hess g_i) v_m.
///
/// The corrections of the discrete derivatives (part: along M dq; zorb: orthogonal to the orbits) are scalars times one
/// direction: with C_q = h c_U + mu.c_g (and h gamma.c_Psi), C_z = gamma.c_Psi,
///
///     part   F2 += M u (C_q + h gamma.c_Psi) / (h u.M u)
///     zorb   F2 += M n C_q / (n.M n) + h M n_q C_z / |n|^2,   F1 -= h^2 M n_v C_z / |n|^2
///
/// where n = dq - sum alpha_a xi_a(q_m) and (n_q, n_v) = (dq, y) - sum alpha_a (xi_a(q_m), xi_a'(v_m)) are orthogonal
/// to the orbits in the inner products M and (M, h^2 M). (The momentum part of the generator's lift is -xi_a'^T p = M
/// xi_a' M^-1 p, since the kinetic energy is invariant.)

#include "energy_momentum_ggl/ggl_corrections.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/applied_friction.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/split_gradient.hpp"
#include "kernels/ggl/constraint_hessians.hpp"
#include "kernels/ggl/frozen_ggl_inverse.hpp"

namespace gnomon::kernels {

class GglEquations final : public TemplatedEquations<GglEquations, true> {
 public:
  static constexpr Index few_unknowns = 60;

  GglEquations(const System& system, const GglRule& rule);

  ApproximateInverse* approximate_inverse() override { return &inverse_; }
  /// For systems whose dF/dx is dearer than a few more iterations.
  ApproximateInverse* simplified_newton() override { return this->size() > few_unknowns ? &inverse_ : nullptr; }

  void begin(const State& z0, double h);

  /// The explicit step with the multipliers of the start and gamma = 0.
  void predict(VectorRef x);
  /// Decides from the start value of a step what its corrections are asked for, see energy_left.hpp.
  void look_at_start(const ConstVectorRef& x);
  /// Whether a solution stands, or is to be found again with the corrections.
  bool stands(const ConstVectorRef& x);
  /// q1 = q0 + h u, p1 = p0 + M y at x + low, at Extended
  void finish(const Vector& x, State& next);
  /// The step's own lambda, of its midpoint.
  void step_multipliers(const Vector& x, Vector& lambda) const { lambda = x.segment(2 * n_, m_) / frame_.h(); }

  void scales(VectorRef columns, VectorRef rows) const override;
  /// Rows F3 of constraints that are not quadratic are evaluated at q1; the corrections carry the rounding of U.
  double rounding_floor() const override;

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f);
  void jacobian(const ConstVectorRef& x, VectorRef values) override;

 private:
  /// F3 of constraints of velocities, after b.middle; b.slide.
  template <class S>
  void set_velocity_rows(GglPoints<S>& b, VectorRefOf<S> f);
  /// Their rows of dF3/du, in place of those of G(q1)
  void differentiate_velocity_rows(const GglPoints<double>& b, Vector& values);
  /// What g_t adds: (Hess g_t,i) gamma_i and its gradient in F2, and its gradient in F4.
  void add_rates(GglPoints<double>& b, VectorRef values);

  /// Work of the force and of moving constraints in the step.
  Work work(const Vector& x);

  bool moving() const { return frame_.times.moving(); }
  bool uses_tangents() const { return rule_.orthogonal && rule_.corrected(); }

  void lay_out();

  const System* system_;
  GglRule rule_;
  StepScales scales_;
  GglFrame frame_;
  const System* mean_;  ///< averaged over the times of the step
  SystemAt& at_;        ///< the same
  SplitGradient split_;
  ConstraintHessians hessians_;
  AppliedForce applied_;
  AppliedForce::Place force_2u_;
  AppliedFriction friction_;
  AppliedFriction::Place friction_place_;
  GglCorrections corrections_;
  FrozenGglInverse inverse_;
  Index n_, m_;
  BlockMap mass_1u_, mass_1y_, mass_2u_, mass_2y_, hessian_1u_, hessian_2u_, hessian_2y_;
  BlockMap g_1gamma_, g_2mu_, g_2gamma_, g_3u_, g_4u_, g_4y_;

  Vector work_, gradient0_, lambda_, g_values_, row_values_, h_values_, h_more_, rows_;
};

}  // namespace gnomon::kernels

extern template class gnomon::TemplatedEquations<gnomon::kernels::GglEquations, true>;
