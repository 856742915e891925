/// \file
/// SystemAt at duals.

#include "gnomon/model/system_at.hpp"

#include "model/fitted_scratch.hpp"

namespace gnomon {

namespace {

void join(const Vector& value, const Vector& tangent, VectorOf<Dual1>& out) {
  out.resize(value.size());
  for (Index i = 0; i < value.size(); ++i) {
    out[i].value = value[i];
    out[i].grad[0] = tangent[i];
  }
}

}  // namespace

SystemAt::SystemAt(const System& system) : system_(&system), parts_(&system.parts()) {}

void SystemAt::split(const VectorOf<Dual1>& x, Vector& value, Vector& tangent) const {
  fit(x.size(), {&value, &tangent});
  for (Index i = 0; i < x.size(); ++i) {
    value[i] = x[i].value;
    tangent[i] = x[i].grad[0];
  }
}

const Vector& SystemAt::jacobian(double t, const Vector& q) {
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  system_->constraint_jacobian(t, q, g_values_);
  return g_values_;
}
const Vector& SystemAt::jacobian_derivative(double t, const Vector& q, const Vector& v) {
  fit(system_->constraint_pattern().nonzeros(), {&dg_values_});
  system_->constraint_jacobian_derivative(t, q, v, dg_values_);
  return dg_values_;
}
const Vector& SystemAt::rate_jacobian(double t, const Vector& q) {
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  parts_->time_dependence->constraint_rate_jacobian(t, q, g_values_);
  return g_values_;
}

Dual1 SystemAt::potential(double t, const VectorOf<Dual1>& q) {
  fit(system_->n(), {&a_});
  split(q, q_, w_);
  system_->potential_gradient(t, q_, a_);
  Dual1 u(system_->potential(t, q_));
  u.grad[0] = a_.dot(w_);
  return u;
}

void SystemAt::potential_gradient(double t, const VectorOf<Dual1>& q, VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_});
  split(q, q_, w_);
  system_->potential_gradient(t, q_, a_);
  system_->potential_hessian_times(t, q_, w_, b_);
  join(a_, b_, out);
}

Dual1 SystemAt::kinetic_energy(const VectorOf<Dual1>& q, const VectorOf<Dual1>& p) {
  fit(system_->n(), {&c_, &d_});
  split(q, q_, w_);
  split(p, a_, b_);
  parts_->mass->kinetic_gradient(q_, a_, c_, d_);
  Dual1 energy(parts_->mass->kinetic_energy(q_, a_));
  energy.grad[0] = c_.dot(w_) + d_.dot(b_);
  return energy;
}

void SystemAt::kinetic_gradient(const VectorOf<Dual1>& q, const VectorOf<Dual1>& p, VectorOf<Dual1>& t_q,
                                VectorOf<Dual1>& t_p) {
  fit(system_->n(), {&c_, &d_, &k_, &l_});
  split(q, q_, w_);
  split(p, a_, b_);
  parts_->mass->kinetic_gradient(q_, a_, c_, d_);
  parts_->mass->kinetic_hessian_times(q_, a_, w_, b_, k_, l_);
  join(c_, k_, t_q);
  join(d_, l_, t_p);
}

void SystemAt::kinetic_hessian_times(const VectorOf<Dual1>& q, const VectorOf<Dual1>& p, const VectorOf<Dual1>& w_q,
                                     const VectorOf<Dual1>& w_p, VectorOf<Dual1>& out_q, VectorOf<Dual1>& out_p) {
  fit(system_->n(), {&k_, &l_});
  split(q, q_, w_);
  split(p, a_, b_);
  split(w_q, e_q_, f_q_);
  split(w_p, c_, d_);
  parts_->mass->kinetic_hessian_times(q_, a_, e_q_, c_, k_, l_);
  for (Index i = 0; i < q.size(); ++i) {
    out_q[i].value = k_[i];
    out_p[i].value = l_[i];
  }
  parts_->mass->kinetic_third(q_, a_, e_q_, c_, w_, b_, k_, l_);
  parts_->mass->kinetic_hessian_times(q_, a_, f_q_, d_, w_, b_);
  for (Index i = 0; i < q.size(); ++i) {
    out_q[i].grad[0] = k_[i] + w_[i];
    out_p[i].grad[0] = l_[i] + b_[i];
  }
}

void SystemAt::force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  fit(system_->n(), {&c_, &d_});
  fit(parts_->force->force_pattern(ForceArgument::q).nonzeros(), {&force_q_});
  fit(parts_->force->force_pattern(ForceArgument::v).nonzeros(), {&force_v_});
  split(q, q_, w_);
  split(v, a_, b_);
  parts_->force->force_jacobian(ForceArgument::q, t, q_, a_, force_q_);
  multiply(parts_->force->force_pattern(ForceArgument::q), force_q_, w_, c_);
  parts_->force->force_jacobian(ForceArgument::v, t, q_, a_, force_v_);
  multiply(parts_->force->force_pattern(ForceArgument::v), force_v_, b_, d_);
  c_ += d_;
  parts_->force->force(t, q_, a_, d_);
  join(d_, c_, out);
}

