#pragma once
/// \file
/// T(q,p) = p.M(q)^-1 p/2 in the midpoint residual (midpoint_equations.hpp):
///
///     F1 = dq - h (T_p + s W_p dp),    F2 = dp + h (T_q + u + G(q_m)^T F + s W_q dq - Q)        T_p, T_q at (q_m, p_m)
///
/// Without s this is (40) of Glowinski and Holmstroem, which in (q,p) is the implicit midpoint rule: with p^n =
/// p^(n-1/2) + (h/2) L_q^(n-1/2) and p^(n+1/2) = L_v(q_m, dq/h) it reads p_m = p^(n+1/2). With s it is Gonzalez'
/// discrete derivative in z = (q,p), c = H1 - H0 - grad H(z_m).dz + the Multiplier's part, N = dz.W dz, and dq.F2 -
/// dp.F1 = 0 gives H1 - H0 = Q.dq. Where the system has symmetries dz in the terms of s, and in N, is n, the part of dz
/// that is orthogonal to their orbits (lifted_orbits.hpp), which keeps their momentum maps. W is 1 (weight=identity) or
/// diag(W, h^2 W^-1), W = diag M at a typical configuration (weight=mass). At dz = 0 the quotient has a removable
/// singularity of value zero: c is O(|dz|^3), and where |dz| is less than 3e-9 of what it counts against
/// (StepScales::length2) it is below the last digit of an extended H, and skipped.
///
/// The Newton matrix is dense and small. Where the Multiplier's part of it is assembled, so is that of T, from its
/// Hessian; elsewhere all of it comes from dual numbers.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/lifted_orbits.hpp"
#include "kernels/common/step_frame.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/general_quotient.hpp"

namespace gnomon::kernels {

/// N, and the terms of s in F1 and F2.
class ConfigurationQuotient {
 public:
  ConfigurationQuotient(const System& system, GeneralQuotient::Weight weight, bool active, Index unknowns);

  bool active() const { return active_; }
  void begin(const Vector& q0, const StepScales& scales, double h);
  double smallest() const { return n_min_; }

  template <class S>
  S norm(const StepPoint<S>& b) {
    return orbits_.direct(b, by_q_, by_p_);
  }
  /// After norm() of the same point.
  template <class S>
  void add(const StepPoint<S>&, const S& s, VectorRefOf<S> f) const {
    const auto& along = orbits_.direction<S>();
    const Index n = by_q_.size();
    for (Index j = 0; j < n; ++j) {
      f[j] -= s * along.p[j] * (by_p_[j] * h_);
      f[n + j] += s * along.q[j] * (by_q_[j] * h_);
    }
  }
  /// dF1 -= h W_p (n_p ds^T + s dn_p), dF2 += h W_q (n_q ds^T + s dn_q), ds = (dc - s dN)/N, on dense rows; `linearise`
  /// returns c and adds its gradient to its argument. dN and dn come from dual numbers, which evaluate no model. False
  /// where N counts as zero.
  template <class Linearise>
  bool add_jacobian(const StepPoint<double>& b, const SparsityPattern& pattern, VectorRef values,
                    const Linearise& linearise) {
    const Index n = by_q_.size(), size = gradient_.size();
    const double norm = this->norm(b);
    if (norm <= n_min_) return false;
    gradient_.setZero();
    const double s = linearise(gradient_) / norm;
    const auto& along = orbits_.direction<double>();
    for (Index j = 0; j < n; ++j) {
      moved_.dq[j].value = b.dq[j];
      moved_.dp[j].value = b.dp[j];
      moved_.qm[j].value = b.qm[j];
      moved_.pm[j].value = b.pm[j];
    }
    for (Index k = 0; k < 2 * n; ++k) {
      Dual1 &increment = k < n ? moved_.dq[k] : moved_.dp[k - n], &middle = k < n ? moved_.qm[k] : moved_.pm[k - n];
      increment.grad[0] = 1;
      middle.grad[0] = 0.5;
      gradient_[k] -= s * this->norm(moved_).grad[0];
      increment.grad[0] = middle.grad[0] = 0;
      const auto& turned = orbits_.direction<Dual1>();
      for (Index j = 0; j < n; ++j) {
        values[pattern.offsets[j] + k] -= h_ * s * by_p_[j] * turned.p[j].grad[0];
        values[pattern.offsets[n + j] + k] += h_ * s * by_q_[j] * turned.q[j].grad[0];
      }
    }
    gradient_ /= norm;
    for (Index j = 0; j < n; ++j) {
      values.segment(pattern.offsets[j], size) -= (h_ * by_p_[j] * along.p[j]) * gradient_;
      values.segment(pattern.offsets[n + j], size) += (h_ * by_q_[j] * along.q[j]) * gradient_;
    }
    return true;
  }
  /// What a rounding error `noise` in c does to the rows scaled by |h| scale/sqrt(mass) and scale sqrt(mass).
  double floor(const ConstVectorRef& x, double noise, double scale) const;

