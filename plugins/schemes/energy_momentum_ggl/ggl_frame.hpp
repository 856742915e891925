#pragma once
/// \file
/// The points and values of one step of energy-momentum-ggl that its residual, its Newton matrix and the corrections of
/// its discrete derivatives share, at double, at duals and at Extended.

#include <type_traits>

#include "energy_momentum_ggl/steps.hpp"
#include "gnomon/model/system_at.hpp"
#include "kernels/common/constraints_at.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/extended_state.hpp"

namespace gnomon::kernels {

/// Of one evaluation: u = dq/h, y = v1 - v0, and with the multipliers mu, gamma
///
///     impulse = M (D_pPsi)^T gamma   force = G(q_m)^T mu   turn = sum_i gamma_i Hess g_i(q_m) v_m   gradient = grad U
template <class S>
struct GglPoints {
  VectorOf<S> u, y, dq, qm, q1, vm, v1, mass_u, mass_y, impulse, force, turn, gradient, rate, a;  // n; a is scratch
  VectorOf<S> mu, lambda, gamma, row, g1;                                                         // m; row is scratch
  VectorOf<S> slide;  ///< A(q_m) u of constraints of velocities, averaged over the times

  ConstraintsAt<S> middle, end;             ///< G at q_m, of moving constraints averaged over the times; at (q1,t1)
  ConstraintsAt<S> middle_later, end_mean;  ///< of moving constraints: G at (q_m,t1), and the average at q1

  void resize(const System& system) {
    const Index n = system.n(), m = system.m();
    for (auto* g : {&middle, &end, &middle_later, &end_mean}) g->allocate(system);
    for (auto* v : {&u, &y, &dq, &qm, &q1, &vm, &v1, &mass_u, &mass_y, &impulse, &force, &turn, &gradient, &rate, &a})
      v->resize(n);
    for (auto* v : {&mu, &lambda, &gamma, &row, &g1}) v->resize(m);
    slide.setConstant(system.parts().n_velocity_constraints(), S(0.0));
  }
};

class GglFrame {
 public:
  GglFrame(const System& system, const GglRule& rule);

  const GglRule rule;
  StepTimes times;
  SystemAt at;                   ///< what discrete derivatives are applied to, averaged over the times of the step
  SystemAt end_at;               ///< the system, whose constraints hold at t1
  const Index n, m, velocities;  ///< coordinates, constraints, those of velocities among them

  void begin(const State& z0, double h);

  const System& mean() const { return times.mean(); }
  const State& z0() const { return *z0_; }
  double h() const { return h_; }
  double tm() const { return tm_; }
  double t1() const { return t1_; }
  const Vector& v0() const { return v0_.at<double>(); }
  template <class S>
  S v0(Index j) const {
    return v0_.at<S>()[j];
  }
  const Vector& g0() const { return g0_; }            ///< g(q0), of the average
  const Vector& g_end0() const { return g_end0_; }    ///< g(q0,t1), where the rows of moving constraints start from
  const Vector& rate0() const { return rate0_; }      ///< g_t(q0), of the average, where the rule has corrections
  const Vector& g_start() const { return g_start_; }  ///< G(q0), where the rule has corrections
  double u0() const { return static_cast<double>(u0_); }

  template <class S>
  GglPoints<S>& points() {
    return points_.get<S>();
  }

  template <class S, class X>
  void set_points(const X& x, GglPoints<S>& b) const {
    b.u = x.head(n);
    b.y = x.segment(n, n);
    b.mu = x.segment(2 * n, m);
    b.gamma = x.tail(m);
    b.dq = b.u * S(h_);
    b.qm = (b.dq * S(0.5) + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
    b.q1 = (b.dq + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
    b.vm = b.y * S(0.5) + v0_.at<S>().template cast<S>();
    b.v1 = b.y + v0_.at<S>().template cast<S>();
  }

  /// out += G(q0)^T gamma
  template <class S>
  void add_start_force(const VectorOf<S>& gamma, VectorOf<S>& out) const {
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) out[g.indices[k]] += gamma[i] * start_entry<S>(k);
  }

  /// g(q1) of the system or of the average, and U(q1) - U(q0), from the compensated q1, the values of duals too: their
  /// rounding errors would be the energy's, and after a short dq the Newton matrix's.
  void end_constraints(SystemAt& at, GglPoints<double>& b, Vector& out);
  void end_constraints(SystemAt& at, GglPoints<Dual1>& b, VectorOf<Dual1>& out);
  void end_constraints(SystemAt& at, GglPoints<Extended>& b, VectorOf<Extended>& out);
  double potential_difference(GglPoints<double>& b);
  Dual1 potential_difference(GglPoints<Dual1>& b);
  Extended potential_difference(GglPoints<Extended>& b);

 private:
  /// Entry k of G(q0)
  template <class S>
  std::conditional_t<std::is_same_v<S, Extended>, Extended, double> start_entry(Index k) const {
    if constexpr (std::is_same_v<S, Extended>)
      return extended_g_start_[k];
    else
      return g_start_[k];
  }
  void end_tail(const GglPoints<double>& b) { tail_ = (b.dq + z0_->q.tail()) - (b.q1 - z0_->q.value()); }
  void copy_end(const GglPoints<Dual1>& b);

  const System* system_;
  const State* z0_ = nullptr;
  double h_ = 0, tm_ = 0, t1_ = 0;
  long double u0_ = 0;
  ForAllScalars<GglPoints> points_;
  StartVelocity v0_;
  Vector g0_, g_end0_, rate0_, g_start_, end_, tail_, gradient_, g_values_;
  VectorOf<Extended> extended_g_start_, extended_q0_;
};

}  // namespace gnomon::kernels