void SystemAt::constraints(double t, const VectorOf<Dual1>& q, VectorOf<Dual1>& out) {
  fit(system_->m(), {&e_, &f_});
  split(q, q_, w_);
  system_->constraints(t, q_, e_);
  multiply(system_->constraint_pattern(), jacobian(t, q_), w_, f_);
  f_.tail(parts_->n_velocity_constraints()).setZero();  // which have no value
  join(e_, f_, out);
}

void SystemAt::constraint_jacobian_change(double t, const Vector& q, const Vector& w, Vector& values) {
  if (parts_->velocity_constraints) {
    fit(q.size(), {&zero_});
    fit(values.size(), {&dg_values_});
    parts_->velocity_constraints->constraint_turn(t, q, w, values);
    parts_->velocity_constraints->constraint_turn(t, q, zero_, dg_values_);
    values -= dg_values_;
  } else {
    system_->constraint_jacobian_derivative(t, q, w, values);
  }
}

void SystemAt::constraint_force(double t, const Vector& q, const Vector& lambda, Vector& out) {
  multiply_transposed(system_->constraint_pattern(), jacobian(t, q), lambda, out);
}

void SystemAt::constraint_force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                                VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_, &c_});
  split(q, q_, w_);
  split(lambda, lambda_, mu_);
  multiply_transposed(system_->constraint_pattern(), jacobian(t, q_), lambda_, a_);
  multiply_transposed(system_->constraint_pattern(), g_values_, mu_, b_);
  system_->constraint_hessian_times(t, q_, lambda_, w_, c_);
  b_ += c_;
  join(a_, b_, out);
}

void SystemAt::constraint_products(double t, const Vector& q, const Vector& lambda, const Vector& v, Vector& force,
                                   Vector& product) {
  multiply_transposed(system_->constraint_pattern(), jacobian(t, q), lambda, force);
  multiply(system_->constraint_pattern(), g_values_, v, product);
}

void SystemAt::constraint_jacobian_times(double t, const Vector& q, const Vector& v, Vector& out) {
  multiply(system_->constraint_pattern(), jacobian(t, q), v, out);
}

void SystemAt::constraint_jacobian_times(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v,
                                         VectorOf<Dual1>& out) {
  fit(system_->m(), {&mu_, &e_, &f_});
  split(q, q_, w_);
  split(v, a_, b_);
  const SparsityPattern& pattern = system_->constraint_pattern();
  multiply(pattern, jacobian(t, q_), a_, e_);
  multiply(pattern, g_values_, b_, f_);
  multiply(pattern, jacobian_derivative(t, q_, a_), w_, mu_);
  f_ += mu_;
  join(e_, f_, out);
}

void SystemAt::constraint_hessian_times(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                                        const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_});
  fit(system_->constraint_pattern().nonzeros(), {&dg_values_});
  split(q, q_, w_);
  split(lambda, lambda_, mu_);
  split(v, c_, d_);
  system_->constraint_hessian_times(t, q_, lambda_, d_, b_);
  system_->constraint_hessian_times(t, q_, mu_, c_, a_);
  b_ += a_;
  system_->constraint_third(t, q_, c_, w_, dg_values_);  // row i = (D^3 g_i)(v, dq, .)
  multiply_transposed(system_->constraint_pattern(), dg_values_, lambda_, a_);
  b_ += a_;
  system_->constraint_hessian_times(t, q_, lambda_, c_, a_);
  join(a_, b_, out);
}

void SystemAt::velocity_row_gradient(double t, const Vector& q, const Vector& lambda, const Vector& v, Vector& out) {
  multiply_transposed(system_->constraint_pattern(), jacobian_derivative(t, q, v), lambda, out);
}

void SystemAt::velocity_row_gradient(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                                     const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_, &k_});
  const SparsityPattern& pattern = system_->constraint_pattern();
  split(q, q_, w_);
  split(lambda, lambda_, mu_);
  split(v, c_, d_);
  multiply_transposed(pattern, jacobian_derivative(t, q_, d_), lambda_, b_);
  system_->constraint_third(t, q_, c_, w_, dg_values_);
  multiply_transposed(pattern, dg_values_, lambda_, k_);
  b_ += k_;
  multiply_transposed(pattern, jacobian_derivative(t, q_, c_), mu_, k_);
  b_ += k_;
  multiply_transposed(pattern, dg_values_, lambda_, a_);
  join(a_, b_, out);
}

void SystemAt::constraint_velocity(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  fit(system_->m(), {&e_, &f_});
  if (!parts_->time_dependence) return constraint_jacobian_times(t, q, v, out);
  const SparsityPattern& pattern = system_->constraint_pattern();
  split(q, q_, w_);
  split(v, a_, b_);
  multiply(pattern, jacobian_derivative(t, q_, a_), w_, e_);
  multiply(pattern, rate_jacobian(t, q_), w_, f_);
  e_ += f_;
  multiply(pattern, jacobian(t, q_), b_, f_);
  e_ += f_;
  system_->constraint_velocity(t, q_, a_, f_);
  join(f_, e_, out);
}

