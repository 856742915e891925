#pragma once
/// \file
/// The end of a step as an increment from its start, q1 = q0 + dq, v1 = v0 + dv or p1 = p0 + dp, with the compensated
/// start:
///
///     g(q1,t1) = g(q0,t1) + G(q0 + dq/2, t1) dq                  where g is at most quadratic, without cancellation
///     H1 - H0  = dv.(p0 + M dv/2) + U(q1,t1) - U(q0,t0)          constant mass
///     H1 - H0  = T(q1,p1) - T(q0,p0) + U(q1,t1) - U(q0,t0)       M(q)
///
/// so that only U, with M(q) H, is subtracted, in extended precision where the system has it.

#include <cmath>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/extended_state.hpp"

namespace gnomon::kernels {

/// Positions, constraints and potential; the policies below have what comes from T.
class EndPosition {
 public:
  explicit EndPosition(const System& system)
      : system_(&system), at_(system), quadratic_(quadratic_constraints(system)), n_(system.n()) {
    for (Vector* v : {&tail_, &rounded_, &work_}) v->setZero(n_);
    middle_.for_each([&](auto& v) { v.setZero(n_); });
    g0_.setZero(system.m());
    for (Vector* v : {&g_values_, &rate_}) v->setZero(system.constraint_pattern().nonzeros());
  }

