/// \file
/// uzawa: Uzawa block relaxation for equations in split form (gnomon::SplitForm),
///
///     y = argstat  y^T A y/2 - b^T y   subject to   |p_j| = 1,   p = B y + c
///
/// by the augmented Lagrangian y^T A y/2 - b^T y + sum_j w_j [lambda_j.(p_j - q_j) + r |p_j - q_j|^2/2], q = B y + c:
///
///     p_j = P_j/|P_j|,  P_j = r q_j - lambda_j                     its minimum on the spheres
///     (A + r B^T W B) y = b + B^T W (lambda + r (p - c))           its minimum in y
///     lambda_j += r (p_j - q_j)                                    Uzawa
///
/// Linear convergence to a local minimum. Every solve ends with y at rest under the forces B^T W lambda; what is left
/// of the residual is the part of lambda_j across p_j.
///
/// The rule for r, in units of the ratio of the traces of A and B^T W B: the first relaxations take the largest r >= 32
/// of the sequence penalty 2^k, which moves p in small steps along U, and does not jump into another minimum. Whenever
/// max |p - B y - c| and the change of q have fallen to a tenth, r is halved, down to `penalty`, where convergence is
/// fastest; where they grow tenfold, r is doubled, and is not halved below that again. The matrix of every r is
/// factorised once by Cholesky's method, and again only where A or B changes.
/// Source: Glowinski, Holmstroem, Algorithm 2 (ALG2), (83)-(87), with the signs of (81) and (87); as printed, (85) and
/// (86) are those of another Lagrangian, and the iteration diverges. rho_n = 1/epsilon = r.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/sparse_cholesky.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/model/split_form.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"

namespace {

using namespace gnomon;

class Uzawa final : public NonlinearSolver {
 public:
  explicit Uzawa(const Options& options)
      : relative_penalty_(options.real("penalty")),
        tolerance_(options.real("tolerance")),
        max_iterations_(options.integer("max-iterations")) {}

  void attach(ScaledEquations& equations) override {
    split_ = dynamic_cast<SplitForm*>(&equations.equations());
    if (split_ == nullptr || !split_->has_split_form())
      throw Error(
          ErrorCode::refused,
          "Uzawa block relaxation needs a minimisation form with |p_j| = 1, p = B x, which these equations do "
          "not have; it serves `equilibrium` and beam-dissipative, for constraints in that form and a potential "
          "that is at most quadratic");
    equations_ = &equations;
    const SparsityPattern &a = split_->quadratic_pattern(), &b = split_->split_pattern();
    PatternBuilder builder(a.rows, a.cols);
    builder.add(a, 0, 0);
    each_pair([&](Index i, Index j, Index) { builder.add(b.indices[i], b.indices[j]); });
    pattern_ = builder.build();
    matrix_.setZero(pattern_.nonzeros());
    const double halvings = std::ceil(std::log2(first_penalty / relative_penalty_));
    const auto levels = static_cast<std::size_t>(std::clamp(1 + halvings, 1.0, most_levels));
    factors_.assign(levels, SparseCholesky(pattern_));
    has_factors_.assign(levels, 0);
    const Index n = a.rows, points = split_->n_points();
    for (Vector* v : {&b_, &y_, &right_, &before_}) v->setZero(n);
    for (Vector* v : {&c_, &p_, &q_, &lambda_, &work_}) v->setZero(b.rows);
    theta_.setZero(points);
    a_.setZero(a.nonzeros());
    factorised_.setZero(a.nonzeros());
    values_.setZero(b.nonzeros());
    factorised_split_.setZero(b.nonzeros());
    x_.setZero(equations.size());
    f_.setZero(equations.size());
    lowest_r_ = 0;
  }

