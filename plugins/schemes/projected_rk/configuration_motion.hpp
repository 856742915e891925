#pragma once
/// \file
/// A mass M(q) in a projected-rk step: stages of Hamilton's equations, increments of (q, p).
///
///     p' = -(T_q + grad U + G^T lambda - Q),   v' = T_pq v + T_pp p',   M v' + G^T lambda = M T_pq v - T_q - grad U + Q

#include "projected_rk/configuration_finer.hpp"
#include "projected_rk/configuration_projection.hpp"
#include "projected_rk/configuration_stages.hpp"
#include "projected_rk/configuration_symmetric.hpp"

namespace gnomon::kernels {

class ConfigurationRkMotion {
 public:
  using StageRows = ConfigurationStageRows;
  using Stages = ConfigurationStages;
  using Symmetric = ConfigurationSymmetricProjection;
  using AtEnd = ConfigurationProjection;
  using Frozen = ConfigurationFrozenProjection;
  using FinerStages = ConfigurationFinerStages;

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
