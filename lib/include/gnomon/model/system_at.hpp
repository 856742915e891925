#pragma once
/// \file
/// A System evaluated at double or, through its directional derivatives, at one-direction duals and, to first order
/// from the rounded position, at Extended. Scheme residuals are templates over the scalar; this is what they call.

#include "gnomon/formula/dual.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

/// out = A x and out = A^T y for a pattern with values.
GNOMON_EXPORT void multiply(const SparsityPattern& a, const VectorOf<Extended>& values, const VectorOf<Extended>& x,
                            VectorOf<Extended>& out);
GNOMON_EXPORT void multiply_transposed(const SparsityPattern& a, const VectorOf<Extended>& values,
                                       const VectorOf<Extended>& y, VectorOf<Extended>& out);

/// out += factor A for a pattern with values, out a dense matrix or a block of one.
template <class Out>
void add_dense(const SparsityPattern& a, const Vector& values, double factor, Out&& out) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.offsets[i]; k < a.offsets[i + 1]; ++k) out(i, a.indices[k]) += factor * values[k];
}

/// Functions of a part (parts.hpp) are for systems that have it. Owns the scratch of one scheme's evaluations; not for
/// use by two threads at once.
class GNOMON_EXPORT SystemAt {
 public:
  explicit SystemAt(const System& system);
  const System& system() const { return *system_; }

  double potential(double t, const Vector& q) { return system_->potential(t, q); }
  Dual1 potential(double t, const VectorOf<Dual1>& q);

  void potential_gradient(double t, const Vector& q, Vector& out) { system_->potential_gradient(t, q, out); }
  void potential_gradient(double t, const VectorOf<Dual1>& q, VectorOf<Dual1>& out);
  void potential_gradient(double t, const VectorOf<Extended>& q, VectorOf<Extended>& out);

  void constraints(double t, const Vector& q, Vector& out) { system_->constraints(t, q, out); }
  void constraints(double t, const VectorOf<Dual1>& q, VectorOf<Dual1>& out);
  void constraints(double t, const VectorOf<Extended>& q, VectorOf<Extended>& out);

