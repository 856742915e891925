#pragma once
/// \file
/// A constant mass in a projected-rk step: stages in accelerations, increments of (q, v).

#include "gnomon/model/system_at.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/runge_kutta/finer_stages.hpp"
#include "kernels/runge_kutta/frozen_projection.hpp"
#include "kernels/runge_kutta/manifold_projection.hpp"
#include "kernels/runge_kutta/rk_stages.hpp"
#include "kernels/runge_kutta/symmetric_projection.hpp"

namespace gnomon::kernels {

class ConstantRkMotion {
 public:
  using StageRows = RkStageRows;
  using Stages = RkStages;
  using Symmetric = SymmetricProjection;
  using AtEnd = ManifoldProjection;
  using Frozen = FrozenProjection;
  using FinerStages = kernels::FinerStages;

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

}  // namespace gnomon::kernels
