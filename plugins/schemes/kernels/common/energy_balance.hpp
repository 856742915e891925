#pragma once
/// \file
/// The terms of the energy balance: what works on a system beside its Hamiltonian, forces and constraints that move.
///
/// Forces. A force Q(q,v,t) outside the potential in one step of a discrete-derivative scheme, and its work.
///
/// One stage: p1 - p0 = ... + h Qbar, Qbar = Q(q_m, dq/h, t_m). Multiplied by dq/h, as in the proof of each scheme's
/// energy, it gives exactly H1 - H0 = Qbar.dq, dq the whole increment of the positions. Line integrals: the force
/// enters like grad U, through its moments sum_l b_l P_j(c_l) Q_l, Q_l = Q(q_l, q'_l, t_l), and since q' = sum_j P_j
/// u_j, the same product gives H1 - H0 = h sum_l b_l Q_l.q'_l, exact where H is.
///
/// U(q,t) and g(q,t) there: everything at its node's time, and the booked work is
///
///     h sum_l b_l U_t(q_l,t_l)  -  h sum_l b_l lambda_l.G_l q'_l  -  sum_l b_l gamma_l.[h Psi_q q' + Psi_p p']_l,
///
/// the second and third term the work of the constraint forces, which only moving constraints do. H1 - H0 is this work
/// up to the quadrature error of dH/dc, O(h^2k).
///
/// In both the velocity is that of the positions, so that a damper Q = -C v, C symmetric positive semidefinite, has
/// negative work: it takes energy in every step, for every h > 0.
///
/// Time. U(q,t) and g(q,t), any smooth ones, in one step of a discrete-derivative scheme. Before a discrete derivative
/// D by the state is applied, they are averaged over the two times (time_average.hpp),
///
///     fbar(z) = [f(z,t0) + f(z,t1)]/2,    D_t f = [f(z0,t1) - f(z0,t0) + f(z1,t1) - f(z1,t0)]/2       (an increment)
///
/// so that D fbar.dz + D_t f = f(z1,t1) - f(z0,t0), and with g = 0 (and Psi = G T_p + dg/dt = 0) at both ends of the
/// step the proofs of energy give exactly
///
///     H1 - H0 = Qbar.dq + D_t U + lambda.D_t g + gamma.D_t Psi.
///
/// The rows g = 0 and Psi = 0 are those of the true system at t1. Of a system that does not depend on time fbar = f,
/// and everything is evaluated once.

#include <memory>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/time_average.hpp"

namespace gnomon::kernels {

class AppliedForce {
 public:
  explicit AppliedForce(const System& system);

  bool active() const { return active_; }

  /// Q(q,v,t), valid until the next call.
  template <class S>
  const VectorOf<S>& operator()(double t, const VectorOf<S>& q, const VectorOf<S>& v) {
    auto& force = force_.get<S>();
    at_.force(t, q, v, force);
    return force;
  }
  /// Q.d
  long double work(double t, const Vector& q, const Vector& v, const Vector& d);

  /// The place of its derivatives in a matrix.
  struct Place {
    BlockMap by_q, by_v;
  };
  void place(Layout& layout, Place& place, const Block& rows, const Block& unknown) const;
  void linearise(double t, const Vector& q, const Vector& v);
  /// values += a dQ/dq + b dQ/dv, as of the last linearise
  void add(const Place& place, double a, double b, VectorRef values) const;

 private:
  const System* system_;
  SystemAt at_;
  bool active_;
  ForAllScalars<VectorOf> force_;
  Vector by_q_, by_v_;
};

/// The time after a step of h, to the last bit that of State::advance_time: g(q1,t1) of a step is the g(q0,t0) of the
/// next one, and a support that moves while t is rounded would do work.
double time_after(const State& z, double h);

/// The two times of a step, and what they do.
class StepTimes {
 public:
  explicit StepTimes(const System& system);

  bool moving() const { return mean_ != nullptr; }
  /// fbar, which discrete derivatives are applied to.
  const System& mean() const { return mean_ ? static_cast<const System&>(*mean_) : *system_; }
  void begin(const State& z0, double h);
  double middle() const { return tm_; }
  double end() const { return t1_; }

  /// D_t U
  long double potential_work(const Vector& q0, const Vector& q1) const;
  /// lambda.D_t g
  long double position_work(const Vector& q0, const Vector& q1, const Vector& lambda);
  /// gamma.D_t Psi
  long double velocity_work(const Vector& q0, const Vector& v0, const Vector& q1, const Vector& v1,
                            const Vector& gamma);

 private:
  const System* system_;
  std::unique_ptr<TimeAverage> mean_;
  double t0_ = 0, tm_ = 0, t1_ = 0;
  Vector at_t0_, at_t1_;
};

}  // namespace gnomon::kernels