  /// The start outlives the step.
  void begin(const State& z0, double h, bool energy) {
    z0_ = &z0;
    t1_ = time_after(z0, h);
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

  /// g(q0 + dq), with q from place()
  template <class S>
  void constraints(const VectorOf<S>& dq, const VectorOf<S>& q, VectorOf<S>& g) {
    if (!quadratic_) return general_constraints(dq, q, g);
    VectorOf<S>& middle = middle_.get<S>();
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

 protected:
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
  Vector g0_, tail_, rounded_, work_, g_values_, rate_;
  ForAllScalars<VectorOf> middle_;
};

/// With a constant mass the second half of a state is v.
class ConstantEnd : public EndPosition {
 public:
  explicit ConstantEnd(const System& system) : EndPosition(system), v0_(system) {
    for (auto* buffer : {&momentum_, &weighed_}) buffer->for_each([&](auto& v) { v.setZero(n_); });
  }

  /// The start outlives the step.
  void begin(const State& z0, double h, bool energy) {
    EndPosition::begin(z0, h, energy);
    v0_.begin(z0.p);
  }
  /// v = v0 + dv
  template <class S>
  void place_second(const VectorOf<S>& dv, VectorOf<S>& v) const {
    v = dv + v0_.template at<S>().template cast<S>();
  }
  /// v, valid until the next call.
  template <class S>
  const VectorOf<S>& velocity(const VectorOf<S>&, const VectorOf<S>& v) const {
    return v;
  }
  /// out += T_q, after velocity()
  template <class S>
  void add_slope(const VectorOf<S>&) const {}
  /// M v, valid until the next call.
  template <class S>
  const VectorOf<S>& momentum(const VectorOf<S>& v) {
    at_.mass_times(v, momentum_.get<S>());
    return momentum_.get<S>();
  }
  /// M(q) v, valid until the next call, or that of another function.
  template <class S>
  const VectorOf<S>& weigh(const VectorOf<S>&, const VectorOf<S>& v) {
    at_.mass_times(v, weighed_.get<S>());
    return weighed_.get<S>();
  }
  /// The two sides of a row W d = force along the directions of a projection of q (level 0) or v (level 1).
  template <class S>
  const VectorOf<S>& directed(int, bool mass_metric, const VectorOf<S>& q, const VectorOf<S>& d) {
    return mass_metric ? weigh(q, d) : d;
  }
  template <class S>
  const VectorOf<S>& direction(int, bool, const VectorOf<S>&, const VectorOf<S>& force) const {
    return force;
  }

  /// H(q0 + dq, v0 + dv, t1) - H(q0, v0, t0), with q from place()
  template <class S>
  S energy_gain(const VectorOf<S>& dq, const VectorOf<S>& q, const VectorOf<S>& dv, const VectorOf<S>&) {
    const VectorOf<S>& momentum = weigh(q, dv);
    S gain = potential_gain(dq, q);
    for (Index j = 0; j < n_; ++j) gain += dv[j] * (momentum[j] * 0.5 + S(z0_->p.tail()[j]) + S(z0_->p.value()[j]));
    return gain;
  }
  /// The size of T
  double kinetic_size(const Vector& v) const { return std::abs(v.dot(z0_->p.value())); }

 private:
  StartVelocity v0_;
  ForAllScalars<VectorOf> momentum_, weighed_;
};

/// With M(q) it is p, and M^-1 f is T_p(q,f), linear in f.
class ConfigurationEnd : public EndPosition {
 public:
  explicit ConfigurationEnd(const System& system) : EndPosition(system) {
    for (Vector* v : {&p_, &p_tail_, &weighed_}) v->setZero(n_);
    for (auto* buffer : {&v_, &t_q_, &out_, &scratch_}) buffer->for_each([&](auto& v) { v.setZero(n_); });
    mass_.setZero(n_, n_);
  }

  void begin(const State& z0, double h, bool energy) {
    EndPosition::begin(z0, h, energy);
    if (energy) t0_ = kinetic(z0.q.value(), z0.q.tail(), z0.p.value(), z0.p.tail());
  }
  /// p = p0 + dp, rounded
  template <class S>
  void place_second(const VectorOf<S>& dp, VectorOf<S>& p) const {
    p = (dp + z0_->p.tail().template cast<S>()) + z0_->p.value().template cast<S>();
  }
  template <class S>
  const VectorOf<S>& velocity(const VectorOf<S>& q, const VectorOf<S>& p) {
    at_.kinetic_gradient(q, p, t_q_.get<S>(), v_.get<S>());
    return v_.get<S>();
  }
  template <class S>
  void add_slope(VectorOf<S>& out) {
    out += t_q_.get<S>();
  }
  template <class S>
  const VectorOf<S>& momentum(const VectorOf<S>& p) const {
    return p;
  }
  const Vector& weigh(const Vector& q, const Vector& v) {
    system_->parts().mass->mass_matrix(q, mass_);
    weighed_.noalias() = mass_ * v;
    return weighed_;
  }
  /// The same rows times M^-1 where that leaves one product: d = M^-1 force and d = force with W = M, d = force and
  /// M^-1 d = force with W = 1, d of q and of p.
  template <class S>
  const VectorOf<S>& directed(int level, bool mass_metric, const VectorOf<S>& q, const VectorOf<S>& d) {
    return level == 1 && !mass_metric ? solve(q, d) : d;
  }
  template <class S>
  const VectorOf<S>& direction(int level, bool mass_metric, const VectorOf<S>& q, const VectorOf<S>& force) {
    return level == 0 && mass_metric ? solve(q, force) : force;
  }

  /// H(q0 + dq, p0 + dp, t1) - H(q0, p0, t0), with q and p from place() and place_second()
  double energy_gain(const Vector& dq, const Vector& q, const Vector& dp, const Vector& p) {
    const double potential = potential_gain(dq, q);
    p_tail_ = (dp + z0_->p.tail()) - (p - z0_->p.value());
    return potential + static_cast<double>(kinetic(q, tail_, p, p_tail_) - t0_);
  }
  Extended energy_gain(const VectorOf<Extended>& dq, const VectorOf<Extended>& q, const VectorOf<Extended>&,
                       const VectorOf<Extended>& p) {
    const Extended potential = potential_gain(dq, q);
    p_ = p.cast<double>();
    p_tail_ = (p - p_.cast<Extended>()).cast<double>();
    return potential + (kinetic(rounded_, tail_, p_, p_tail_) - t0_);
  }
  Dual1 energy_gain(const VectorOf<Dual1>& dq, const VectorOf<Dual1>& q, const VectorOf<Dual1>&,
                    const VectorOf<Dual1>& p) {
    return potential_gain(dq, q) + (at_.kinetic_energy(q, p) - Dual1(static_cast<double>(t0_)));
  }
  double kinetic_size(const Vector&) const { return std::abs(static_cast<double>(t0_)); }

 private:
  template <class S>
  const VectorOf<S>& solve(const VectorOf<S>& q, const VectorOf<S>& f) {
    at_.kinetic_gradient(q, f, scratch_.get<S>(), out_.get<S>());
    return out_.get<S>();
  }
  /// T at a compensated state
  long double kinetic(const Vector& q, const Vector& q_tail, const Vector& p, const Vector& p_tail) {
    return system_->parts().mass->kinetic_compensated(q, q_tail, p, p_tail, t_q_.at_double, out_.at_double);
  }

  long double t0_ = 0;
  Matrix mass_;
  Vector p_, p_tail_, weighed_;
  ForAllScalars<VectorOf> v_, t_q_, out_, scratch_;
};

}  // namespace gnomon::kernels
