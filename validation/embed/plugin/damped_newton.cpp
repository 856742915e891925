/// \file
/// damped-newton: a plug-in solver in one file.
///
///     J(x) dx = -F(x),   x += 2^-k dx with the least k at which |F| is smaller, or k = 10

#include <Eigen/LU>
#include <gnomon/registry/plugin.hpp>
#include <gnomon/solve/nonlinear_solver.hpp>

namespace {

using namespace gnomon;

class DampedNewton final : public NonlinearSolver {
 public:
  explicit DampedNewton(const Options& options) { rule_.max_iterations = options.integer("max-iterations"); }

  void attach(ScaledEquations& equations) override {
    equations_ = &equations;
    const Index n = equations.size();
    for (Vector* v : {&f_, &dx_, &trial_}) v->setZero(n);
    values_.setZero(equations.pattern().nonzeros());
    matrix_.setZero(n, n);
    lu_ = Eigen::PartialPivLU<Matrix>(n);
  }

  SolveReport solve(VectorRef xs) override {
    SolveReport report;
    const double floor = equations_->rounding_floor();
    if (!residual(xs, report)) return fail(report, SolveStatus::evaluation_failed);
    while (report.iterations < rule_.max_iterations) {
      if (equations_->jacobian(xs, values_) != EvaluationStatus::ok)
        return fail(report, SolveStatus::evaluation_failed);
      const SparsityPattern& p = equations_->pattern();
      matrix_.setZero();
      for (Index i = 0; i < p.rows; ++i)
        for (Index k = p.offsets[i]; k < p.offsets[i + 1]; ++k) matrix_(i, p.indices[k]) = values_[k];
      lu_.compute(matrix_);
      dx_ = lu_.solve(f_);
      if (!dx_.allFinite()) return fail(report, SolveStatus::singular_jacobian);
      report.step_norm = dx_.lpNorm<Eigen::Infinity>();
      ++report.iterations;
      ++report.jacobian_evaluations;
      ++report.factorisations;
      const double before = report.residual_norm;
      trial_ = xs;
      for (double part = 1; part > 1e-3; part /= 2) {
        xs = trial_ - part * dx_;
        if (residual(xs, report) && (report.residual_norm < before || rule_.at_floor(report.residual_norm, floor)))
          break;
      }
      if (report.step_norm <= rule_.step_tolerance && rule_.at_floor(report.residual_norm, floor)) return report;
    }
    return fail(report, SolveStatus::not_converged);
  }

 private:
  bool residual(const VectorRef& xs, SolveReport& report) {
    ++report.residual_evaluations;
    const bool good = equations_->residual(xs, f_) == EvaluationStatus::ok;
    report.residual_norm = f_.lpNorm<Eigen::Infinity>();
    return good;
  }
  SolveReport& fail(SolveReport& report, SolveStatus status) const {
    report.status = status;
    report.message = status == SolveStatus::evaluation_failed ? equations_->message() : to_string(status);
    return report;
  }

  ConvergenceRule rule_;
  ScaledEquations* equations_ = nullptr;
  Vector f_, dx_, trial_, values_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> lu_;
};

class DampedNewtonFactory final : public SolverFactory {
 public:
  std::string name() const override { return "damped-newton"; }
  std::string description() const override { return "Newton with halved steps, dense LU"; }
  OptionSpecs options() const override {
    return {OptionSpec::integer("max-iterations", 50, 1, 1000, "iterations a solve")};
  }
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override {
    return std::make_unique<DampedNewton>(options);
  }
};

}  // namespace

GNOMON_PLUGIN(damped_newton) {
  registrar.add(std::make_unique<DampedNewtonFactory>());
}
