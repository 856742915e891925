#pragma once
/// \file
/// The last rounding errors of a solution of the midpoint residual, in long double: x + low is what solves it.
///
///     balance   dp from F2 with q_m and the multipliers as solved, then dq from F1
///     stiff     dp from F1: where a penalty has mu h^2 w/2 > 1, F2 carries h mu eps of rounding (errata, 000, 10)
///
/// G and grad U belong to the midpoint itself, not to its rounded value: the difference enters through the Hessians.
/// Without this the energy does a random walk by an ulp of dp.v a step, 6e-14 in 1e6 steps of the double spherical
/// pendulum instead of 4e-15.

#include <cmath>

#include "gnomon/system.hpp"
#include "step_frame.hpp"

namespace gnomon::kernels {

class BalancePolish {
 public:
  explicit BalancePolish(const System& system) : system_(&system), n_(system.n()) {
    sum_.setZero(n_);
    reciprocal_ = system.mass().diagonal_entries().cast<long double>().cwiseInverse();
    change_.setZero(n_);
    for (Vector* v : {&below_, &product_}) v->setZero(n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
  }

  /// b: the solution, with u and lambda; `smooth`: u is grad U(q_m), whose value at the rounded q_m is corrected too.
  /// Leaves x as it is where the step is so large that dq cancels in F1. M diagonal.
  /// Then it returns false.
  bool balance(const StepFrame& step, StepPoint<double>& b, bool smooth, VectorRef dq, VectorRef dq_low, VectorRef dp,
               VectorRef dp_low) {
    const Vector &q0 = step.z0->q.value(), &p0 = step.z0->p.value(), &p0_tail = step.z0->p.tail();
    below_ = 0.5 * b.dq + step.z0->q.tail();
    below_ -= b.qm - q0;  // q_m minus its rounded value
    if (smooth) {
      system_->potential_hessian_times(step.tm, b.qm, below_, product_);
      b.u += product_;
    }
    system_->constraint_hessian_times(step.tm, b.qm, b.lambda, below_, product_);
    for (Index j = 0; j < n_; ++j) sum_[j] = static_cast<long double>(b.u[j]) + product_[j];
    system_->constraint_jacobian(step.tm, b.qm, g_values_);
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < g.rows; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
        sum_[g.indices[k]] += static_cast<long double>(g_values_[k]) * b.lambda[i];
    const long double allowed = 1e-13L * b.dq.lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < n_; ++j) {
      sum_[j] *= -step.h;  // dp
      change_[j] = step.h * (p0[j] + (p0_tail[j] + sum_[j] / 2)) * reciprocal_[j];
      if (!(std::abs(change_[j] - dq[j]) <= allowed)) return false;
    }
    for (Index j = 0; j < n_; ++j) {
      store(change_[j], dq[j], dq_low[j]);
      store(sum_[j], dp[j], dp_low[j]);
    }
    return true;
  }

  /// dp (1/2 + s w_j) = M dq/h - p0, where w_j is the factor of dp in F1 for one unit of s. M diagonal.
  template <class Weight>
  void stiff(const StepFrame& step, double s, const Weight& weight, VectorRef x, VectorRef low) const {
    const Vector &p0 = step.z0->p.value(), &p0_tail = step.z0->p.tail();
    const Vector& mass = system_->mass().diagonal_entries();
    for (Index j = 0; j < n_; ++j) {
      const long double momentum = static_cast<long double>(mass[j]) * x[j] / step.h;
      store((momentum - p0[j] - p0_tail[j]) / (0.5L + s * weight(j)), x[n_ + j], low[n_ + j]);
    }
  }

 private:
  static void store(long double sum, double& value, double& low) {
    value = static_cast<double>(sum);
    low = static_cast<double>(sum - value);
  }

  const System* system_;
  Index n_;
  VectorOf<long double> sum_, change_, reciprocal_;  // 1/M_jj
  Vector below_, product_, g_values_;
};

}  // namespace gnomon::kernels
