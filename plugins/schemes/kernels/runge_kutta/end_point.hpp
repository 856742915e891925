#pragma once
/// \file
/// The end of a step as an increment from its start, q1 = q0 + dq, v1 = v0 + dv, with the compensated start:
///
///     g(q1,t1) = g(q0,t1) + G(q0 + dq/2, t1) dq                  where g is at most quadratic, without cancellation
///     H1 - H0  = dv.(p0 + M dv/2) + U(q1,t1) - U(q0,t0)
///
/// so that only U is subtracted, in extended precision where the system has it.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/ledger.hpp"

namespace gnomon::kernels {

class EndPoint {
 public:
  explicit EndPoint(const System& system)
      : system_(&system), at_(system), quadratic_(quadratic_constraints(system)), n_(system.n()), v0_(system) {
    for (Vector* v : {&tail_, &rounded_, &work_}) v->setZero(n_);
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.middle, &b.momentum}) v->setZero(n_);
    });
    g0_.setZero(system.m());
    for (Vector* v : {&g_values_, &rate_}) v->setZero(system.constraint_pattern().nonzeros());
  }

  /// The start outlives the step.
  void begin(const State& z0, double h, bool energy) {
    z0_ = &z0;
    t1_ = time_after(z0, h);
    v0_.begin(z0.p);
    system_->constraints_compensated(t1_, z0.q.value(), z0.q.tail(), g0_, g_values_);
    if (energy) u0_ = system_->potential_compensated(z0.t, z0.q.value(), z0.q.tail(), work_);
  }

  const State& start() const { return *z0_; }
  double t() const { return t1_; }
  double potential0() const { return static_cast<double>(u0_); }
  bool quadratic() const { return quadratic_; }

  /// q = q0 + dq, rounded
  template <class S>
  void place(const VectorOf<S>& dq, VectorOf<S>& q) const {
    q = (dq + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
  }

  /// v = v0 + dv
  template <class S>
  void place_velocity(const VectorOf<S>& dv, VectorOf<S>& v) const {
    v = dv + v0_.template at<S>().template cast<S>();
  }

  /// g(q0 + dq), with q from place()
  template <class S>
  void constraints(const VectorOf<S>& dq, const VectorOf<S>& q, VectorOf<S>& g) {
    if (!quadratic_) return general_constraints(dq, q, g);
    VectorOf<S>& middle = buffers_.get<S>().middle;
    middle = (dq * 0.5 + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
    at_.constraint_jacobian_times(t1_, middle, dq, g);
    for (Index i = 0; i < g.size(); ++i) g[i] += g0_[i];
  }

  /// values = d(G v + g_t)/dq on the constraint pattern
  void hidden_jacobian(const Vector& q, const Vector& v, Vector& values) {
    system_->constraint_jacobian_derivative(t1_, q, v, values);
    if (!system_->parts().time_dependence) return;
    system_->parts().time_dependence->constraint_rate_jacobian(t1_, q, rate_);
    values += rate_;
  }

  /// H(q0 + dq, v0 + dv, t1) - H(q0, v0, t0), with q from place()
  template <class S>
  S energy_gain(const VectorOf<S>& dq, const VectorOf<S>& q, const VectorOf<S>& dv) {
    VectorOf<S>& momentum = buffers_.get<S>().momentum;
    at_.mass_times(dv, momentum);
    S gain = potential_gain(dq, q);
    for (Index j = 0; j < n_; ++j) gain += dv[j] * (momentum[j] * 0.5 + S(z0_->p.tail()[j]) + S(z0_->p.value()[j]));
    return gain;
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> middle, momentum;
  };

  void find_tail(const Vector& dq, const Vector& q) { tail_ = (dq + z0_->q.tail()) - (q - z0_->q.value()); }
  void general_constraints(const Vector& dq, const Vector& q, Vector& g) {
    find_tail(dq, q);
    system_->constraints_compensated(t1_, q, tail_, g, g_values_);
  }
  template <class S>
  void general_constraints(const VectorOf<S>&, const VectorOf<S>& q, VectorOf<S>& g) {
    at_.constraints(t1_, q, g);
  }
  double potential_gain(const Vector& dq, const Vector& q) {
    find_tail(dq, q);
    return static_cast<double>(system_->potential_compensated(t1_, q, tail_, work_) - u0_);
  }
  Extended potential_gain(const VectorOf<Extended>&, const VectorOf<Extended>& q) {
    rounded_ = q.cast<double>();
    tail_ = (q - rounded_.cast<Extended>()).cast<double>();
    return system_->potential_compensated(t1_, rounded_, tail_, work_) - u0_;
  }
  Dual1 potential_gain(const VectorOf<Dual1>&, const VectorOf<Dual1>& q) {
    return at_.potential(t1_, q) - Dual1(static_cast<double>(u0_));
  }

  const System* system_;
  SystemAt at_;
  bool quadratic_;
  Index n_;
  const State* z0_ = nullptr;
  double t1_ = 0;
  long double u0_ = 0;
  StartVelocity v0_;
  Vector g0_, tail_, rounded_, work_, g_values_, rate_;
  ForAllScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
