#pragma once
/// \file
/// The corrections of the discrete derivatives of energy-momentum-ggl, see ggl_equations.hpp: scalars times one
/// direction, part: M dq; zorb: orthogonal to the orbits of the symmetries. They vanish identically for U and g of
/// degree two.

#include "energy_momentum_ggl/ggl_frame.hpp"
#include "energy_momentum_ggl/orbits.hpp"
#include "kernels/common/energy_left.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/split_gradient.hpp"

namespace gnomon::kernels {

class GglCorrections {
 public:
  /// `split` is the discrete derivative of U, where the rule has one.
  GglCorrections(const System& system, GglFrame& frame, SplitGradient& split);

  void begin(const StepScales& scales);
  EnergyLeft& energy_left() { return energy_left_; }
  /// c of all discrete derivatives, an energy, at points that the residual has filled.
  double energy(GglPoints<double>& b) { return position_correction(b) / frame_->h() + velocity_correction(b); }

  /// f += the corrections, at points that the residual has filled.
  template <class S>
  void add(GglPoints<S>& b, VectorRefOf<S> f) {
    const double h = frame_->h();
    if (!energy_left_.active()) return;
    if (!rule_.orthogonal) {
      const S norm = b.u.dot(b.mass_u);
      if (value_of(norm) * h * h <= n_min_) return;  // removable: c = O(|dq|^3)
      const S k = (position_correction(b) + velocity_correction(b) * h + S(energy_left_.left() * h)) / (norm * h);
      for (Index j = 0; j < n_; ++j) f[n_ + j] += b.mass_u[j] * k;
      return;
    }
    auto& o = orbits_.template directions<S>();
    S norm = orbits_.position(b.dq, b.qm, o);
    if (value_of(norm) > n_min_) {
      const S k = (position_correction(b) + S(energy_left_.left() * h)) / norm;
      at_.mass_times(o.q, b.a);
      for (Index j = 0; j < n_; ++j) f[n_ + j] += b.a[j] * k;
    }
    if (!rule_.correct_constraints) return;
    norm = orbits_.phase(b.dq, b.y, b.qm, b.vm, h, o);
    if (value_of(norm) <= n_min_) return;
    const S k = velocity_correction(b) / norm;
    at_.mass_times(o.q, b.a);
    for (Index j = 0; j < n_; ++j) f[n_ + j] += b.a[j] * k * h;
    at_.mass_times(o.v, b.a);
    for (Index j = 0; j < n_; ++j) f[j] -= b.a[j] * k * (h * h);
  }

  /// part: F2 += M u k, k = C/(h N), N = u.M u:  dF2 = M u dk^T + k M du,  dk = (dC - 2 h k M u)/(h N), at points that
  /// set_points has filled. False where the correction is skipped.
  bool linearise();
  double k() const { return k_; }
  const Vector& dk() const { return dk_; }

 private:
  /// C_q = h c_U + mu.c_g,  c_f = f1 - f0 - grad f(q_m).dq; that of constraints of velocities is zero.
  template <class S>
  S position_correction(GglPoints<S>& b) {
    S c(0.0);
    if (rule_.correct_potential) c += (frame_->potential_difference(b) - b.gradient.dot(b.dq)) * frame_->h();
    if (rule_.correct_constraints) {
      const auto& g1 = end_constraints(b);
      for (Index i = 0; i < m_; ++i) c += b.mu[i] * (g1[i] - S(frame_->g0()[i]));
      c -= b.force.dot(b.dq);
      for (Index i = 0; i < frame_->velocities; ++i) c += b.mu[m_ - frame_->velocities + i] * b.slide[i] * frame_->h();
    }
    return c;
  }
  /// gamma.c_Psi. part: (G1 - G0) v_m + g_t1 - g_t0 - D.dq;  zorb: Psi1 - Psi0 - D.dq - G_m y,  D = Hess g(q_m) v_m +
  /// grad g_t(q_m)
  template <class S>
  S velocity_correction(GglPoints<S>& b) {
    if (!rule_.correct_constraints) return S(0.0);
    b.a.setConstant(S(0.0));
    frame_->add_start_force(b.gamma, b.a);
    S c = -b.turn.dot(b.dq);
    if (rule_.orthogonal) {
      for (Index j = 0; j < n_; ++j) c -= b.a[j] * frame_->v0<S>(j) + b.impulse[j] * b.y[j];
      at_.constraint_force(frame_->t1(), b.q1, b.gamma, b.a);
      c += b.a.dot(b.v1);
    } else {
      c -= b.a.dot(b.vm);
      at_.constraint_force(frame_->t1(), b.q1, b.gamma, b.a);
      c += b.a.dot(b.vm);
    }
    if (!moving()) return c;
    const auto& rate1 = rates(b);
    for (Index i = 0; i < m_; ++i) c += b.gamma[i] * (rate1[i] - S(frame_->rate0()[i]));
    return c;
  }
  /// out = d(c_U)/dq1 = grad U(q1) - grad U(q_m) - (Hess U(q_m)) dq/2, of U2 where the quotients take the rest of U.
  void linearise_potential(GglPoints<double>& b, Vector& out);
  bool moving() const { return frame_->times.moving(); }
  /// g_t(q1) of the average
  template <class S>
  const VectorOf<S>& rates(GglPoints<S>& b) {
    b.a.setConstant(S(0.0));
    at_.constraint_velocity(frame_->t1(), b.q1, b.a, rates_.get<S>());
    return rates_.get<S>();
  }
  /// g(q1) of the average, which for constraints at rest the residual has.
  template <class S>
  const VectorOf<S>& end_constraints(GglPoints<S>& b) {
    if (!moving()) return b.g1;
    frame_->end_constraints(at_, b, g1_.get<S>());
    return g1_.get<S>();
  }

  const System* system_;
  GglFrame* frame_;
  const GglRule rule_;
  SystemAt at_;
  SplitGradient* split_;
  Orbits orbits_;
  Index n_, m_;
  double n_min_ = 0, k_ = 0;
  EnergyLeft energy_left_;
  ForAllScalars<VectorOf> g1_, rates_;  ///< of the average, at q1
  Vector dk_, dc_q_, mu_, work_, regular_, no_invariants_, no_multipliers_, g_values_, h_values_;
};

}  // namespace gnomon::kernels
