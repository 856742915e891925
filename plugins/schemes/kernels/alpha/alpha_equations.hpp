#pragma once
/// \file
/// The equation of the alpha-schemes at the node x = x^n, for constant mass, in momentum units (alpha_frame.hpp):
///
///     F = M delta/h + h [(alpha - 1/4) A delta + DU(m-, m+) + G^T F - Q(x, v, t) - R(x, v, F)] = 0
///         v = (d+ + d-)/(2h), friction R where the multipliers are unknown
///         g(x^{n+1}) = 0   where the multipliers are unknown
///
/// A = Hess U2, U2 the quadratic part of U. For quadratic U this is (16): A m = A x + A delta/4 makes
/// A (x + alpha delta) with the first term. Multiplied by v it gives, exactly,
///
///     E(n+1/2) - E(n-1/2) = (Q + R).(d+ + d-)/2,
///     E(n+1/2) = [M d+.d+/h^2 + (alpha - 1/4) A d+.d+]/2 + U(m+) + P(m+)
///
/// which is (19) with h^2 (alpha - 1/4) A in (18), and V(m+) for the nonlinear part. U(m+, t_n + h/2) - U(m+, t_n) and
/// the like at m- is work too, where U depends on time. Solutions are x + low(), refined at Extended: what a residual
/// leaves is energy, of a stiff penalty in every step. Source: Glowinski, Holmstroem, (16), (19), (31).

#include <limits>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/alpha/alpha_multiplier.hpp"
#include "kernels/alpha/alpha_potential.hpp"
#include "kernels/alpha/alpha_rule.hpp"
#include "kernels/alpha/alpha_split_form.hpp"
#include "kernels/common/applied_friction.hpp"
#include "kernels/common/step_scales.hpp"

namespace gnomon::kernels {

class AlphaEquations final : public TemplatedEquations<AlphaEquations, true>, public AlphaSplitForm {
 public:
  AlphaEquations(const System& system, const AlphaRule& rule);

  const System& model() const { return *system_; }
  const AlphaFrame& frame() const { return frame_; }
  AlphaMultiplier& multiplier() { return multiplier_; }
  /// The largest step with bounded solutions, (23): h < 2/[lambda_max(M^-1 A) (1 - 4 alpha)]^(1/2); else infinity.
  double limit() const { return limit_; }

  /// Once a step, before place_node().
  void begin(const State& z0, double h);
  /// A penalty with frequencies above 1/h.
  bool stiff() const { return stiff_; }
  /// The times of the nodes before and after the one that place_node() sets next.
  void place_times(double before, double end);
  /// The node at which the next solve is.
  void place_node(double t, const Compensated& x, const Compensated& base, double sigma);

  /// delta = h^2 x'' of the equations of motion with these multipliers.
  void predict(const Vector& lambda, VectorRef x);
  void scales(VectorRef columns, VectorRef rows) const override;
  double rounding_floor() const override { return floor_; }

  /// F at x + low(), the multipliers of constraints and obstacles; also evaluates end_constraints().
  const Vector& effective_multiplier(const Vector& x);

  /// G((x^{n+1} + x^{n-1})/2) and G(x^{n+1}) of a solution, on the constraint pattern.
  void constraint_jacobians(const Vector& x, Vector& centre, Vector& end);

  /// E(n+1/2) - E(n-1/2) at x + low(): what the force and the time in U, P and g do.
  double work(const Vector& x);

  /// E(n+1/2) with d+ = d + d_tail from the node q.
  long double energy(double t, const Compensated& q, const ConstVectorRef& d, const ConstVectorRef& d_tail, double h);

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f);

  /// dF = M/h + h [(alpha - 1/4) A + (Hess U2 + sum_k c_k Hess pi_k)/4 + ... - (2 sigma - 1)/(2h) dQ/dv]
  void jacobian(const ConstVectorRef& x, VectorRef values) override;

 private:
  bool has_force() const { return system_->parts().force; }

  void lay_out();

  /// A, which is constant, its stability limit, and the largest |A|_row / mass^(1/2): what a rounding error of q does
  /// to a row.
  void find_quadratic_part(const State& z0);
  /// base_ = M/h + h alpha A
  void find_base();

  /// h^2 (G M^-1 G^T)_ii w_i/eps at most
  double penalty_stiffness(double h) const;

  /// The points of x + low(), which is put into solution_.
  AlphaPoint<Extended>& place_solution(const Vector& x);
  /// Q(x, v, t) of placed points
  template <class S>
  const VectorOf<S>& applied(const AlphaPoint<S>& b);
  /// R(x, v, F) of placed points, after multiplier_.evaluate()
  template <class S>
  const VectorOf<S>& rubbed(const AlphaPoint<S>& b);
  /// (d+ + d-)/(2h)
  template <class S>
  const VectorOf<S>& central_velocity(const AlphaPoint<S>& b);
  Extended penalty(double t, const VectorOf<Extended>& q);
  Extended potential(double t, const VectorOf<Extended>& q);

  template <class S>
  void add_quadratic_part(const VectorOf<S>& delta, typename DualBase<S>::type factor, VectorRefOf<S> f) const;
  template <class S>
  const VectorOf<S>& node() const;

  const Vector& quadratic_part() const override { return quadratic_part_; }

  const System* system_;
  SystemAt at_;
  AlphaRule rule_;
  double shift_;  ///< alpha - 1/4
  AlphaPotential potential_;
  AlphaMultiplier multiplier_;
  AppliedFriction friction_;
  AppliedFriction::Place friction_place_;
  StepScales scales_;
  Index n_;
  AlphaFrame frame_;
  bool stiff_ = false;
  bool constant_part_;  ///< the Jacobian but for constraints and forces depends on h only
  double base_h_ = 0;
  double floor_ = thresholds::residual_rounding, stiffness_ = 0, limit_ = std::numeric_limits<double>::infinity();
  BlockMap mass_, hessian_, force_map_;
  std::vector<Index> outer_;
  ForAllScalars<AlphaPoint> points_;
  ForAllScalars<VectorOf> velocity_, force_;
  VectorOf<Dual1> node_dual_;
  VectorOf<Extended> node_extended_, solution_, extended_rows_;
  Vector quadratic_part_, base_, hessian_values_, force_values_, lambda_, none_, rows_, position_, tail_, work_;
};

}  // namespace gnomon::kernels

extern template class gnomon::TemplatedEquations<gnomon::kernels::AlphaEquations, true>;