  SolveReport solve(VectorRef xs) override {
    SolveReport report;
    equations_->to_unscaled(xs, x_);
    try {
      split_->quadratic(a_, b_, values_, c_);
    } catch (...) {
      report.fail(SolveStatus::evaluation_failed, thrown_text());
      return report;
    }
    find_lowest();
    split_->take_apart(x_, y_, theta_);
    const int d = split_->dimension();
    const SparsityPattern& pattern = split_->split_pattern();
    const Vector &values = values_, &w = split_->split_weights();
    multiply(pattern, values, y_, q_);
    q_ += c_;
    for (Index j = 0; j < theta_.size(); ++j) lambda_.segment(j * d, d) = -theta_[j] / w[j] * q_.segment(j * d, d);
    bool done = false;
    double wanted = tolerance_;  // sharper where the residual is still large
    std::size_t level = factors_.size() - 1, lowest = 0;
    double at_level = std::numeric_limits<double>::infinity(), best = at_level;
    while (!done && report.iterations < max_iterations_) {
      if (!choose(level, report)) return report;
      for (Index j = 0; j < theta_.size(); ++j) {
        auto p = p_.segment(j * d, d);
        p = r_ * q_.segment(j * d, d) - lambda_.segment(j * d, d);
        const double length = p.norm();
        if (length > 0) p /= length;
        work_.segment(j * d, d) = w[j] * (lambda_.segment(j * d, d) + r_ * (p - c_.segment(j * d, d)));
      }
      before_ = y_;
      multiply_transposed(pattern, values, work_, right_);
      y_ = right_ + b_;
      factors_[level].solve(y_);
      multiply(pattern, values, y_, q_);
      q_ += c_;
      lambda_ += r_ * (p_ - q_);
      ++report.iterations;
      // How far the split has not closed, and how far the last change of y moved q: both in units of the spheres.
      before_ -= y_;
      multiply(pattern, values, before_, work_);
      report.step_norm = std::max((p_ - q_).lpNorm<Eigen::Infinity>(), work_.lpNorm<Eigen::Infinity>());
      if (report.step_norm <= wanted) {
        if (!settle(xs, report)) return report;
        done = report.residual_norm <= thresholds::split_residual || wanted <= thresholds::split_tolerance;
        wanted *= 0.1;
      }
      if (!std::isfinite(report.step_norm)) break;
      if (!std::isfinite(at_level)) at_level = report.step_norm;
      best = std::min(best, report.step_norm);
      const bool grown = report.step_norm > 10 * best && level + 1 < factors_.size();
      if (grown)
        lowest = ++level;
      else if (report.step_norm < 0.1 * at_level && level > lowest)
        --level;
      else
        continue;
      at_level = best = report.step_norm;
    }
    if (!done && !settle(xs, report)) return report;
    if (!done) {
      report.fail(SolveStatus::not_converged, "max |p - B y - c| or its change is " + number_text(report.step_norm) +
                                                  " after " + std::to_string(report.iterations) +
                                                  " relaxations, expected " + number_text(tolerance_));
    } else if (!(report.residual_norm <= thresholds::split_residual)) {
      report.fail(SolveStatus::not_converged, "the relaxations ended with the scaled residual " +
                                                  number_text(report.residual_norm) + ", expected " +
                                                  number_text(thresholds::split_residual));
    }
    return report;
  }

 private:
  /// Entries (k, l) of B in one row j.
  template <class Visit>
  void each_pair(const Visit& visit) const {
    const SparsityPattern& b = split_->split_pattern();
    for (Index j = 0; j < b.rows; ++j)
      for (Index k = b.offsets[j]; k < b.offsets[j + 1]; ++k)
        for (Index l = b.offsets[j]; l < b.offsets[j + 1]; ++l) visit(k, l, j);
  }

  /// theta from lambda, the solution into xs, and its residual. False where that cannot be evaluated.
  bool settle(VectorRef xs, SolveReport& report) {
    const int d = split_->dimension();
    const Vector& w = split_->split_weights();
    for (Index j = 0; j < theta_.size(); ++j)
      theta_[j] = -w[j] * lambda_.segment(j * d, d).dot(q_.segment(j * d, d)) / q_.segment(j * d, d).squaredNorm();
    split_->put_together(y_, theta_, x_);
    equations_->to_scaled(x_, xs);
    ++report.residual_evaluations;
    if (equations_->residual(xs, f_) != EvaluationStatus::ok)
      return report.fail(SolveStatus::evaluation_failed, equations_->message());
    report.residual_norm = f_.lpNorm<Eigen::Infinity>();
    return true;
  }

