/// \file
/// CallbackSystem: what depends on time, and its derivatives by time, from differences
///
///     f_t = (8 (f(t+d) - f(t-d)) - (f(t+2d) - f(t-2d))) / 12d
///
/// with d a thousandth of the time in which the system changes noticeably: the error is 1e-12 of f_t.

#include <cmath>
#include <utility>

#include "c_api/c_api_scratch.hpp"
#include "c_api/c_api_system.hpp"

namespace gnomon::c_api {

namespace {

constexpr double time_step = 1.0 / 1024;  // of Callbacks::time; both are powers of two times the step

}  // namespace

template <class F>
void CallbackSystem::rate(double t, Vector& value, VectorRef out, F&& f) const {
  const double d = calls_.time * time_step;
  out.setZero();
  for (const auto& [times, weight] : {std::pair{1.0, 8.0 / 12}, std::pair{2.0, -1.0 / 12}}) {
    f(t + times * d, value);
    out += weight / d * value;
    f(t - times * d, value);
    out -= weight / d * value;
  }
}

void CallbackSystem::constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                         VectorRef out) const {
  constraint_jacobian(t, q, scratch_->values);
  multiply(constraint_pattern(), scratch_->values, v, out);
  if (!parts_.time_dependence) return;
  rate(t, scratch_->later_rows, scratch_->rate_rows, [&](double at, Vector& g) { constraints(at, q, g); });
  out += scratch_->rate_rows;
}

/// v^T (Hess g) v + 2 G_t v + g_tt
void CallbackSystem::constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  constraint_jacobian_derivative(t, q, v, scratch_->bent);
  multiply(constraint_pattern(), scratch_->bent, v, out);
  if (!parts_.time_dependence) return;
  // 2 G_t v + g_tt = d/dt (2 G v + g_t), of which constraint_velocity is one half and a half.
  rate(t, scratch_->later_velocity, scratch_->more_rate_rows, [&](double at, Vector& g) {
    constraint_velocity(at, q, v, g);
    multiply(constraint_pattern(), scratch_->values, v, scratch_->product_m);
    g += scratch_->product_m;
  });
  out += scratch_->more_rate_rows;
}

double CallbackSystem::potential_rate(double t, const ConstVectorRef& q) const {
  rate(t, scratch_->later_energy, scratch_->rate_energy, [&](double at, Vector& u) { u[0] = potential(at, q); });
  return scratch_->rate_energy[0];
}

void CallbackSystem::constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const {
  rate(t, scratch_->later_values, values, [&](double at, Vector& G) { constraint_jacobian(at, q, G); });
}

/// Hess U + sum_i lambda_i Hess g_i with these lambda, less that without.
void CallbackSystem::constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                             VectorRef values) const {
  rate(t, scratch_->later_hessian, values, [&](double at, Vector& H) { lagrangian_hessian(at, q, lambda, H); });
  if (lambda.size() == 0) return;
  rate(t, scratch_->later_hessian, scratch_->rate_hessian,
       [&](double at, Vector& H) { lagrangian_hessian(at, q, scratch_->zero_lambda, H); });
  values -= scratch_->rate_hessian;
}

template <class F>
bool CallbackSystem::changes_in_time(double t, Index size, F&& f) const {
  Vector now(size), later(size);
  for (const double after : {1.0, std::sqrt(2.0), calls_.time}) try {
      f(t, now);
      f(t + after, later);
      if (now.allFinite() && later.allFinite() && now != later) return true;
    } catch (const CannotEvaluate&) {
    }
  return false;
}

void CallbackSystem::watch_time(double t, const Vector& q, const Vector& v) {
  const Vector moved = q + Vector::Constant(calls_.n, calls_.size / 7);
  const Vector faster = v + Vector::Constant(calls_.n, calls_.speed);
  for (const Vector* at : {&q, &moved}) {
    if (!parts_.time_dependence &&
        (changes_in_time(t, 1, [&](double time, Vector& u) { u[0] = potential(time, *at); }) ||
         changes_in_time(t, calls_.constraints.rows,
                         [&](double time, Vector& g) { evaluate(scratch_->g, time, *at, g); })))
      parts_.time_dependence = this;
    if (calls_.force)
      for (const Vector* velocity : {&v, &faster})
        if (changes_in_time(t, calls_.n, [&](double time, Vector& Q) { force(time, *at, *velocity, Q); }))
          force_depends_on_time_ = true;
  }
}

}  // namespace gnomon::c_api
