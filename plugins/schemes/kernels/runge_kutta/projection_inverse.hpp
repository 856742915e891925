#pragma once
/// \file
/// The approximate inverse of manifold_projection.hpp, constant mass: its Newton matrix at x = 0, without the second
/// derivatives, which the corrections, of the size of an error of the step, multiply. At (q^, v^), with
/// K = d(G v + g_t)/dq, A = G W^-1 G^T and l_q, l_v, t_q, t_v of energy_feasibility.hpp,
///
///     W dq - G^T mu - W t_q eta = f1,    G dq = f2
///     W dv - G^T nu - W t_v eta = f3,    K dq + G dv = f4
///     e_q.dq + e_v.dv = f5,    e_q = grad U - G^T l_q - K^T l_v,    e_v = M v - G^T l_v
///
/// hence, for G t_q = G t_v = G W^-1 e_v = 0,
///
///     A mu = f2 - G W^-1 f1,         dq = W^-1 (f1 + G^T mu) + t_q eta
///     A nu = f4 - G W^-1 f3 - K dq,  dv = W^-1 (f3 + G^T nu) + t_v eta
///     (e_q.t_q + e_v.t_v) eta = f5 - e_q.dq0 - e_v.dv0,    dq0, dv0: those of eta = 0
///
/// Where H is reached eta = f5. The factors of A are those of the feasibility.

#include <cmath>

#include "kernels/runge_kutta/end_projection.hpp"

namespace gnomon::kernels {

class ProjectionInverse final : public ApproximateInverse {
 public:
  explicit ProjectionInverse(const System& system, ProjectionFrame<ConstantRkInertia>& frame)
      : system_(&system), frame_(&frame), n_(system.n()), m_(system.m()) {
    for (Vector* v : {&q_, &v_, &e_q_, &e_v_, &force_, &dq_, &dv_}) v->setZero(n_);
    for (Vector* v : {&mu_, &nu_, &turned_, &right_}) v->setZero(m_);
    k_values_.setZero(system.constraint_pattern().nonzeros());
  }

  bool is_leading() const override { return true; }
  bool update(const ConstVectorRef&) override {
    ConstantEnd& end = frame_->end;
    end.place(frame_->dq_hat, q_);
    end.place_second(frame_->d_hat, v_);
    if (!frame_->rule.energy && !frame_->gram.update(end.t(), q_)) return false;
    if (!frame_->rule.velocity) return true;
    end.hidden_jacobian(q_, v_, k_values_);
    if (!frame_->rule.energy) return true;
    const EnergyFeasibility<ConstantRkInertia>& energy = *frame_->energy_tangent;
    const SparsityPattern& g = system_->constraint_pattern();
    system_->potential_gradient(end.t(), q_, e_q_);
    multiply_transposed(g, frame_->gram.jacobian(), energy.l_q(), force_);
    e_q_ -= force_;
    multiply_transposed(g, k_values_, energy.l_v(), force_);
    e_q_ -= force_;
    e_v_ = end.momentum(v_);
    multiply_transposed(g, frame_->gram.jacobian(), energy.l_v(), force_);
    e_v_ -= force_;
    slope_ = e_q_.dot(energy.t_q()) + e_v_.dot(energy.t_second());
    return frame_->feasibility == Feasibility::reached || std::abs(slope_) > 0;
  }

  void solve(const ConstVectorRef& f, VectorRef d) override {
    level(f, d, 0, dq_, mu_);
    if (!frame_->rule.velocity) return;
    multiply(system_->constraint_pattern(), k_values_, dq_, turned_);
    level(f, d, n_ + m_, dv_, nu_);
    if (!frame_->rule.energy) return;
    const EnergyFeasibility<ConstantRkInertia>& energy = *frame_->energy_tangent;
    const Index last = 2 * (n_ + m_);
    double eta = f[last];
    if (frame_->feasibility != Feasibility::reached) eta = (eta - e_q_.dot(dq_) - e_v_.dot(dv_)) / slope_;
    d[last] = eta;
    // K t_q eta is taken out of dv, too.
    d.head(n_) += eta * energy.t_q();
    multiply(system_->constraint_pattern(), k_values_, energy.t_q(), turned_);
    frame_->gram.solve(turned_);
    frame_->gram.velocity(turned_, force_);
    d.segment(n_ + m_, n_) += eta * (energy.t_second() - force_);
    d.segment(2 * n_ + m_, m_) -= eta * turned_;
  }

 private:
  /// delta and multiplier of the rows and unknowns from `first` on, without eta
  void level(const ConstVectorRef& f, VectorRef d, Index first, Vector& delta, Vector& multiplier) {
    force_ = f.segment(first, n_);
    right_ = f.segment(first + n_, m_);
    if (first > 0) right_ -= turned_;
    frame_->gram.solve_saddle(force_, right_, delta, multiplier);
    multiplier = -multiplier;
    d.segment(first, n_) = delta;
    d.segment(first + n_, m_) = multiplier;
  }

  const System* system_;
  ProjectionFrame<ConstantRkInertia>* frame_;
  Index n_, m_;
  double slope_ = 0;
  Vector q_, v_, e_q_, e_v_, force_, dq_, dv_, mu_, nu_, turned_, right_, k_values_;
};

}  // namespace gnomon::kernels
