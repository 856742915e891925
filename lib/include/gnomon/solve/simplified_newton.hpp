#pragma once
/// \file
/// Newton's method with the simplified matrix A that a scheme exposes (NonlinearEquations::simplified_newton),
///
///     x <- x - A^-1 F(x)
///
/// A is set once a solve, at the start value, and the iteration goes on as long as every correction is a tenth of the
/// one before. An A to leading order in h, which is cheaper, is set again after corrections that show that the start
/// value was far away, and the iteration goes on as long as they come down to rounding, or to what may remain
/// (ScaledEquations::allowed_error), within 30 iterations, at the rate at which they shrink. Where they do not, A is
/// singular, or F cannot be evaluated, the strategy that tried it begins with dF/dx at the same start value, as if it
/// had not been tried: what is solved without A is solved.
///
/// Iterative refinement ends with a correction d = A^-1 f of the size of rounding, and what A errs in it stays, of the
/// energy a random walk. Where A contracts by less than 1e4 the same right-hand side is solved better, with dF/dx by
/// differences of F along d, until what is left of it is 1e-4:
///
///     d <- d + A^-1 (f - (dF/dx) d)
///
/// which takes 4.9e-14 in 1e5 steps of h = .05 of the double spherical pendulum, k = 6, s = 4, away.

#include <algorithm>
#include <array>
#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"

namespace gnomon {

class SimplifiedNewton {
 public:
  /// Options of a Newton strategy that tries it first, and whether they ask for it.
  static OptionSpecs options(const AlgebraTable& algebras) {
    OptionSpecs all = newton_options(algebras);
    all.insert(all.begin(),
               OptionSpec::choice("matrix", {"simplified", "full"},
                                  "that of the scheme first, where it exposes one and algebra=auto, or dF/dx at once"));
    return all;
  }
  static bool wanted(const Options& options) {
    return options.is("matrix", "simplified") && options.is("algebra", "auto");
  }

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

  /// Whether the scheme exposes such a matrix, and one to leading order in h.
  bool offered() const { return inverse_ != nullptr; }
  bool offers_leading() const { return offered() && inverse_->is_leading(); }
  /// Whether dF/dx is rarely needed, and dear: what it takes is allocated when it is.
  bool replaces_matrix() const { return offered() && equations_->size() > ApproximateInverse::few_unknowns; }
  /// True where xs is the solution. If not, xs is what it was, and the report has the effort only. The iteration is
  /// iterate(xs, report), a function of the strategy that calls the four below; true where judge() found the solution.
  template <class Iterate>
  bool solve(VectorRef xs, SolveReport& report, const Iterate& iterate) {
    solved_ = false;
    if (inverse_ == nullptr) return false;
    start_ = xs;
    solved_ = iterate(xs, report);
    report.leading = solved_ && leading_;
    if (solved_)
      x_ = xs;
    else
      xs = start_;
    return solved_;
  }
  /// After a solve() that gave up: whether the strategy has no solution, for that costs less than dF/dx would. Where F
  /// is at its floor a shorter step would end there, too.
  bool spares(const ConvergenceRule& rule, SolveReport& report) const {
    report.costly = offers_leading() && equations_->size() > ApproximateInverse::few_unknowns &&
                    !rule.at_floor(report.residual_norm, equations_->rounding_floor());
    if (!report.costly || !equations_->spares()) return false;
    report.fail(SolveStatus::not_converged, report.effort("step", "iterations"));
    return true;
  }
  /// F(xs), counted, and its norm. False where it cannot be evaluated.
  bool evaluate(const ConstVectorRef& xs, VectorRef f, SolveReport& report) {
    ++report.residual_evaluations;
    if (equations_->residual(xs, f) != EvaluationStatus::ok) return false;
    report.residual_norm = f.lpNorm<Eigen::Infinity>();
    return true;
  }
  /// Sets A, at the start value. False where it is singular.
  bool begin(const ConstVectorRef& xs, SolveReport& report) {
    count_ = renewed_ = 0;
    rate_ = 0;
    leading_ = inverse_->is_leading();
    return update(xs, report);
  }
  /// From F to the correction d, x <- x - d. False where that is not finite.
  bool apply(VectorRef d) {
    if (equations_->apply_inverse(*inverse_, d, dx_) != EvaluationStatus::ok) return false;
    d = dx_;
    return true;
  }
  enum class Verdict { go_on, solved, given_up };
  /// xs: after the correction of apply, step: its norm, at_floor: whether that F is at its floor, most: how many are
  /// allowed. Sets A anew, at xs, where the start value was far away.
  Verdict judge(const ConstVectorRef& xs, double step, bool at_floor, long most, SolveReport& report) {
    const double last = count_ > 0 ? steps_[0] : 0, ratio = last > 0 ? step / last : 0;
    // An A to leading order may contract nothing beside a solution: what it leaves above rounding is not noise then.
    const bool doubtful = leading_ && (count_ < 3 || rate_ > contraction);
    const bool noise = count_ > 0 && at_floor &&
                       std::max(step, last) < (doubtful ? thresholds::change_rounding : thresholds::noise_of_inverse);
    if (!shrinks(step) || count_ >= most) return noise ? Verdict::solved : Verdict::given_up;
    ++report.iterations;
    report.step_norm = step;
    if (count_ == 1 || (count_ > 1 && last > thresholds::noise_of_inverse))
      rate_ = count_ == 2 ? ratio : std::max(rate_, ratio);
    for (std::size_t i = steps_.size() - 1; i > 0; --i) steps_[i] = steps_[i - 1];
    steps_[0] = step;
    ++count_;
    if (count_ > 1 && at_floor && step * ratio <= thresholds::unit_of_rounding) return Verdict::solved;
    if (const double left = ratio / (1 - ratio); count_ > 1 && leading_ && ratio < 1 &&
                                                 step * left < equations_->allowed_error() &&
                                                 left * equations_->part_of_allowed(dx_) < 1)
      return Verdict::solved;
    if (leading_ && renewed_ < most_renewals && (step > near_enough || (step > noticed && ratio > slow))) {
      ++renewed_;
      if (!update(xs, report)) return Verdict::given_up;
    }
    return Verdict::go_on;
  }

