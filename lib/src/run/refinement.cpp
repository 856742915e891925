#include "run/refinement.hpp"

#include <algorithm>
#include <limits>

#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

constexpr Index largest_factorised = 200;

/// The unit of rounding at Extended in units of that at double.
constexpr double finer =
    static_cast<double>(std::numeric_limits<Extended>::epsilon()) / std::numeric_limits<double>::epsilon();

}  // namespace

Refinement::Refinement(ScaledEquations& equations, Functions functions)
    : equations_(&equations), rounding_(functions == Functions::extended ? finer : 1) {
  const Index size = equations.size();
  for (Vector* v : {&low_, &nearly_, &correction_}) v->setZero(size);
  if (size > largest_factorised || equations.equations().low().size() == 0) return;
  scaled_.setZero(size);
  values_.setZero(equations.pattern().nonzeros());
  matrix_.setZero(size, size);
  lu_ = Eigen::PartialPivLU<Matrix>(size);
}

double Refinement::rounding() const {
  return std::min(100 * rounding_ * equations_->rounding_floor(), thresholds::largest_remainder);
}

Refinement::Report Refinement::refine(Vector& x, NonlinearSolver& solver, const SolveReport& solved) {
  constexpr int most = 5;
  Report report;
  NonlinearEquations& equations = equations_->equations();
  if (equations.low().size() == 0) return report;
  const double wrong = std::max(thresholds::wrong_solution, rounding());
  // With the matrix of x itself, what no longer contracts is the rounding of the residual; with an older one it may not
  // be.
  const double of_residual = std::max(thresholds::change_rounding, rounding());
  report.refined = passes(x, solved.step_norm, static_cast<double>(solved.contraction), thresholds::change_rounding,
                          report, [&] { return solver.correct(correction_); });
  for (int k = 0; report.offered && !report.refined && k <= most && factorise(x); ++k) {
    ++report.factorisations;
    report.refined = passes(x, solved.step_norm, 1, of_residual, report, [this] { return solve_factorised(); });
    if (!report.refined && (k == most || !newton_correction(x, report))) break;
  }
  if (!report.refined && report.nearly) {
    low_ = nearly_;
    report.refined = true;
  }
  report.solved = report.refined || report.factorisations == 0 || report.last < wrong;
  if (report.refined) renormalise(x);
  equations.set_low(low_);
  return report;
}

bool Refinement::correct(const Vector& x, bool offered, NonlinearSolver& solver, VectorRef f) {
  if ((offered || equations_->equations().low().size() == 0) && solver.correct(f)) return true;
  correction_ = f;
  if (!factorise(x) || !solve_factorised()) return false;
  f = correction_;
  return true;
}

/// x + low = fl(x + low) + its rounding error, exactly: multipliers and start values read x alone. Knuth's sum.
void Refinement::renormalise(Vector& x) {
  for (Index i = 0; i < x.size(); ++i) {
    const double sum = x[i] + low_[i], part = sum - x[i];
    low_[i] = (x[i] - (sum - part)) + (low_[i] - part);
    x[i] = sum;
  }
}

template <class Correct>
bool Refinement::passes(const Vector& x, double last, double contraction, double stalled, Report& report,
                        const Correct& correct) {
  // A correction of the size of the rounding of x is of either sign, and so is what is left of it. Larger ones are what
  // the iteration left, of one sign: on until they are as small, or the next one would be negligible.
  constexpr int most = 30;  // a matrix that is frozen contracts slowly in a hard step
  const double floor = rounding(), largest = std::max(thresholds::largest_refinement, floor),
               harmless = std::max(thresholds::enough_refinement, floor);
  report.nearly = false;
  low_.setZero();
  for (int pass = 0; pass < most; ++pass) {
    if (equations_->extended_residual(x, low_, correction_) != EvaluationStatus::ok) break;
    report.offered = true;
    ++report.passes;
    if (!correct()) break;
    const double size = correction_.lpNorm<Eigen::Infinity>();
    report.last = size;
    if (!(size < (pass == 0 ? largest : last))) {  // no solution to refine, or the factors do not contract
      if (pass > 0 && last < stalled) return true;
      if (pass > 0 && last < harmless) nearly_ = low_;
      report.nearly = pass > 0 && last < harmless;
      break;
    }
    low_ -= correction_.cwiseProduct(equations_->columns());
    // A hard step contracts unevenly: its next correction is not guessed. What a frozen matrix leaves of corrections of
    // this size is still of one sign.
    const double rate = pass > 0 ? size / last : contraction < 1 ? contraction : 0;
    if (size < thresholds::change_rounding && size * rate < thresholds::negligible_correction) return true;
    if (pass == 0 && size * std::min(size / last, contraction) < thresholds::negligible_first_correction) return true;
    last = size;
  }
  low_.setZero();
  return false;
}

bool Refinement::newton_correction(Vector& x, Report& report) {
  if (equations_->extended_residual(x, low_, correction_) != EvaluationStatus::ok) return false;
  ++report.passes;
  if (!solve_factorised() || !(correction_.lpNorm<Eigen::Infinity>() < thresholds::largest_newton_correction))
    return false;
  x -= correction_.cwiseProduct(equations_->columns());
  return true;
}

bool Refinement::solve_factorised() {
  scaled_.noalias() = lu_.permutationP() * correction_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(scaled_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(scaled_);
  correction_ = scaled_;
  return all_finite(correction_);
}

bool Refinement::factorise(const Vector& x) {
  if (matrix_.size() == 0) return false;
  equations_->to_scaled(x, scaled_);
  if (equations_->jacobian(scaled_, values_) != EvaluationStatus::ok) return false;
  const SparsityPattern& pattern = equations_->pattern();
  matrix_.setZero();
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) matrix_(i, pattern.indices[k]) = values_[k];
  lu_.compute(matrix_);
  return true;
}

}  // namespace gnomon