void SystemAt::constraint_rate_force(double t, const Vector& q, const Vector& lambda, Vector& out) {
  multiply_transposed(system_->constraint_pattern(), rate_jacobian(t, q), lambda, out);
}

void SystemAt::constraint_rate_force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                                     VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_, &c_});
  fit(system_->hessian_pattern().nonzeros(), {&hessian_values_});
  split(q, q_, w_);
  split(lambda, lambda_, mu_);
  multiply_transposed(system_->constraint_pattern(), rate_jacobian(t, q_), lambda_, a_);
  multiply_transposed(system_->constraint_pattern(), g_values_, mu_, b_);
  parts_->time_dependence->constraint_rate_hessian(t, q_, lambda_, hessian_values_);
  multiply(system_->hessian_pattern(), hessian_values_, w_, c_);
  b_ += c_;
  join(a_, b_, out);
}

void SystemAt::constraint_curvature(double t, const Vector& q, const Vector& v, const Vector& w, Vector& out) {
  multiply(system_->constraint_pattern(), jacobian_derivative(t, q, v), w, out);
}

void SystemAt::constraint_curvature(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v,
                                    const VectorOf<Dual1>& w, VectorOf<Dual1>& out) {
  fit(system_->m(), {&mu_, &e_, &f_});
  fit(system_->constraint_pattern().nonzeros(), {&dg_values_});
  const SparsityPattern& pattern = system_->constraint_pattern();
  split(q, q_, w_);
  split(v, a_, b_);
  split(w, c_, d_);
  system_->constraint_third(t, q_, a_, c_, dg_values_);
  multiply(pattern, dg_values_, w_, f_);
  multiply(pattern, jacobian_derivative(t, q_, b_), c_, mu_);
  f_ += mu_;
  multiply(pattern, jacobian_derivative(t, q_, a_), d_, mu_);
  f_ += mu_;
  multiply(pattern, dg_values_, c_, e_);
  join(e_, f_, out);
}

void SystemAt::mass_times(const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_});
  split(v, q_, w_);
  system_->mass().apply(q_, a_);
  system_->mass().apply(w_, b_);
  join(a_, b_, out);
}

void SystemAt::regular_potential_gradient(double t, const VectorOf<Dual1>& q, VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_});
  fit(system_->m(), {&lambda_zero_});
  fit(parts_->n_invariants(), {&c_zero_});
  fit(system_->hessian_pattern().nonzeros(), {&hessian_values_});
  split(q, q_, w_);
  parts_->split->regular_potential_gradient(t, q_, a_);
  parts_->split->split_hessian(t, q_, c_zero_, lambda_zero_, hessian_values_);
  multiply(system_->hessian_pattern(), hessian_values_, w_, b_);
  join(a_, b_, out);
}

void SystemAt::invariants(const VectorOf<Dual1>& q, VectorOf<Dual1>& out) {
  fit(parts_->n_invariants(), {&pi_, &dpi_});
  fit(parts_->split->invariant_pattern().nonzeros(), {&pi_values_});
  split(q, q_, w_);
  parts_->split->invariants(q_, pi_);
  parts_->split->invariant_jacobian(q_, pi_values_);
  multiply(parts_->split->invariant_pattern(), pi_values_, w_, dpi_);
  join(pi_, dpi_, out);
}

void SystemAt::invariant_force(const Vector& q, const Vector& c, Vector& out) {
  fit(parts_->split->invariant_pattern().nonzeros(), {&pi_values_});
  parts_->split->invariant_jacobian(q, pi_values_);
  multiply_transposed(parts_->split->invariant_pattern(), pi_values_, c, out);
}

void SystemAt::invariant_force(const VectorOf<Dual1>& q, const VectorOf<Dual1>& c, VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_, &c_});
  fit(parts_->split->invariant_pattern().nonzeros(), {&pi_values_});
  split(q, q_, w_);
  split(c, pi_, dpi_);
  const SparsityPattern& pattern = parts_->split->invariant_pattern();
  parts_->split->invariant_jacobian(q_, pi_values_);
  multiply_transposed(pattern, pi_values_, pi_, a_);
  multiply_transposed(pattern, pi_values_, dpi_, b_);
  // d/dq (sum_k c_k grad pi_k) w = sum_k c_k (grad pi_k(q + w) - grad pi_k(q)) exactly, since every pi_k is quadratic.
  q_ += w_;
  parts_->split->invariant_jacobian(q_, pi_values_);
  multiply_transposed(pattern, pi_values_, pi_, c_);
  b_ += c_ - a_;
  join(a_, b_, out);
}

}  // namespace gnomon
