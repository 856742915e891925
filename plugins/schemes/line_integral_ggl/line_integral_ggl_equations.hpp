#pragma once
/// \file
/// The residual of line-integral-ggl, see line_integral_ggl.cpp for the equations. Unknowns x = [u_j | y_j = M^-1 pi_j
/// | mu_i = h lambda_i | gamma_i]; rows multiplied by M, v_l = v0 + sum_j I_j(c_l) y_j:
///
///     F1_j = M u_j - [j = 0] p0 - sum_i X_ji M y_i - sum_l b_l P_j(c_l) [ G^T gamma ]_l
///     F2_j = M y_j + sum_l b_l P_j(c_l) [ h grad U + G^T mu + h sum_i gamma_i (Hess g_i) v - h Q(q, q', t)
///            - h R(q, q', mu/h) ]_l
///     F3_0 = g(q1)/h       F3_i = sum_l b_l P_i(c_l) [ G q' ]_l                           (0 < i < r)
///     F4_0 = G(q1) v1      F4_i = sum_l b_l P_i(c_l) [ h v.(Hess g) q' + G y' ]_l          (0 < i < r)
///
/// Constraints of velocities, Psi = A(q,t) v + b, have F3_0 = sum_l b_l [ A q' + b ]_l; the rest are those of g with A
/// in place of G and d(A v)/dq in place of v.(Hess g).
///
/// Where U and g depend on time, everything is taken at its node's time, G_t^T gamma joins the force, F4_0 = G v1 + g_t
/// at t1, and g_t joins [ ]_l of F3_i, h r(q, (q' + v)/2) that of F4_i, where r(q, w) = 2 G_t w + g_tt (stage_bias.hpp)
/// is (A_t + db/dq) w + b_t of constraints of velocities; h [A_t v + (db/dq) q' + b_t] differs from that by a multiple
/// of q' - v, which is the small gamma part.

#include <optional>
#include <vector>

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/applied_friction.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/point_at.hpp"
#include "kernels/ggl/constraint_hessians.hpp"
#include "kernels/ggl/frozen_ggl_inverse.hpp"
#include "kernels/line_integral/line_integral_frame.hpp"
#include "kernels/runge_kutta/stage_bias.hpp"
#include "line_integral_ggl/simplified_ggl_inverse.hpp"

namespace gnomon::kernels {

class LineIntegralGglEquations final : public TemplatedEquations<LineIntegralGglEquations, true> {
 public:
  /// Of h in the unknowns mu_i, see line_start.hpp.
  static constexpr int multiplier_power = 1;

  LineIntegralGglEquations(const System& system, Index k, Index s, Index r);

  ApproximateInverse* approximate_inverse() override { return &inverse_; }
  /// Of few constraints.
  ApproximateInverse* simplified_newton() override { return simplified_ ? &*simplified_ : nullptr; }
  Index mu_at(Index i) const { return 2 * s_ * n_ + i * m_; }
  Index y_at(Index j) const { return (s_ + j) * n_; }

  void begin(const State& z0, double h);

  /// The explicit step with the multipliers of the start and gamma = 0.
  void predict(VectorRef x);
  /// lambda at the end of the step, P_i(1) = sqrt(2i + 1).
  void step_multipliers(const Vector& x, Vector& lambda) const;

  /// q1 = q0 + h u_0, p1 = p0 + M y_0 at x + low, at Extended
  void finish(const Vector& x, State& next);
  void scales(VectorRef columns, VectorRef rows) const override;
  double rounding_floor() const override { return scales_.force_floor() + (quadratic_ ? 0 : scales_.position_floor()); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f);
  void jacobian(const ConstVectorRef& x, VectorRef values) override;

 private:
  bool moving() const { return frame_.moving(); }
  /// The work of forces and friction, and of what depends on time.
  void book(const Vector& x, Work& work);
  /// -h R in F2: by q and v on every u_i, by lambda on every mu_i
  void add_friction(Index l, VectorRef values);

  template <class S>
  struct Buffers {
    VectorOf<S> q, v, du, dy, a, push, force, mu, lambda, gamma, rate, row;
    PointAt<S> at;  ///< of q and v
  };
  /// The places of one (stage, stage) or (stage, multiplier) pair in the pattern.
  struct Stages {
    BlockMap mass, hessian;
  };
  struct Multipliers {
    BlockMap u_gamma, y_mu, y_gamma, mu_u, gamma_u, gamma_y;
  };

