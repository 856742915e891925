#pragma once
/// \file
/// What the second derivative of g along the motion has beside G v', at a stage of index 1, and its derivatives:
///
///     b(q,v,t) = v^T (Hess g) v + 2 G_t v + g_tt
///     db/dv = 2 v^T (Hess g) + 2 G_t
///     db/dv = A'[v] + A_t + d(A v + b)/dq    of constraints of velocities
///     db/dq = D^3 g(v, v, .) + dr/dq,   r(q) = 2 G_t v + g_tt = b - v^T (Hess g) v
///
/// r is zero where nothing depends on time. Otherwise g_tt has no derivative in a System, and dr/dq is the central
/// difference [r(q + d) - r(q - d)]/2. Where g is at most quadratic in q so is r, and this is exact for every d: d has
/// the size of q. For other g, d is 1e-5 of that and the error some 1e-10 dr/dq, in a Newton matrix times h^2.

#include <type_traits>

#include "gnomon/formula/dual.hpp"
#include "gnomon/model/system_at.hpp"

namespace gnomon::kernels {

class StageBias {
 public:
  explicit StageBias(const System& system);

  void operator()(double t, const Vector& q, const Vector& v, Vector& out) { system_->constraint_bias(t, q, v, out); }
  void operator()(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out);

  /// r(q, v), as out, what b has where g depends on time; at Extended that of the rounded q and v, to double precision.
  template <class S>
  void of_time(double t, const VectorOf<S>& q, const VectorOf<S>& v, VectorOf<S>& scratch, VectorOf<S>& out) {
    if constexpr (std::is_same_v<S, Extended>) {
      q_ = q.template cast<double>();
      v_ = v.template cast<double>();
      rest(t, q_, v_, rest_);
      out = rest_.cast<Extended>();
    } else {
      (*this)(t, q, v, out);
      at_.constraint_curvature(t, q, v, v, scratch);
      out -= scratch;
    }
  }

  /// Sets by_q and by_v.
  void linearise(double t, const Vector& q, const Vector& v);
  /// Sets by_q to dr/dq alone.
  void linearise_of_time(double t, const Vector& q, const Vector& v) {
    by_q_.setZero();
    add_rest(t, q, v);
  }
  /// On the constraint pattern.
  const Vector& by_q() const { return by_q_; }
  const Vector& by_v() const { return by_v_; }

 private:
  /// D^3 g(v, v, .) and db/dv
  void differentiate(double t, const Vector& q, const Vector& v);
  /// by_q += dr/dq
  void add_rest(double t, const Vector& q, const Vector& v);
  double step(const Vector& q) const;
  /// out = r(q)
  void rest(double t, const Vector& q, const Vector& v, Vector& out);
  /// (dr/dq) direction
  void difference_of_rest(double t, const Vector& q, const Vector& v, const Vector& direction);

  const System* system_;
  SystemAt at_;
  bool moving_;
  double reach_ = 1, step_ = 1;
  Colouring colouring_;
  Vector q_, v_, dq_, dv_, shifted_, value_, rest_, curvature_, difference_, by_q_, by_v_, rate_, turn_;
};

}  // namespace gnomon::kernels
