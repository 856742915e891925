#pragma once
/// \file
/// Newton's method with the simplified matrix A that a scheme exposes (NonlinearEquations::simplified_newton), set once
/// a solve, at the start value:
///
///     x <- x - A^-1 F(x)
///
/// as long as every correction is a tenth of the one before. Where one is not, the start value is not near enough, A is
/// singular, or F cannot be evaluated, the strategy that tried it begins with dF/dx at the same start value, as if it
/// had not been tried: what is solved without A is solved.
///
/// Iterative refinement ends with a correction d = A^-1 f of the size of rounding, and what A errs in it stays, of the
/// energy a random walk. Where A contracts by less than 1e4 the same right-hand side is solved better, with dF/dx by
/// differences of F along d:
///
///     d <- d + A^-1 (f - (dF/dx) d)
///
/// which takes 4.9e-14 in 1e5 steps of h = .05 of the double spherical pendulum, k = 6, s = 4, away.

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"

namespace gnomon {

class SimplifiedNewton {
 public:
  /// Allocates everything. Nothing is tried where the scheme exposes no such matrix, and where the user chose where
  /// the Jacobian comes from or what solves with it.
  void attach(ScaledEquations& equations) {
    inverse_ = equations.source() == JacobianSource::analytic && equations.attached_algebra() == nullptr
                   ? equations.equations().simplified_newton()
                   : nullptr;
    equations_ = &equations;
    if (inverse_ == nullptr) return;
    for (Vector* v : {&start_, &f_, &dx_, &right_, &x_, &ahead_, &behind_}) v->setZero(equations.size());
  }

  /// True where xs is the solution. If not, xs is what it was, and the report has the effort only.
  bool solve(VectorRef xs, const ConvergenceRule& rule, SolveReport& report) {
    solved_ = false;
    if (inverse_ == nullptr) return false;
    start_ = xs;
    solved_ = iterate(xs, rule, report);
    if (solved_)
      x_ = xs;
    else
      xs = start_;
    return solved_;
  }

  /// Whether the last solve is its own, to whom the two below belong then.
  bool solved() const { return solved_; }
  bool correct(VectorRef f) {
    constexpr int most = 4;
    right_ = f;
    if (equations_->apply_inverse(*inverse_, right_, dx_) != EvaluationStatus::ok) return false;
    f = dx_;
    double error = rate_;
    for (int k = 0; k < most && error > thresholds::error_of_inverse && multiply(f); ++k, error *= rate_) {
      f_ = right_ - f_;
      if (equations_->apply_inverse(*inverse_, f_, dx_) != EvaluationStatus::ok) break;
      f += dx_;
    }
    return true;
  }
  double pivot_ratio() const { return inverse_->pivot_ratio(); }

 private:
  bool iterate(VectorRef xs, const ConvergenceRule& rule, SolveReport& report) {
    constexpr double contraction = .1, farthest = .3;
    const double floor = equations_->rounding_floor();
    if (!evaluate(xs, report)) return false;
    ++report.factorisations;
    if (equations_->update_inverse(*inverse_, xs) != EvaluationStatus::ok) return false;
    double last = 0;
    rate_ = 0;
    for (long iteration = 0; iteration < rule.max_iterations; ++iteration) {
      const bool at_floor = rule.at_floor(report.residual_norm, floor);
      if (equations_->apply_inverse(*inverse_, f_, dx_) != EvaluationStatus::ok) return false;
      const double step = correction_norm(dx_, xs);
      if (!(step <= (iteration == 0 ? farthest : contraction * last)))
        return iteration > 0 && at_floor && last < thresholds::noise_of_inverse;
      xs -= dx_;
      ++report.iterations;
      report.step_norm = step;
      if (iteration > 0) rate_ = std::max(rate_, step / last);
      if (at_floor && iteration > 0 && step * (step / last) <= thresholds::unit_of_rounding) return true;
      if (!evaluate(xs, report)) return false;
      last = step;
    }
    return false;
  }
  bool evaluate(const VectorRef& xs, SolveReport& report) {
    ++report.residual_evaluations;
    if (equations_->residual(xs, f_) != EvaluationStatus::ok) return false;
    report.residual_norm = f_.lpNorm<Eigen::Infinity>();
    return true;
  }

  /// f_ = (dF/dx) d at the solution, by a central difference. False where F cannot be evaluated, or d is zero.
  bool multiply(const VectorRef& d) {
    const double size = d.lpNorm<Eigen::Infinity>();
    if (!(size > 0)) return false;
    const double scale = thresholds::central_spacing / size;
    dx_ = x_ + scale * d;
    if (equations_->residual(dx_, ahead_) != EvaluationStatus::ok) return false;
    dx_ = x_ - scale * d;
    if (equations_->residual(dx_, behind_) != EvaluationStatus::ok) return false;
    f_ = (ahead_ - behind_) / (2 * scale);
    return true;
  }

  ScaledEquations* equations_ = nullptr;
  ApproximateInverse* inverse_ = nullptr;
  bool solved_ = false;
  double rate_ = 0;  ///< the largest of the last solve
  Vector start_, f_, dx_, right_;
  Vector x_, ahead_, behind_;  // the solution, and F beside it
};

}  // namespace gnomon
