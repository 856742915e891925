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
#include <numeric>
#include <vector>

#include "gnomon/model/system.hpp"
#include "kernels/common/step_frame.hpp"

namespace gnomon::kernels {

class BalanceRefinement {
 public:
  explicit BalanceRefinement(const System& system) : system_(&system), n_(system.n()) {
    reciprocal_ = system.mass().diagonal_entries().cast<long double>().cwiseInverse();
    for (Vector* v : {&below_, &product_, &dq_, &dq_low_, &dp_, &dp_low_}) v->setZero(n_);
    find_columns(system.constraint_pattern());
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
    system_->constraint_jacobian(step.tm, b.qm, g_values_);
    const long double h = step.h, half = 0.5L * h;
    const double allowed = 1e-13 * b.dq.lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < n_; ++j) {
      long double force = static_cast<long double>(b.u[j]) + product_[j];
      for (Index k = begin_[at(j)]; k < begin_[at(j) + 1]; ++k) {
        const auto [row, value] = entries_[at(k)];
        force += static_cast<long double>(g_values_[value]) * b.lambda[row];
      }
      store(-h * force, dp_[j], dp_low_[j]);
      store(h * (p0[j] + (p0_tail[j] - half * force)) * reciprocal_[j], dq_[j], dq_low_[j]);
      if (!(std::abs(dq_[j] - dq[j]) <= allowed)) return false;
    }
    dq = dq_;
    dq_low = dq_low_;
    dp = dp_;
    dp_low = dp_low_;
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

  static std::size_t at(Index j) { return static_cast<std::size_t>(j); }
  /// G by columns: a force is then summed in a register, and not rounded on the way.
  void find_columns(const SparsityPattern& g) {
    begin_.assign(at(n_) + 1, 0);
    for (const Index j : g.indices) ++begin_[at(j) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    entries_.resize(g.indices.size());
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for (Index i = 0; i < g.rows; ++i)
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k)
        entries_[at(next[at(g.indices[at(k)])]++)] = {static_cast<int>(i), static_cast<int>(k)};
  }

  struct Entry {
    int row, value;
  };

  const System* system_;
  Index n_;
  VectorOf<long double> reciprocal_;  // 1/M_jj
  std::vector<Index> begin_;          // of column j among entries_
  std::vector<Entry> entries_;
  Vector below_, product_, g_values_, dq_, dq_low_, dp_, dp_low_;
};

}  // namespace gnomon::kernels
