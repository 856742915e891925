/// \file
/// SystemAt at Extended: to the last digit where the model offers it, else to first order from the rounded arguments.

#include "gnomon/model/system_at.hpp"
#include "model/fitted_scratch.hpp"

namespace gnomon {

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
  fit(values.size(), {&change_values_});
  constraint_jacobian_change(t, q_, w_, change_values_);
  values = jacobian(t, q_).cast<Extended>() + change_values_.cast<Extended>();
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
  round(q, lambda, v);
  system_->constraint_hessian_times(t, q_, lambda_, c_, a_);
  out = a_.cast<Extended>();
}

void SystemAt::round(const VectorOf<Extended>& q, const VectorOf<Extended>& lambda, const VectorOf<Extended>& v) {
  fit(system_->n(), {&q_, &a_, &c_});
  fit(system_->m(), {&lambda_});
  q_ = q.cast<double>();
  lambda_ = lambda.cast<double>();
  c_ = v.cast<double>();
}

void SystemAt::velocity_row_gradient(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& lambda,
                                     const VectorOf<Extended>& v, VectorOf<Extended>& out) {
  round(q, lambda, v);
  velocity_row_gradient(t, q_, lambda_, c_, a_);
  out = a_.cast<Extended>();
}

void SystemAt::constraint_velocity(double t, const VectorOf<Extended>& q, const VectorOf<Extended>& v,
                                   VectorOf<Extended>& out) {
  fit(system_->n(), {&zero_});
  fit(system_->m(), {&e_, &f_});
  constraint_jacobian_times(t, q, v, out);
  if (!parts_->time_dependence) return;
  split(q, q_, w_);
  system_->constraint_velocity(t, q_, zero_, e_);
  multiply(system_->constraint_pattern(), rate_jacobian(t, q_), w_, f_);
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
                                     const VectorOf<Extended>& w_q, const VectorOf<Extended>& w_p,
                                     VectorOf<Extended>& out_q, VectorOf<Extended>& out_p) {
  out_dual_.resize(system_->n());
  momentum_dual_.resize(system_->n());
  split(q, q_dual_);
  split(p, v_dual_);
  split(w_q, turn_dual_);
  split(w_p, w_dual_);
  kinetic_hessian_times(q_dual_, v_dual_, turn_dual_, w_dual_, out_dual_, momentum_dual_);
  sum(out_dual_, out_q);
  sum(momentum_dual_, out_p);
}

}  // namespace gnomon
