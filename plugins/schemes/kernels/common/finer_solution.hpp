#pragma once
/// \file
/// How far the solution of a method is from that of a finer one, for estimates of local errors: x + d solves the finer
/// equations F(x + d) = 0, and the error is a linear function e(d) of d.
///
/// The end values of a step are far more accurate than the polynomials inside it (superconvergence), so that e(d) is
/// smaller than d by powers of h, and what a poor matrix mixes into it hides it. Hence iterations with an approximate
/// inverse A, which needs neither the Jacobian of F nor its factors,
///
///     d <- d - A^-1 F(x + d)
///
/// at least so many as it takes for the error of A, a factor of O(h) an iteration, to pass from the last coefficient to
/// the first, until e changes by less than half of itself; and where they do not contract, two of Newton's method with
/// the Jacobian at x (with one, the second-order remainder of d may exceed e). The iterations depend on nothing but the
/// step, so that a run that is continued from a checkpoint has the same estimates.
///
/// Measured, estimate over true error: see validation/test/schemes/test_local_error.cpp.

#include <cmath>
#include <memory>
#include <utility>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/newton_matrix.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// Whether one step of h led from z0 to z1: it may have been cut into several.
bool led(const State& z0, const State& z1, double h);

class FinerSolution {
 public:
  /// The equations, their inverse and the table outlive this object. of_q, of_v: what makes errors of q, and of v or p,
  /// those in the metric of M, M_jj^1/2 and of p its inverse. Throws as newton_matrix does.
  FinerSolution(NonlinearEquations& equations, ApproximateInverse& inverse, const AlgebraTable& table, Vector of_q,
                Vector of_v);

  /// After the equations' begin: e(d) by measure(d, error_q, error_v). False where F cannot be evaluated or both ways
  /// fail.
  template <class Measure>
  bool estimate(const Vector& x, int least_iterations, const Measure& measure) {
    try {
      equations_->scales(columns_, rows_);
      if (!std::exchange(prepared_, true)) matrix_->prepare(x);
      if (!iterate(x, least_iterations, measure) && (spares_ || !newton(x, measure))) return false;
    } catch (...) {
      return false;
    }
    return q_.allFinite() && v_.allFinite();
  }
  /// Whether there is no estimate where the iterations do not contract, unless the equations are few.
  void spare(bool on) { spares_ = on && x_.size() > ApproximateInverse::few_unknowns; }
  const Vector& error_q() const { return q_; }
  const Vector& error_v() const { return v_; }

 private:
  static constexpr int more_iterations = 14;
  static constexpr double settled = 0.5, contracts = 0.8;

  template <class Measure>
  bool iterate(const Vector& x, int least, const Measure& measure) {
    if (!inverse_->update(x)) return false;
    d_.setZero();
    double last = 0, before = 0;
    for (int i = 1; i <= least + more_iterations; ++i) {
      x_ = x + d_;
      equations_->residual(x_, f_);
      inverse_->solve(f_, step_);
      d_ -= step_;
      const double size = step_.cwiseQuotient(columns_).lpNorm<Eigen::Infinity>();
      const bool rounded = size <= thresholds::finer_change;
      // Positions and velocities take turns: what counts is two iterations.
      if (!std::isfinite(size) || (i > 2 && !rounded && size > contracts * before)) return false;
      before = last;
      last = size;
      if (!rounded && i < least) continue;
      measure(d_, q_, v_);
      if (rounded) return true;
      measure(step_, change_q_, change_v_);
      const auto is_settled = [](const Vector& change, const Vector& whole, const Vector& weight) {
        return change.cwiseProduct(weight).norm() <= settled * whole.cwiseProduct(weight).norm();
      };
      if (is_settled(change_q_, q_, of_q_) && is_settled(change_v_, v_, of_v_)) return true;
    }
    return false;
  }

  template <class Measure>
  bool newton(const Vector& x, const Measure& measure) {
    if (!matrix_->factorise(x)) return false;
    d_.setZero();
    for (int i = 0; i < 2; ++i) {
      x_ = x + d_;
      equations_->residual(x_, step_);
      if (!step_.allFinite() || !matrix_->solve(step_)) return false;
      d_ -= step_;
    }
    measure(d_, q_, v_);
    return true;
  }

  NonlinearEquations* equations_;
  ApproximateInverse* inverse_;
  std::unique_ptr<NewtonMatrix> matrix_;
  bool prepared_ = false, spares_ = false;
  Vector x_, f_, step_, d_, columns_, rows_;
  Vector q_, v_, change_q_, change_v_, of_q_, of_v_;
};

}  // namespace gnomon::kernels
