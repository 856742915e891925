#pragma once
/// \file
/// The mass in a projected-rk step, beside its stages and projections: increments of (q, v) with a constant one, of
/// (q, p) with M(q), where
///
///     p' = -(T_q + grad U + G^T lambda - Q),   v' = T_pq v + T_pp p'
///     M v' + G^T lambda = M T_pq v - T_q - grad U + Q

#include "kernels/common/energy_balance.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/runge_kutta/rk_inertia.hpp"

namespace gnomon::kernels {

class ConstantRkMotion {
 public:
  using Inertia = ConstantRkInertia;

  explicit ConstantRkMotion(const System& system) : system_(&system), at_(system), n_(system.n()) {
    for (Vector* v : {&work_, &velocity_}) v->setZero(n_);
    for (auto* v : {&dv_extended_, &impulse_}) v->setZero(n_);
  }

  /// out = dv/dt at the start, which the state carries; at a first one from the forces, which it overwrites.
  void slope(const State& z0, Vector& out) const { out = z0.scheme_data.head(n_); }
  void acceleration(const State&, Vector& force, Vector& w) const { system_->mass().solve(force, w); }

  /// q1 and v1 come from the increments of a step and its corrections.
  void end(const State& z0, const Vector& dv, const VectorOf<Extended>& fix, const Vector&, Vector& v1) {
    velocity_ = dv + fix.cast<double>();
    system_->mass().apply(velocity_, work_);
    velocity_ = (work_ + z0.p.tail()) + z0.p.value();
    system_->mass().solve(velocity_, v1);
  }
  /// force, which is M v' - G^T lambda in the equations of motion, is complete.
  void add_inertia(const Vector&, const Vector&, Vector&) const {}
  void weigh(const Vector&, const Vector& w, Vector& out) const { system_->mass().apply(w, out); }

  void finish(const Vector& dv, const VectorOf<Extended>& fix, State& next) {
    // M dv in one piece: near a singular step dv is far larger than v, and so would its rounding be.
    dv_extended_ = dv.cast<Extended>() + fix;
    at_.mass_times(dv_extended_, impulse_);
    add(next.p, impulse_, work_);
  }

  /// T of the compensated state; `v` is scratch of length n.
  long double kinetic(const State& z, Vector&, Vector& v) const {
    const Vector &p = z.p.value(), &p_tail = z.p.tail();
    long double kinetic = 0;
    if (system_->mass().is_diagonal()) {
      const Vector& mass = system_->mass().diagonal_entries();
      for (Index j = 0; j < n_; ++j) {
        const long double pj = static_cast<long double>(p[j]) + p_tail[j];
        kinetic += pj * pj / (2 * mass[j]);
      }
    } else {
      system_->mass().solve(p, v);
      kinetic = 0.5L * p.dot(v) + p_tail.dot(v);
    }
    return kinetic;
  }

 private:
  const System* system_;
  SystemAt at_;
  Index n_;
  Vector work_, velocity_;
  VectorOf<Extended> dv_extended_, impulse_;
};

class ConfigurationRkMotion {
 public:
  using Inertia = ConfigurationRkInertia;

  explicit ConfigurationRkMotion(const System& system) : system_(&system), applied_(system), n_(system.n()) {
    for (Vector* v : {&p1_, &v_, &t_q_, &turn_, &work_, &zero_}) v->setZero(n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    mass_.setZero(n_, n_);
  }

  /// out = p' at the start
  void slope(const State& z0, Vector& out) {
    const Vector& q = z0.q.value();
    inertia().kinetic_gradient(q, z0.p.value(), t_q_, v_);
    system_->potential_gradient(z0.t, q, work_);
    system_->constraint_jacobian(z0.t, q, g_values_);
    multiply_transposed(system_->constraint_pattern(), g_values_, z0.lambda, turn_);
    out = -((t_q_ + work_) + turn_);
    if (applied_.active()) out += applied_(z0.t, q, v_);
  }
  /// w = v' of a first state, from force = Q - grad U - G^T lambda, which it overwrites.
  void acceleration(const State& z, Vector& force, Vector& w) const {
    const Vector &q = z.q.value(), &p = z.p.value();
    Vector t_q(n_), v(n_);
    inertia().kinetic_gradient(q, p, t_q, v);
    force -= t_q;
    inertia().kinetic_hessian_times(q, p, v, force, t_q, w);
  }

  void end(const State& z0, const Vector& dp, const VectorOf<Extended>& fix, const Vector& q1, Vector& v1) {
    p1_ = ((dp + fix.cast<double>()) + z0.p.tail()) + z0.p.value();
    inertia().kinetic_gradient(q1, p1_, t_q_, v1);
  }
  /// force += M T_pq v - T_q, after end()
  void add_inertia(const Vector& q1, const Vector& v1, Vector& force) {
    force -= t_q_;
    inertia().kinetic_hessian_times(q1, p1_, v1, zero_, work_, turn_);
    weigh(q1, turn_, work_);
    force += work_;
  }
  /// out = M(q) w
  void weigh(const Vector& q, const Vector& w, Vector& out) {
    inertia().mass_matrix(q, mass_);
    out.noalias() = mass_ * w;
  }

  void finish(const Vector& dp, const VectorOf<Extended>& fix, State& next) {
    next.p.add(dp);
    add(next.p, fix, work_);
  }

  /// T of the compensated state; `gradient` and `v` are scratch of length n.
  long double kinetic(const State& z, Vector& gradient, Vector& v) const {
    return inertia().kinetic_compensated(z.q.value(), z.q.tail(), z.p.value(), z.p.tail(), gradient, v);
  }

 private:
  const ConfigurationMass& inertia() const { return *system_->parts().mass; }

  const System* system_;
  AppliedForce applied_;
  Index n_;
  Vector p1_, v_, t_q_, turn_, work_, zero_, g_values_;
  Matrix mass_;
};

}  // namespace gnomon::kernels