  /// r = 2^level x the lowest, and the factors of A + r B^T W B; those of every level are stored as long as A and B are
  /// the same.
  bool choose(std::size_t level, SolveReport& report) {
    r_ = std::exp2(static_cast<double>(level)) * lowest_r_;
    if (has_factors_[level]) return true;
    const SparsityPattern &a = split_->quadratic_pattern(), &b = split_->split_pattern();
    const Vector& w = split_->split_weights();
    const int d = split_->dimension();
    matrix_.setZero();
    for (Index i = 0; i < a.rows; ++i)
      for (Index k = a.offsets[i]; k < a.offsets[i + 1]; ++k) matrix_[pattern_.find(i, a.indices[k])] += a_[k];
    each_pair([&](Index k, Index l, Index j) {
      matrix_[pattern_.find(b.indices[k], b.indices[l])] += r_ * w[j / d] * values_[k] * values_[l];
    });
    ++report.factorisations;
    has_factors_[level] = factors_[level].factorise(matrix_);
    return has_factors_[level] ||
           report.fail(
               SolveStatus::singular_jacobian,
               "the matrix A + r B^T W B of the relaxation is not positive definite with r = " + number_text(r_));
  }

  /// The lowest r, and no factors, where A or B is another one than the last time.
  void find_lowest() {
    if (lowest_r_ > 0 && a_ == factorised_ && values_ == factorised_split_) return;
    const SparsityPattern &a = split_->quadratic_pattern(), &b = split_->split_pattern();
    const Vector& w = split_->split_weights();
    const int d = split_->dimension();
    double trace = 0, split_trace = 0;
    for (Index i = 0; i < a.rows; ++i)
      if (const Index k = a.find(i, i); k >= 0) trace += a_[k];
    for (Index j = 0; j < b.rows; ++j)
      for (Index k = b.offsets[j]; k < b.offsets[j + 1]; ++k) split_trace += w[j / d] * values_[k] * values_[k];
    lowest_r_ = relative_penalty_ * trace / split_trace;
    has_factors_.assign(has_factors_.size(), 0);
    factorised_ = a_;
    factorised_split_ = values_;
  }

  /// In the units of the option: from this r the halvings start.
  static constexpr double first_penalty = 32, most_levels = 20;
  double relative_penalty_, tolerance_, r_ = 1, lowest_r_ = 0;
  long max_iterations_;
  ScaledEquations* equations_ = nullptr;
  SplitForm* split_ = nullptr;
  SparsityPattern pattern_;  // of A + r B^T W B
  Vector matrix_;
  std::vector<SparseCholesky> factors_;  // by level, the lowest r first
  std::vector<char> has_factors_;
  Vector a_, factorised_, values_, factorised_split_, b_, c_, y_, right_, before_, p_, q_, lambda_, theta_, work_, x_,
      f_;
};

OptionSpecs uzawa_options() {
  return {OptionSpec::real("penalty", 2, 1e-12, 1e12, "",
                           "the lowest r, or 1/epsilon, in units of the ratio of the traces of A and B^T W B"),
          OptionSpec::real("tolerance", 1e-11, 1e-15, 1, "",
                           "on max |p - B x| and on its change; sharper while the scaled residual is above 1e-6"),
          OptionSpec::integer("max-iterations", 100000, 1, 100000000, "relaxations a solve")};
}

}  // namespace

GNOMON_PLUGIN(uzawa) {
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "uzawa",
      "Uzawa block relaxation for equations in split form |p_j| = 1, p = B x; one Cholesky factorisation for each r",
      [](const Options& options) { return std::make_unique<Uzawa>(options); }, uzawa_options));
  registrar.add_alias("alg2", "uzawa");  // its name up to 0.1.0
}
