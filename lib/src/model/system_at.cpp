#include "gnomon/model/system_at.hpp"

#include <initializer_list>

namespace gnomon {

namespace {

/// Scratch is sized where it is first used: a scheme uses few of these functions, and at one or two of the scalars.
void fit(Index size, std::initializer_list<Vector*> scratch) {
  for (Vector* v : scratch)
    if (v->size() != size) v->setZero(size);
}

void join(const Vector& value, const Vector& tangent, VectorOf<Dual1>& out) {
  out.resize(value.size());
  for (Index i = 0; i < value.size(); ++i) {
    out[i].value = value[i];
    out[i].grad[0] = tangent[i];
  }
}

}  // namespace

void multiply(const SparsityPattern& a, const VectorOf<Extended>& values, const VectorOf<Extended>& x,
              VectorOf<Extended>& out) {
  // Through plain pointers: the compiler need not read them again after each entry of the result.
  const Index *const offset = a.offsets.data(), *const index = a.indices.data(), rows = a.rows;
  const Extended *const value = values.data(), *const from = x.data();
  Extended* const to = out.data();
  for (Index i = 0; i < rows; ++i) {
    Extended sum = 0;
    for (Index k = offset[i]; k < offset[i + 1]; ++k) sum += value[k] * from[index[k]];
    to[i] = sum;
  }
}

void multiply_transposed(const SparsityPattern& a, const VectorOf<Extended>& values, const VectorOf<Extended>& y,
                         VectorOf<Extended>& out) {
  out.setZero();
  const Index *const offset = a.offsets.data(), *const index = a.indices.data(), rows = a.rows;
  const Extended *const value = values.data(), *const from = y.data();
  Extended* const to = out.data();
  for (Index i = 0; i < rows; ++i) {
    const Extended yi = from[i];
    for (Index k = offset[i]; k < offset[i + 1]; ++k) to[index[k]] += value[k] * yi;
  }
}

SystemAt::SystemAt(const System& system) : system_(&system), parts_(&system.parts()) {}

void SystemAt::split(const VectorOf<Dual1>& x, Vector& value, Vector& tangent) const {
  fit(x.size(), {&value, &tangent});
  for (Index i = 0; i < x.size(); ++i) {
    value[i] = x[i].value;
    tangent[i] = x[i].grad[0];
  }
}

void SystemAt::split(const VectorOf<Extended>& x, Vector& value, Vector& tail) const {
  fit(x.size(), {&value, &tail});
  for (Index i = 0; i < x.size(); ++i) {
    const double high = static_cast<double>(x[i]);
    value[i] = high;
    tail[i] = static_cast<double>(x[i] - high);
  }
}

void SystemAt::split(const VectorOf<Extended>& x, VectorOf<Dual1>& value_and_tail) {
  value_and_tail.resize(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    value_and_tail[i].value = static_cast<double>(x[i]);
    value_and_tail[i].grad[0] = static_cast<double>(x[i] - value_and_tail[i].value);
  }
}

void SystemAt::sum(const VectorOf<Dual1>& value_and_change, VectorOf<Extended>& out) {
  for (Index i = 0; i < out.size(); ++i) out[i] = Extended(value_and_change[i].value) + value_and_change[i].grad[0];
}

void SystemAt::potential_gradient(double t, const VectorOf<Extended>& q, VectorOf<Extended>& out) {
  split(q, q_, w_);
  if (parts_->extended && parts_->extended->extended_gradient(t, q_, w_, out)) return;
  fit(system_->n(), {&a_, &b_});
  system_->potential_gradient(t, q_, a_);
  system_->potential_hessian_times(t, q_, w_, b_);
  out = a_.cast<Extended>() + b_.cast<Extended>();
}

void SystemAt::constraints(double t, const VectorOf<Extended>& q, VectorOf<Extended>& out) {
  fit(system_->m(), {&e_});
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  split(q, q_, w_);
  system_->constraints_compensated(t, q_, w_, e_, g_values_);
  out = e_.cast<Extended>();
}

void SystemAt::constraint_jacobian(double t, const VectorOf<Extended>& q, VectorOf<Extended>& values) {
  split(q, q_, w_);
  if (parts_->extended && parts_->extended->extended_jacobian(t, q_, w_, values)) return;
  fit(system_->constraint_pattern().nonzeros(), {&g_values_, &dg_values_});
  system_->constraint_jacobian(t, q_, g_values_);
  system_->constraint_jacobian_derivative(t, q_, w_, dg_values_);
  values = g_values_.cast<Extended>() + dg_values_.cast<Extended>();
}

void SystemAt::constraint_force(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                                VectorOf<Extended>& out) {
  extended_values_.resize(system_->constraint_pattern().nonzeros());
  constraint_jacobian(t, q, extended_values_);
  multiply_transposed(system_->constraint_pattern(), extended_values_, lambda, out);
}

void SystemAt::constraint_jacobian_times(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v,
                                         VectorOf<Extended>& out) {
  extended_values_.resize(system_->constraint_pattern().nonzeros());
  constraint_jacobian(t, q, extended_values_);
  multiply(system_->constraint_pattern(), extended_values_, v, out);
}

void SystemAt::mass_times(const VectorOf<Extended>& v, VectorOf<Extended>& out) const {
  const SparsityPattern& m = system_->mass().pattern();
  const Vector& values = system_->mass().values();
  if (system_->mass().is_diagonal()) {
    out = v.cwiseProduct(values.cast<Extended>());
    return;
  }
  for (Index i = 0; i < m.rows; ++i) {
    Extended sum = 0;
    for (Index k = m.offsets[i]; k < m.offsets[i + 1]; ++k) sum += v[m.indices[k]] * values[k];
    out[i] = sum;
  }
}

void SystemAt::force(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v, VectorOf<Extended>& out) {
  out_dual_.resize(system_->n());
  split(q, q_dual_);
  split(v, v_dual_);
  force(t, q_dual_, v_dual_, out_dual_);
  sum(out_dual_, out);
}

void SystemAt::constraint_hessian_times(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                                        const VectorOf<Extended>& v, VectorOf<Extended>& out) {
  fit(system_->n(), {&q_, &a_, &c_});
  fit(system_->m(), {&lambda_});
  q_ = q.cast<double>();
  lambda_ = lambda.cast<double>();
  c_ = v.cast<double>();
  system_->constraint_hessian_times(t, q_, lambda_, c_, a_);
  out = a_.cast<Extended>();
}

void SystemAt::constraint_velocity(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v,
                                   VectorOf<Extended>& out) {
  fit(system_->n(), {&zero_});
  fit(system_->m(), {&e_, &f_});
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  constraint_jacobian_times(t, q, v, out);
  if (!parts_->time_dependence) return;
  split(q, q_, w_);
  system_->constraint_velocity(t, q_, zero_, e_);
  parts_->time_dependence->constraint_rate_jacobian(t, q_, g_values_);
  multiply(system_->constraint_pattern(), g_values_, w_, f_);
  out += e_.cast<Extended>() + f_.cast<Extended>();
}

void SystemAt::constraint_rate_force(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                                     VectorOf<Extended>& out) {
  out_dual_.resize(system_->n());
  split(q, q_dual_);
  split(lambda, lambda_dual_);
  constraint_rate_force(t, q_dual_, lambda_dual_, out_dual_);
  sum(out_dual_, out);
}

void SystemAt::constraint_curvature(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v,
                                    const VectorOf<Extended>& w, VectorOf<Extended>& out) {
  row_dual_.resize(system_->m());
  split(q, q_dual_);
  split(v, v_dual_);
  split(w, w_dual_);
  constraint_curvature(t, q_dual_, v_dual_, w_dual_, row_dual_);
  sum(row_dual_, out);
}

void SystemAt::kinetic_gradient(const VectorOf<Extended>& q, const VectorOf<Extended>& p, VectorOf<Extended>& t_q,
                                VectorOf<Extended>& t_p) {
  fit(system_->n(), {&c_, &d_, &k_, &l_});
  extended_gradient_.resize(2 * system_->n());
  split(q, q_, w_);
  split(p, a_, b_);
  if (parts_->mass->extended_kinetic_gradient(q_, w_, a_, b_, extended_gradient_)) {
    t_q = extended_gradient_.head(q.size());
    t_p = extended_gradient_.tail(q.size());
    return;
  }
  parts_->mass->kinetic_gradient(q_, a_, c_, d_);
  parts_->mass->kinetic_hessian_times(q_, a_, w_, b_, k_, l_);
  t_q = c_.cast<Extended>() + k_.cast<Extended>();
  t_p = d_.cast<Extended>() + l_.cast<Extended>();
}

void SystemAt::kinetic_hessian_times(const VectorOf<Extended>& q, const VectorOf<Extended>& p,
                                     const VectorOf<Extended>& w, VectorOf<Extended>& out_q,
                                     VectorOf<Extended>& out_p) {
  out_dual_.resize(system_->n());
  momentum_dual_.resize(system_->n());
  split(q, q_dual_);
  split(p, v_dual_);
  split(w, w_dual_);
  kinetic_hessian_times(q_dual_, v_dual_, w_dual_, out_dual_, momentum_dual_);
  sum(out_dual_, out_q);
  sum(momentum_dual_, out_p);
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
  fit(system_->n(), {&c_, &d_});
  split(q, q_, w_);
  split(p, a_, b_);
  parts_->mass->kinetic_gradient(q_, a_, c_, d_);
  for (Index i = 0; i < q.size(); ++i) {
    t_q[i].value = c_[i];
    t_p[i].value = d_[i];
  }
  parts_->mass->kinetic_hessian_times(q_, a_, w_, b_, c_, d_);
  for (Index i = 0; i < q.size(); ++i) {
    t_q[i].grad[0] = c_[i];
    t_p[i].grad[0] = d_[i];
  }
}

void SystemAt::kinetic_hessian_times(const Vector& q, const Vector& p, const Vector& w, Vector& out_q, Vector& out_p) {
  fit(system_->n(), {&zero_});
  parts_->mass->kinetic_hessian_times(q, p, zero_, w, out_q, out_p);
}

void SystemAt::kinetic_hessian_times(const VectorOf<Dual1>& q, const VectorOf<Dual1>& p, const VectorOf<Dual1>& w,
                                     VectorOf<Dual1>& out_q, VectorOf<Dual1>& out_p) {
  fit(system_->n(), {&k_, &l_, &zero_});
  split(q, q_, w_);
  split(p, a_, b_);
  split(w, c_, d_);
  parts_->mass->kinetic_hessian_times(q_, a_, zero_, c_, k_, l_);
  for (Index i = 0; i < q.size(); ++i) {
    out_q[i].value = k_[i];
    out_p[i].value = l_[i];
  }
  parts_->mass->kinetic_third(q_, a_, zero_, c_, w_, b_, k_, l_);
  parts_->mass->kinetic_hessian_times(q_, a_, zero_, d_, w_, b_);
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
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  split(q, q_, w_);
  system_->constraints(t, q_, e_);
  system_->constraint_jacobian(t, q_, g_values_);
  multiply(system_->constraint_pattern(), g_values_, w_, f_);
  join(e_, f_, out);
}

void SystemAt::constraint_force(double t, const Vector& q, const Vector& lambda, Vector& out) {
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  system_->constraint_jacobian(t, q, g_values_);
  multiply_transposed(system_->constraint_pattern(), g_values_, lambda, out);
}

void SystemAt::constraint_force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                                VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_, &c_});
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  split(q, q_, w_);
  split(lambda, lambda_, mu_);
  system_->constraint_jacobian(t, q_, g_values_);
  multiply_transposed(system_->constraint_pattern(), g_values_, lambda_, a_);
  multiply_transposed(system_->constraint_pattern(), g_values_, mu_, b_);
  system_->constraint_hessian_times(t, q_, lambda_, w_, c_);
  b_ += c_;
  join(a_, b_, out);
}

