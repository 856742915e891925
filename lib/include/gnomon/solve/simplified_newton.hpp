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

#include <cmath>

#include "gnomon/solve/nonlinear_solver.hpp"

namespace gnomon {

class SimplifiedNewton {
 public:
  /// Allocates everything. Nothing is tried where the scheme exposes no such matrix, where the user chose where the
  /// Jacobian comes from or what solves with it, and where it may be singular.
  void attach(ScaledEquations& equations) {
    inverse_ = equations.source() == JacobianSource::analytic && equations.attached_algebra() == nullptr &&
                       !equations.singular_expected()
                   ? equations.equations().simplified_newton()
                   : nullptr;
    equations_ = &equations;
    if (inverse_ == nullptr) return;
    for (Vector* v : {&start_, &f_, &dx_}) v->setZero(equations.size());
  }

  /// True where xs is the solution. If not, xs is what it was, and the report has the effort only.
  bool solve(VectorRef xs, const ConvergenceRule& rule, SolveReport& report) {
    solved_ = false;
    if (inverse_ == nullptr) return false;
    start_ = xs;
    solved_ = iterate(xs, rule, report);
    if (!solved_) xs = start_;
    return solved_;
  }

  /// Whether the last solve is its own, to whom the two below belong then.
  bool solved() const { return solved_; }
  bool correct(VectorRef f) {
    if (equations_->apply_inverse(*inverse_, f, dx_) != EvaluationStatus::ok) return false;
    f = dx_;
    return true;
  }
  double pivot_ratio() const { return inverse_->pivot_ratio(); }

 private:
  bool iterate(VectorRef xs, const ConvergenceRule& rule, SolveReport& report) {
    constexpr double contraction = .1, farthest = .3, rounding = 1e-16, noise = 1e-12;
    const double floor = equations_->rounding_floor();
    if (!evaluate(xs, report)) return false;
    ++report.factorisations;
    if (equations_->update_inverse(*inverse_, xs) != EvaluationStatus::ok) return false;
    double last = 0;
    for (long iteration = 0; iteration < rule.max_iterations; ++iteration) {
      const bool at_floor = rule.at_floor(report.residual_norm, floor);
      if (equations_->apply_inverse(*inverse_, f_, dx_) != EvaluationStatus::ok) return false;
      const double step = (dx_.array().abs() / (1 + xs.array().abs())).maxCoeff();
      if (!(step <= (iteration == 0 ? farthest : contraction * last))) return iteration > 0 && at_floor && last < noise;
      xs -= dx_;
      ++report.iterations;
      report.step_norm = step;
      if (at_floor && iteration > 0 && step * (step / last) <= rounding) return true;
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

  ScaledEquations* equations_ = nullptr;
  ApproximateInverse* inverse_ = nullptr;
  bool solved_ = false;
  Vector start_, f_, dx_;
};

}  // namespace gnomon