  /// Whether the last solve is its own, to whom the two below belong then.
  bool solved() const { return solved_; }
  bool correct(VectorRef f) {
    constexpr int most = 8;
    right_ = f;
    if (equations_->apply_inverse(*inverse_, right_, dx_) != EvaluationStatus::ok) return false;
    f = dx_;
    double left = rate_;
    for (int k = 0; k < most && left > thresholds::error_of_inverse && multiply(f); ++k) {
      f_ = right_ - f_;
      if (equations_->apply_inverse(*inverse_, f_, dx_) != EvaluationStatus::ok) break;
      left = rate_ * dx_.lpNorm<Eigen::Infinity>() / f.lpNorm<Eigen::Infinity>();
      f += dx_;
    }
    return true;
  }
  double pivot_ratio() const { return inverse_->pivot_ratio(); }

 private:
  static constexpr double farthest = .3, contraction = .1;
  /// These are for an A to leading order: corrections above which the start value is given up (a first one may be of
  /// multipliers, which are linear unknowns), A is set anew, and A is set anew where they shrink slowly.
  static constexpr double farthest_of_leading = 30, near_enough = .03, noticed = .001, slow = .1;
  static constexpr int most_renewals = 4, most_iterations = 30;

  bool shrinks(double step) const {
    if (!leading_) return step <= (count_ == 0 ? farthest : contraction * steps_[0]);
    if (count_ == 0) return step <= farthest_of_leading;
    // Positions and velocities take turns, and after a start value that is near either may have the smaller correction.
    if (count_ == 1) return step < std::max(steps_[0], near_enough);
    if (count_ == 2) return step < std::max(steps_[0], steps_[1]);
    // At the mean rate of the last three.
    const double rate = std::cbrt(step / steps_[2]);
    if (!(rate < 1)) return false;
    const double enough = std::max(thresholds::unit_of_rounding, equations_->allowed_error());
    const double left = step > enough && rate > 0 ? std::log(enough / step) / std::log(rate) : 0;
    return count_ + left <= most_iterations;
  }
  bool update(const ConstVectorRef& xs, SolveReport& report) {
    ++report.factorisations;
    return equations_->update_inverse(*inverse_, xs) == EvaluationStatus::ok;
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
  bool solved_ = false, leading_ = false;
  int count_ = 0, renewed_ = 0;    ///< of corrections; of A
  std::array<double, 3> steps_{};  ///< the last of them, the newest first
  double rate_ = 0;                ///< the largest of the last solve, from the second on
  Vector start_, f_, dx_, right_;
  Vector x_, ahead_, behind_;  // the solution, and F beside it
};

}  // namespace gnomon