void SystemAt::constraint_jacobian_times(double t, const Vector& q, const Vector& v, Vector& out) {
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  system_->constraint_jacobian(t, q, g_values_);
  multiply(system_->constraint_pattern(), g_values_, v, out);
}

void SystemAt::constraint_jacobian_times(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v,
                                         VectorOf<Dual1>& out) {
  fit(system_->m(), {&mu_, &e_, &f_});
  fit(system_->constraint_pattern().nonzeros(), {&g_values_, &dg_values_});
  split(q, q_, w_);
  split(v, a_, b_);
  const SparsityPattern& pattern = system_->constraint_pattern();
  system_->constraint_jacobian(t, q_, g_values_);
  system_->constraint_jacobian_derivative(t, q_, a_, dg_values_);
  multiply(pattern, g_values_, a_, e_);
  multiply(pattern, g_values_, b_, f_);
  multiply(pattern, dg_values_, w_, mu_);
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

void SystemAt::constraint_velocity(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  fit(system_->m(), {&e_, &f_});
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  if (!parts_->time_dependence) return constraint_jacobian_times(t, q, v, out);
  split(q, q_, w_);
  split(v, a_, b_);
  system_->constraint_jacobian_derivative(t, q_, a_, g_values_);
  multiply(system_->constraint_pattern(), g_values_, w_, e_);
  parts_->time_dependence->constraint_rate_jacobian(t, q_, g_values_);
  multiply(system_->constraint_pattern(), g_values_, w_, f_);
  e_ += f_;
  system_->constraint_jacobian(t, q_, g_values_);
  multiply(system_->constraint_pattern(), g_values_, b_, f_);
  e_ += f_;
  system_->constraint_velocity(t, q_, a_, f_);
  join(f_, e_, out);
}

void SystemAt::constraint_rate_force(double t, const Vector& q, const Vector& lambda, Vector& out) {
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  parts_->time_dependence->constraint_rate_jacobian(t, q, g_values_);
  multiply_transposed(system_->constraint_pattern(), g_values_, lambda, out);
}

void SystemAt::constraint_rate_force(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& lambda,
                                     VectorOf<Dual1>& out) {
  fit(system_->n(), {&a_, &b_, &c_});
  fit(system_->constraint_pattern().nonzeros(), {&g_values_});
  fit(system_->hessian_pattern().nonzeros(), {&hessian_values_});
  split(q, q_, w_);
  split(lambda, lambda_, mu_);
  parts_->time_dependence->constraint_rate_jacobian(t, q_, g_values_);
  multiply_transposed(system_->constraint_pattern(), g_values_, lambda_, a_);
  multiply_transposed(system_->constraint_pattern(), g_values_, mu_, b_);
  parts_->time_dependence->constraint_rate_hessian(t, q_, lambda_, hessian_values_);
  multiply(system_->hessian_pattern(), hessian_values_, w_, c_);
  b_ += c_;
  join(a_, b_, out);
}

void SystemAt::constraint_curvature(double t, const Vector& q, const Vector& v, const Vector& w, Vector& out) {
  fit(system_->constraint_pattern().nonzeros(), {&dg_values_});
  system_->constraint_jacobian_derivative(t, q, v, dg_values_);
  multiply(system_->constraint_pattern(), dg_values_, w, out);
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
  system_->constraint_jacobian_derivative(t, q_, c_, dg_values_);
  multiply(pattern, dg_values_, b_, mu_);
  f_ += mu_;
  system_->constraint_jacobian_derivative(t, q_, a_, dg_values_);
  multiply(pattern, dg_values_, d_, mu_);
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