 private:
  bool active_, identity_;
  Vector mass_, by_q_, by_p_, gradient_;
  LiftedOrbits orbits_;
  StepPoint<Dual1> moved_;  ///< with one derivative
  double h_ = 0, n_min_ = 0;
};

class ConfigurationInertia {
 public:
  static constexpr bool constant_mass = false, refines = true;
  using Quotient = ConfigurationQuotient;

  ConfigurationInertia(const System& system, SystemAt& at);

  template <class S>
  void allocate(StepPoint<S>& b) const {
    for (auto* v : {&b.pm, &b.p1, &b.t_q, &b.t_p}) v->setConstant(n_, S(0.0));
  }
  /// Every row depends on every unknown.
  void lay_out(Layout&, const Block&, const Block&, const Block&) const {}

  /// out = T_p
  void velocity(const Vector& q, const Vector& p, Vector& out) { mass().kinetic_gradient(q, p, t_q_, out); }
  /// out += T_q
  void add_gradient(const Vector& q, const Vector& p, Vector& out);

  template <class S>
  void place(const StepFrame& step, StepPoint<S>& b) const {
    const Vector &p0 = step.z0->p.value(), &p_tail = step.z0->p.tail();
    b.pm = (b.dp * S(0.5) + p_tail.template cast<S>()) + p0.template cast<S>();
    b.p1 = (b.dp + p_tail.template cast<S>()) + p0.template cast<S>();
  }
  template <class S>
  void rates(StepPoint<S>& b) const {
    at_->kinetic_gradient(b.qm, b.pm, b.t_q, b.t_p);
  }
  template <class S>
  void rows(const StepFrame& step, const StepPoint<S>& b, VectorRefOf<S> f) const {
    for (Index j = 0; j < n_; ++j) {
      f[j] = b.dq[j] - b.t_p[j] * step.h;
      f[n_ + j] = b.dp[j] + (b.t_q[j] + b.u[j] + b.force[j]) * step.h;
    }
  }
  void rate_scales(const StepScales& scales, double unit, VectorRef rows) const { rows = unit * scales.dq(); }
  /// Hess T at the midpoint, to which the Multiplier may add.
  Matrix& hessian(const StepPoint<double>& b);
  /// dF1 = [1 - h/2 T_pq, -h/2 T_pp], dF2 += [h/2 T_qq, h/2 T_qp] on dense rows, after hessian()
  void add_jacobian(double h, const SparsityPattern& pattern, VectorRef values);

  /// T at a compensated state
  long double energy(const Vector& q, const Vector& q_tail, const Vector& p, const Vector& p_tail);
  /// T at the end
  Dual1 energy(const StepPoint<Dual1>& b) const { return at_->kinetic_energy(b.q1, b.p1); }
  /// T_q.dq + T_p.dp
  template <class S>
  S gradient_along(const StepPoint<S>& b) const {
    return b.t_q.dot(b.dq) + b.t_p.dot(b.dp);
  }
  /// The same with what T1 less it adds to the gradient of c, after rates() and hessian() at the same point
  double linearise(const StepPoint<double>& b, Vector& dc);
  /// c is a sum of terms of the size of dz.grad H; scale is the S of StepScales.
  double noise(long double energy, double scale) const;

 private:
  const gnomon::ConfigurationMass& mass() const { return *system_->parts().mass; }

  const System* system_;
  SystemAt* at_;
  Index n_;
  Vector t_q_, t_p_, increment_, change_;
  Matrix hessian_;
};

/// The hidden constraint Psi(q,p) = G(q) T_p(q,p) + g_t at both ends of a step, where the mass depends on q.
class HiddenConstraint {
 public:
  explicit HiddenConstraint(SystemAt& at);

  /// Psi(z0) at the compensated state: the end of one step is the start of the next one.
  void begin(const State& z0);
  /// Psi(z0), T_p(z0), and G(q0) on the constraint pattern.
  const Vector& start() const { return start_; }
  const Vector& start_jacobian() const { return g_values_; }
  /// Psi(z1), valid until the next call.
  template <class S>
  const VectorOf<S>& end(const StepFrame& step, const StepPoint<S>& b) {
    at_->kinetic_gradient(b.q1, b.p1, t_q_.get<S>(), t_p_.get<S>());
    at_->constraint_velocity(step.t1, b.q1, t_p_.get<S>(), psi_.get<S>());
    return psi_.get<S>();
  }
  template <class S>
  const VectorOf<S>& last() {
    return psi_.get<S>();
  }

 private:
  const System* system_;
  SystemAt* at_;
  ForAllScalars<VectorOf> t_q_, t_p_, psi_;
  VectorOf<Extended> q0_, p0_;
  Vector start_, g_values_;
};

}  // namespace gnomon::kernels