  /// values = G(q) on the constraint pattern
  void constraint_jacobian(double t, const Vector& q, Vector& values) { system_->constraint_jacobian(t, q, values); }
  void constraint_jacobian(double t, const VectorOf<Extended>& q, VectorOf<Extended>& values);
  /// values = d G(q + e w)/de
  void constraint_jacobian_change(double t, const Vector& q, const Vector& w, Vector& values);
  /// out = G(q)^T lambda
  void constraint_force(double t, const Vector& q, const Vector& lambda, Vector& out);
  void constraint_force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda, VectorOf<Dual1>& out);
  void constraint_force(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                        VectorOf<Extended>& out);

  /// out = G(q) v
  void constraint_jacobian_times(double t, const Vector& q, const Vector& v, Vector& out);
  void constraint_jacobian_times(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  void constraint_jacobian_times(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v,
                                 VectorOf<Extended>& out);

  /// force = G(q)^T lambda and product = G(q) v
  void constraint_products(double t, const Vector& q, const Vector& lambda, const Vector& v, Vector& force,
                           Vector& product);
  template <class S>
  void constraint_products(double t, const VectorOf<S>& q, const VectorOf<S>& lambda, const VectorOf<S>& v,
                           VectorOf<S>& force, VectorOf<S>& product) {
    constraint_force(t, q, lambda, force);
    constraint_jacobian_times(t, q, v, product);
  }

  /// out = sum_i lambda_i (Hess g_i)(q) v
  void constraint_hessian_times(double t, const Vector& q, const Vector& lambda, const Vector& v, Vector& out) {
    system_->constraint_hessian_times(t, q, lambda, v, out);
  }
  void constraint_hessian_times(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                                const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  /// At the rounded point: lambda is the small multiplier of a hidden constraint, of order h^2.
  void constraint_hessian_times(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                                const VectorOf<Extended>& v, VectorOf<Extended>& out);

  /// out = (d(G v)/dq)^T lambda, the gradient of lambda.(G v). Of constraints of positions it is
  /// constraint_hessian_times, of those of velocities it is not.
  template <class S>
  void hidden_gradient(double t, const VectorOf<S>& q, const VectorOf<S>& lambda, const VectorOf<S>& v,
                       VectorOf<S>& out) {
    if (parts_->velocity_constraints)
      velocity_row_gradient(t, q, lambda, v, out);
    else
      constraint_hessian_times(t, q, lambda, v, out);
  }

  /// out = G v + dg/dt
  void constraint_velocity(double t, const Vector& q, const Vector& v, Vector& out) {
    system_->constraint_velocity(t, q, v, out);
  }
  void constraint_velocity(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  void constraint_velocity(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v, VectorOf<Extended>& out);
  /// out = (dG/dt)^T lambda
  void constraint_rate_force(double t, const Vector& q, const Vector& lambda, Vector& out);
  void constraint_rate_force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda, VectorOf<Dual1>& out);
  void constraint_rate_force(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                             VectorOf<Extended>& out);

  /// out_i = v^T (Hess g_i)(q) w, of every row (d(G v)/dq w)_i
  void constraint_curvature(double t, const Vector& q, const Vector& v, const Vector& w, Vector& out);
  void constraint_curvature(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, const VectorOf<Dual1>& w,
                            VectorOf<Dual1>& out);
  void constraint_curvature(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v,
                            const VectorOf<Extended>& w, VectorOf<Extended>& out);

  /// out = M v, for constant mass
  void mass_times(const Vector& v, Vector& out) { system_->mass().apply(v, out); }
  void mass_times(const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  void mass_times(const VectorOf<Extended>& v, VectorOf<Extended>& out) const;

  /// T(q,p) and its gradient, for a mass that depends on q.
  double kinetic_energy(const Vector& q, const Vector& p) { return parts_->mass->kinetic_energy(q, p); }
  Dual1 kinetic_energy(const VectorOf<Dual1>& q, const VectorOf<Dual1>& p);
  void kinetic_gradient(const Vector& q, const Vector& p, Vector& t_q, Vector& t_p) {
    parts_->mass->kinetic_gradient(q, p, t_q, t_p);
  }
  void kinetic_gradient(const VectorOf<Dual1>& q, const VectorOf<Dual1>& p, VectorOf<Dual1>& t_q, VectorOf<Dual1>& t_p);
  void kinetic_gradient(const VectorOf<Extended>& q, const VectorOf<Extended>& p, VectorOf<Extended>& t_q,
                        VectorOf<Extended>& t_p);
  /// [out_q; out_p] = (Hess T) [w_q; w_p]
  void kinetic_hessian_times(const Vector& q, const Vector& p, const Vector& w_q, const Vector& w_p, Vector& out_q,
                             Vector& out_p) {
    parts_->mass->kinetic_hessian_times(q, p, w_q, w_p, out_q, out_p);
  }
  void kinetic_hessian_times(const VectorOf<Dual1>& q, const VectorOf<Dual1>& p, const VectorOf<Dual1>& w_q,
                             const VectorOf<Dual1>& w_p, VectorOf<Dual1>& out_q, VectorOf<Dual1>& out_p);
  void kinetic_hessian_times(const VectorOf<Extended>& q, const VectorOf<Extended>& p, const VectorOf<Extended>& w_q,
                             const VectorOf<Extended>& w_p, VectorOf<Extended>& out_q, VectorOf<Extended>& out_p);
  /// [out_q; out_p] = (Hess T) [0; w]
  template <class S>
  void kinetic_hessian_times(const VectorOf<S>& q, const VectorOf<S>& p, const VectorOf<S>& w, VectorOf<S>& out_q,
                             VectorOf<S>& out_p) {
    auto& rest = rest_.template get<S>();
    if (rest.size() != q.size()) rest.setConstant(q.size(), S(0.0));
    kinetic_hessian_times(q, p, rest, w, out_q, out_p);
  }
  /// The same at double, all columns: Hess T, and the derivative of (Hess T) [0; w] by (q,p), 2n x 2n
  void kinetic_hessian(const Vector& q, const Vector& p, Matrix& out) {
    columns_.resize(3 * q.size());
    parts_->mass->kinetic_hessian(q, p, columns_, out);
  }
  void velocity_hessian(const Vector& q, const Vector& p, const Vector& w, Matrix& out) {
    columns_.resize(3 * q.size());
    parts_->mass->velocity_hessian(q, p, w, columns_, out);
  }

  /// out = Q(q,v,t)
  void force(double t, const Vector& q, const Vector& v, Vector& out) { parts_->force->force(t, q, v, out); }
  void force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  /// To first order from the rounded point: a force that jumps where rounding does would end refinement early.
  void force(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v, VectorOf<Extended>& out);

  /// out = grad U2, the part of the potential outside the quadratic invariants
  void regular_potential_gradient(double t, const Vector& q, Vector& out) {
    parts_->split->regular_potential_gradient(t, q, out);
  }
  void regular_potential_gradient(double t, const VectorOf<Dual1>& q, VectorOf<Dual1>& out);
  void invariants(const Vector& q, Vector& out) { parts_->split->invariants(q, out); }
  void invariants(const VectorOf<Dual1>& q, VectorOf<Dual1>& out);
  /// out = sum_k c_k grad pi_k(q)
  void invariant_force(const Vector& q, const Vector& c, Vector& out);
  void invariant_force(const VectorOf<Dual1>& q, const VectorOf<Dual1>& c, VectorOf<Dual1>& out);

 private:
  void split(const VectorOf<Dual1>& x, Vector& value, Vector& tangent) const;
  void split(const VectorOf<Extended>& x, Vector& value, Vector& tail) const;
  static void split(const VectorOf<Extended>& x, VectorOf<Dual1>& value_and_tail);
  static void sum(const VectorOf<Dual1>& value_and_change, VectorOf<Extended>& out);

  /// Into q_, lambda_ and c_.
  void round(const VectorOf<Extended>& q, const VectorOf<Extended>& lambda, const VectorOf<Extended>& v);
  void velocity_row_gradient(double t, const Vector& q, const Vector& lambda, const Vector& v, Vector& out);
  void velocity_row_gradient(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                             const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  void velocity_row_gradient(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                             const VectorOf<Extended>& v, VectorOf<Extended>& out);

  /// G and its derivative along v, in g_values_ and dg_values_, and dG/dt, in g_values_.
  const Vector& jacobian(double t, const Vector& q);
  const Vector& jacobian_derivative(double t, const Vector& q, const Vector& v);
  const Vector& rate_jacobian(double t, const Vector& q);

  const System* system_;
  const Parts* parts_;
  Vector q_, w_, a_, b_, c_, d_, e_q_, f_q_, k_, l_, zero_;  // length n
  Vector lambda_, mu_, e_, f_;                               // length m
  Vector g_values_, dg_values_, change_values_;              // on the constraint pattern
  Vector pi_, dpi_, pi_values_;                              // invariants
  Vector c_zero_, lambda_zero_, hessian_values_;
  Vector force_q_, force_v_;  // on the patterns of the force
  Vector columns_;            // length 3n
  ForAllScalars<VectorOf> rest_;
  VectorOf<Extended> extended_values_, extended_gradient_;
  VectorOf<Dual1> q_dual_, v_dual_, w_dual_, turn_dual_, out_dual_, momentum_dual_, lambda_dual_,
      row_dual_;  // of first-order forms
};

}  // namespace gnomon
