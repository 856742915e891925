/// \file
/// CallbackSystem: constraints of velocities, psi = A(q,t) v + b(q,t), which a callback gives as a whole:
///
///     b = psi(0),   A e_j = psi(e_j) - psi(0),
///
/// and whose derivatives come from differences. Rows and values of A are dense, and the last of all.

#include <cmath>

#include "c_api/c_api_scratch.hpp"
#include "c_api/c_api_system.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon::c_api {

void CallbackSystem::psi(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  VelocityScratch& own = scratch_->velocities;
  call("the constraints of velocities", [&] {
    return calls_.velocity_constraints(t, scratch_->q(q.data()), scratch_->v(v.data()), own.vector(out.data()),
                                       calls_.user_data);
  });
}

/// out = A v
void CallbackSystem::psi_linear(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  VelocityScratch& own = scratch_->velocities;
  psi(t, q, v, out);
  psi(t, q, own.rest, own.without);
  out -= own.without;
}

/// values = A by rows
void CallbackSystem::psi_matrix(double t, const ConstVectorRef& q, VectorRef values) const {
  VelocityScratch& own = scratch_->velocities;
  psi(t, q, own.rest, own.without);
  for (Index j = 0; j < calls_.n; ++j) {
    own.unit.setZero();
    own.unit[j] = 1;
    psi(t, q, own.unit, own.with);
    for (Index i = 0; i < own.with.size(); ++i) values[i * calls_.n + j] = own.with[i] - own.without[i];
  }
}

/// values = A'[w]
void CallbackSystem::psi_matrix_along(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                                      VectorRef values) const {
  difference(size_of(q), q, w, not_polynomial, scratch_->velocities.of_matrix, values,
             [&](const Vector& x, auto&& A) { psi_matrix(t, x, A); });
}

/// values = df/dq by rows, f(q, out) of one entry a row
template <class F>
void CallbackSystem::psi_columns(Level& level, const ConstVectorRef& q, VectorRef values, F&& f) const {
  VelocityScratch& own = scratch_->velocities;
  for (Index j = 0; j < calls_.n; ++j) {
    own.direction.setZero();
    own.direction[j] = 1;
    difference(size_of(q), q, own.direction, not_polynomial, level, own.column, f);
    for (Index i = 0; i < own.column.size(); ++i) values[i * calls_.n + j] = own.column[i];
  }
}

/// values = d(A v)/dq
void CallbackSystem::psi_bend(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef values) const {
  psi_columns(scratch_->velocities.once, q, values, [&](const Vector& x, auto&& out) { psi_linear(t, x, v, out); });
}

/// values = d(A'[w] v)/dq
void CallbackSystem::psi_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                               VectorRef values) const {
  VelocityScratch& own = scratch_->velocities;
  psi_columns(own.once, q, values, [&](const Vector& x, auto&& out) {
    difference(size_of(x), x, w, not_polynomial, own.twice, out,
               [&](const Vector& y, auto&& value) { psi_linear(t, y, v, value); });
  });
}

/// out = d/dt psi at constant v
void CallbackSystem::psi_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  VelocityScratch& own = scratch_->velocities;
  difference(size_of(q), q, v, not_polynomial, own.once, out,
             [&](const Vector& x, auto&& value) { psi(t, x, v, value); });
  if (!parts_.time_dependence) return;
  rate(t, own.later, own.rates, [&](double at, Vector& value) { psi(at, q, v, value); });
  out += own.rates;
}

/// values += d(A^T mu)/dq, on a dense pattern
void CallbackSystem::add_psi_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& mu,
                                     VectorRef values) const {
  VelocityScratch& own = scratch_->velocities;
  for (Index j = 0; j < calls_.n; ++j) {
    own.other.setZero();
    own.other[j] = 1;
    psi_matrix_along(t, q, own.other, own.matrix);
    for (Index i = 0; i < mu.size(); ++i)
      for (Index k = 0; k < calls_.n; ++k) values[k * calls_.n + j] += mu[i] * own.matrix[i * calls_.n + k];
  }
}

/// values = db/dq
void CallbackSystem::psi_rest_jacobian(double t, const ConstVectorRef& q, VectorRef values) const {
  VelocityScratch& own = scratch_->velocities;
  psi_columns(own.once, q, values, [&](const Vector& x, auto&& out) { psi(t, x, own.rest, out); });
}

/// values += Hess (mu.b), on a dense pattern
void CallbackSystem::add_psi_rest_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& mu,
                                          VectorRef values) const {
  VelocityScratch& own = scratch_->velocities;
  for (Index j = 0; j < calls_.n; ++j) {
    own.other.setZero();
    own.other[j] = 1;
    difference(size_of(q), q, own.other, not_polynomial, own.of_matrix, own.matrix,
               [&](const Vector& x, auto&& gradient) { psi_rest_jacobian(t, x, gradient); });
    for (Index i = 0; i < mu.size(); ++i)
      for (Index k = 0; k < calls_.n; ++k) values[k * calls_.n + j] += mu[i] * own.matrix[i * calls_.n + k];
  }
}

/// psi at 2 v is twice that at v, but for b.
void CallbackSystem::require_linear(double t, const Vector& q, const Vector& v) const {
  const Index rows = calls_.n_velocity_constraints;
  Vector none(rows), once(rows), twice(rows);
  psi(t, q, Vector::Zero(calls_.n), none);
  psi(t, q, v, once);
  psi(t, q, 2 * v, twice);
  for (Index i = 0; i < rows; ++i) {
    const double size = std::abs(twice[i]) + 2 * std::abs(once[i]) + std::abs(none[i]);
    if (!(std::abs(twice[i] - 2 * once[i] + none[i]) <= thresholds::same_formula * size))
      throw Error(ErrorCode::bad_value, "constraint of velocities " + std::to_string(i) +
                                            " is not linear in the velocities: A(q,t) v + b(q,t) is expected");
  }
}

}  // namespace gnomon::c_api
