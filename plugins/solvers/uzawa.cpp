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
/// Linear convergence to a local minimum. The matrix is the same in every iteration: it is factorised inside its band
/// once, and again only where A changes. Every solve ends with y at rest under the forces B^T W lambda; what is left of
/// the residual is the part of lambda_j across p_j. r = penalty x the ratio of the traces of A and B^T W B.
/// Source: Glowinski, Holmstroem, Algorithm 2 (ALG2), (83)-(87), with the signs of (81) and (87); as printed, (85) and (86)
/// are those of another Lagrangian, and the iteration diverges. rho_n = 1/epsilon = r.

#include <cmath>

#include "algebra/kernels/banded_lu.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/model/split_form.hpp"
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
    const SparsityPattern sum = builder.build();
    factors_ = kernels::BandedLU(sum);
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
    has_factors_ = false;
  }

  SolveReport solve(VectorRef xs) override {
    SolveReport report;
    equations_->to_unscaled(xs, x_);
    try {
      split_->quadratic(a_, b_, values_, c_);
    } catch (...) {
      report.status = SolveStatus::evaluation_failed;
      report.message = gnomon::thrown_text();
      return report;
    }
    if (!factorise(report)) return report;
    split_->take_apart(x_, y_, theta_);
    const int d = split_->dimension();
    const SparsityPattern& pattern = split_->split_pattern();
    const Vector &values = values_, &w = split_->split_weights();
    multiply(pattern, values, y_, q_);
    q_ += c_;
    for (Index j = 0; j < theta_.size(); ++j) lambda_.segment(j * d, d) = -theta_[j] / w[j] * q_.segment(j * d, d);
    bool done = false;
    while (!done && report.iterations < max_iterations_) {
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
      factors_.solve(y_);
      multiply(pattern, values, y_, q_);
      q_ += c_;
      lambda_ += r_ * (p_ - q_);
      ++report.iterations;
      // How far the split has not closed, and how far the last change of y moved q: both in units of the spheres.
      before_ -= y_;
      multiply(pattern, values, before_, work_);
      report.step_norm = std::max((p_ - q_).lpNorm<Eigen::Infinity>(), work_.lpNorm<Eigen::Infinity>());
      done = report.step_norm <= tolerance_;
      if (!std::isfinite(report.step_norm)) break;
    }
    for (Index j = 0; j < theta_.size(); ++j)
      theta_[j] = -w[j] * lambda_.segment(j * d, d).dot(q_.segment(j * d, d)) / q_.segment(j * d, d).squaredNorm();
    split_->put_together(y_, theta_, x_);
    equations_->to_scaled(x_, xs);
    ++report.residual_evaluations;
    if (equations_->residual(xs, f_) != EvaluationStatus::ok) {
      report.status = SolveStatus::evaluation_failed;
      report.message = equations_->message();
      return report;
    }
    report.residual_norm = f_.lpNorm<Eigen::Infinity>();
    if (!done) {
      report.status = SolveStatus::not_converged;
      report.message = "max |p - B y - c| or its change is " + number_text(report.step_norm) + " after " +
                       std::to_string(report.iterations) + " relaxations, expected " + number_text(tolerance_);
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

  /// A + r B^T W B, where A is another one than the last time.
  bool factorise(SolveReport& report) {
    if (has_factors_ && a_ == factorised_ && values_ == factorised_split_) return true;
    const SparsityPattern &a = split_->quadratic_pattern(), &b = split_->split_pattern();
    const Vector &values = values_, &w = split_->split_weights();
    const int d = split_->dimension();
    double trace = 0, split_trace = 0;
    for (Index i = 0; i < a.rows; ++i)
      if (const Index k = a.find(i, i); k >= 0) trace += a_[k];
    for (Index j = 0; j < b.rows; ++j)
      for (Index k = b.offsets[j]; k < b.offsets[j + 1]; ++k) split_trace += w[j / d] * values[k] * values[k];
    r_ = relative_penalty_ * trace / split_trace;
    factors_.clear();
    for (Index i = 0; i < a.rows; ++i)
      for (Index k = a.offsets[i]; k < a.offsets[i + 1]; ++k) factors_.add(i, a.indices[k], a_[k]);
    each_pair([&](Index k, Index l, Index j) {
      factors_.add(b.indices[k], b.indices[l], r_ * w[j / d] * values[k] * values[l]);
    });
    ++report.factorisations;
    has_factors_ = factors_.factorise();
    factorised_ = a_;
    factorised_split_ = values_;
    if (has_factors_) return true;
    report.status = SolveStatus::singular_jacobian;
    report.message = "the matrix A + r B^T B of the relaxation is singular";
    return false;
  }

  double relative_penalty_, tolerance_, r_ = 1;
  long max_iterations_;
  ScaledEquations* equations_ = nullptr;
  SplitForm* split_ = nullptr;
  kernels::BandedLU factors_;
  bool has_factors_ = false;
  Vector a_, factorised_, values_, factorised_split_, b_, c_, y_, right_, before_, p_, q_, lambda_, theta_, work_, x_,
      f_;
};

class UzawaFactory final : public SolverFactory {
 public:
  std::string name() const override { return "uzawa"; }
  std::string description() const override {
    return "Uzawa block relaxation for equations in split form |p_j| = 1, p = B x; one factorisation";
  }
  OptionSpecs options() const override {
    return {OptionSpec::real("penalty", 2, 1e-12, 1e12, "",
                             "r, or 1/epsilon, in units of the ratio of the traces of A and B^T W B"),
            OptionSpec::real("tolerance", 1e-11, 1e-15, 1, "", "on max |p - B x| and on its change"),
            OptionSpec::integer("max-iterations", 100000, 1, 100000000, "relaxations a solve")};
  }
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override {
    return std::make_unique<Uzawa>(options);
  }
};

}  // namespace

GNOMON_PLUGIN(uzawa) {
  registrar.add(std::make_unique<UzawaFactory>());
  registrar.add_alias("alg2", "uzawa");  // its name up to 0.1.0
}