  /// What the simplified Newton matrix takes from the residual that was evaluated last, at x.
  template <class S>
  void keep(Index l, double t, const Buffers<S>& b);
  template <class X>
  void mark(const X& x);

  Index gamma_at(Index i) const { return 2 * s_ * n_ + (r_ + i) * m_; }
  std::size_t pair(Index j, Index i) const { return static_cast<std::size_t>(j * s_ + i); }
  const Stages& uu(Index j, Index i) const { return uu_[pair(j, i)]; }
  const Stages& yy(Index j, Index i) const { return yy_[pair(j, i)]; }

  /// f = [M (u_j - sum_i X_ji y_i) - [j = 0] p0 | M y_j | 0]: the moments of p(c) are exact, sum_l b_l P_j I_i = X_ji.
  template <class S>
  void add_inertia(const S* x, S* f, Buffers<S>& b) const;
  /// out = M v
  template <class S>
  void mass_times(const S* v, S* out) const;
  template <class S>
  void set_node(const S* x, Index l, Buffers<S>& b) const;
  /// At the node: push = G^T gamma, force = h grad U + G^T mu + h sum_i gamma_i (Hess g_i) v, rate = G q' and
  /// row = G y' + h v.(Hess g) q'.
  template <class S>
  void set_forces(Buffers<S>& b) const;
  /// out = G v with the G of b.at
  template <class S>
  void multiply_jacobian(const Buffers<S>& b, const VectorOf<S>& v, VectorOf<S>& out) const;
  /// q = q1, v = v1, du = u_0
  template <class S, class X>
  void set_end(const X& x, Buffers<S>& b);
  void end_constraints(Buffers<double>& b);
  template <class S>
  void end_constraints(Buffers<S>& b);

  /// h r in F4_i, 0 < i.
  template <class S>
  void add_rates(double t, Index l, Buffers<S>& b, VectorRefOf<S> f);

  /// Through q_l and v_l: d[G^T gamma] = gamma.Hess g h I_i,  d[h H_q + G^T mu + h Psi_q^T gamma] = (h Hess U + mu.Hess
  /// g
  /// + h gamma.D^3 g v) h I_i by u_i and h gamma.Hess g I_i by y_i.
  void add_node_hessians(double t, Index l);
  /// d[G q' + g_t] and d[h v.Hess g q' + G y' + h r] by u_j and y_j.
  void add_node_rows(double t, Index l);
  /// Column `pair` of sum += w values, from entry `first` on
  static void add_scaled(double w, const Vector& values, Matrix& sum, std::size_t pair, Index first = 0);
  /// The sums over the nodes, once a pair of blocks.
  void place_sums(VectorRef values) const;

  void lay_out();

  const System* system_;
  SystemAt at_;
  StepScales scales_;
  ConstraintHessians hessians_;
  AppliedForce applied_;
  AppliedFriction friction_;
  StageBias bias_;
  LineIntegralFrame frame_;
  const LegendreTable& table_;
  FrozenGglInverse inverse_;
  NodeConstraints nodes_;
  std::optional<SimplifiedGglInverse> simplified_;
  StartVelocity v0_;
  Index n_, m_, s_, r_, velocities_;
  bool quadratic_;
  std::vector<Stages> uu_, yy_;
  std::vector<BlockMap> yu_, uy_mass_;
  std::vector<Multipliers> multipliers_;
  std::vector<AppliedForce::Place> force_;
  std::vector<AppliedFriction::Place> friction_places_;

  const State* z0_ = nullptr;
  double h_ = 0, t1_ = 0;
  ForAllScalars<Buffers> buffers_;
  Vector lambda_, g_end0_, gradient0_, work_, no_velocity_;
  Vector g_, dgv_, dgu_, dgy_, third_, rate_, turned_, skew_, h_values_, h_gamma_, h_third_;
  /// Sums over the nodes of a Jacobian, a column a pair (j, i): of the Hessians by u and gamma.Hess g, of the rows of G
  /// with the weights of forces and of the constraint rows, and of their changes; sum_turned_ is sum_rate_ with A'[q']
  /// in place of d(A q')/dq.
  Matrix sum_hessian_, sum_gamma_, sum_g_, sum_turn_, sum_rate_, sum_turned_, sum_change_;
};

}  // namespace gnomon::kernels

extern template class gnomon::TemplatedEquations<gnomon::kernels::LineIntegralGglEquations, true>;
