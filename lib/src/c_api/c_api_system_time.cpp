/// \file
/// CallbackSystem: what depends on time, and its derivatives by time, from differences
///
///     f_t = (8 (f(t+d) - f(t-d)) - (f(t+2d) - f(t-2d))) / 12d
///
/// with d a thousandth of the time in which the system changes noticeably: the error is 1e-12 of f_t.

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "c_api/c_api_scratch.hpp"
#include "c_api/c_api_system.hpp"

namespace gnomon::c_api {

void CallbackSystem::constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                         VectorRef out) const {
  constraint_jacobian(t, q, scratch_->values);
  multiply(constraint_pattern(), scratch_->values, v, out);
  if (parts_.time_dependence) {
    rate(t, scratch_->later_rows, scratch_->rate_rows, [&](double at, Vector& g) { constraints(at, q, g); });
    out += scratch_->rate_rows;
  }
  if (n_velocity_constraints() > 0) psi(t, q, v, of_velocities(out));
}

/// G'[v] + G_t, A'[v] + A_t
void CallbackSystem::constraint_turn(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                     VectorRef values) const {
  turn(t, q, v, values);
  if (!parts_.time_dependence) return;
  rate(t, scratch_->later_values, scratch_->rate_values, [&](double at, Vector& G) { constraint_jacobian(at, q, G); });
  values += scratch_->rate_values;
}

/// v^T (Hess g) v + 2 G_t v + g_tt
void CallbackSystem::constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  constraint_jacobian_derivative(t, q, v, scratch_->bent);
  multiply(constraint_pattern(), scratch_->bent, v, out);
  if (n_velocity_constraints() > 0) psi_bias(t, q, v, of_velocities(out));
  if (!parts_.time_dependence) return;
  // 2 G_t v + g_tt = d/dt (2 G v + g_t), of which constraint_velocity is one half and a half.
  rate(t, scratch_->later_velocity, scratch_->more_rate_rows, [&](double at, Vector& g) {
    constraint_velocity(at, q, v, g);
    multiply(constraint_pattern(), scratch_->values, v, scratch_->product_m);
    g += scratch_->product_m;
  });
  of_positions(out) += of_positions(scratch_->more_rate_rows);
}

double CallbackSystem::potential_rate(double t, const ConstVectorRef& q) const {
  rate(t, scratch_->later_energy, scratch_->rate_energy, [&](double at, Vector& u) { u[0] = potential(at, q); });
  return scratch_->rate_energy[0];
}

void CallbackSystem::constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const {
  rate(t, scratch_->later_values, values, [&](double at, Vector& G) { constraint_jacobian(at, q, G); });
  if (n_velocity_constraints() > 0) psi_rest_jacobian(t, q, of_velocities(values));
}

/// Hess U + sum_i lambda_i Hess g_i with these lambda, less that without.
void CallbackSystem::constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                             VectorRef values) const {
  Vector& here = scratch_->of_positions;
  here = lambda;
  of_velocities(here).setZero();
  rate(t, scratch_->later_hessian, values, [&](double at, Vector& H) { lagrangian_hessian(at, q, here, H); });
  if (lambda.size() == 0) return;
  rate(t, scratch_->later_hessian, scratch_->rate_hessian,
       [&](double at, Vector& H) { lagrangian_hessian(at, q, scratch_->all_zero, H); });
  values -= scratch_->rate_hessian;
  if (const Index rows = n_velocity_constraints(); rows > 0) add_psi_rest_hessian(t, q, lambda.tail(rows), values);
}

void CallbackSystem::declare_time_dependence() {
  parts_.time_dependence = this;
  calls_.time_dependent = true;  // of the system with its obstacles closed too
}

/// Whether b is there, or A depends on time, and that both are all there is.
void CallbackSystem::watch_velocity_constraints(double t, const std::array<const Vector*, 2>& positions,
                                                const Vector& v) {
  const Index rows = calls_.n_velocity_constraints;
  for (const Vector* at : positions) try {
      require_linear(t, *at, v);
      Vector b(rows);
      psi(t, *at, Vector::Zero(calls_.n), b);
      if (!b.isZero(0) || changes_in_time(t, rows, [&](double time, Vector& value) { psi(time, *at, v, value); }))
        declare_time_dependence();
    } catch (const CannotEvaluate&) {
    }
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

Vector CallbackSystem::beside(const Vector& q) const {
  return q + Vector::Constant(calls_.n, calls_.size / 7);
}

void CallbackSystem::require_written(double t, const Vector& q, const Vector& v) {
  // A number that no function writes, by its bits.
  const double unwritten = std::nan("1958");
  const auto check = [&](const std::string& what, Index size, auto&& evaluate) {
    Vector out = Vector::Constant(size, unwritten);
    try {
      evaluate(out);
    } catch (const CannotEvaluate&) {
      return;
    }
    for (Index i = 0; i < size; ++i)
      if (std::memcmp(&out[i], &unwritten, sizeof unwritten) == 0)
        throw Error(ErrorCode::bad_value, what + ": its function wrote no entry " + std::to_string(i));
  };
  for (Rows* rows : {&scratch_->g, &scratch_->c})
    check(rows->name, rows->calls.rows, [&](Vector& out) { evaluate(*rows, t, q, out); });
  if (calls_.gradient)
    check("the gradient of the potential", calls_.n, [&](Vector& out) { potential_gradient(t, q, out); });
  if (calls_.force) check("the force", calls_.n, [&](Vector& out) { force(t, q, v, out); });

  // A row that is zero where the run starts and beside it is none that was meant.
  const Index rows = calls_.constraints.rows;
  const Vector moved = beside(q);
  Matrix G = Matrix::Zero(rows, calls_.n);
  Vector values(scratch_->g.pattern().nonzeros());
  for (const Vector* at : {&q, &moved}) try {
      jacobian(scratch_->g, t, *at, values);
      G += to_dense(scratch_->g.pattern(), values).cwiseAbs();
    } catch (const CannotEvaluate&) {
      return;
    }
  for (Index i = 0; i < rows; ++i)
    if (G.row(i).isZero(0))
      throw Error(ErrorCode::bad_value, "constraint g[" + std::to_string(i) +
                                            "] depends on no coordinate, at the start and beside it, so that no motion "
                                            "keeps or breaks it");
}

void CallbackSystem::watch_time(double t, const Vector& q, const Vector& v) {
  const Vector moved = beside(q);
  const Vector faster = v + Vector::Constant(calls_.n, calls_.speed);
  if (calls_.n_velocity_constraints > 0) watch_velocity_constraints(t, {&q, &moved}, faster);
  for (const Vector* at : {&q, &moved}) {
    if (!parts_.time_dependence &&
        (changes_in_time(t, 1, [&](double time, Vector& u) { u[0] = potential(time, *at); }) ||
         changes_in_time(t, calls_.constraints.rows,
                         [&](double time, Vector& g) { evaluate(scratch_->g, time, *at, g); })))
      declare_time_dependence();
    if (calls_.force)
      for (const Vector* velocity : {&v, &faster})
        if (changes_in_time(t, calls_.n, [&](double time, Vector& Q) { force(time, *at, *velocity, Q); }))
          force_depends_on_time_ = true;
  }
}

}  // namespace gnomon::c_api
