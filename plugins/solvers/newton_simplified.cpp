/// \file
/// newton-simplified: one matrix for many iterations,
///
///     A dx = -F(x),   x += dx,
///
/// A = dF/dx at the start value of a solve (matrix=solve) or kept from solve to solve (matrix=kept;
/// the rounding of a step then depends on the steps before it), or the approximate inverse that the scheme exposes
/// (matrix=leading: gnomon::ApproximateInverse, its leading order in h; refused where the scheme exposes none).
/// Linear convergence: until the corrections stop shrinking, and one more. A correction that is not half of the one
/// before, with a matrix of an earlier solve a fifth, is thrown away and A set anew at the present x; where a matrix of
/// an earlier solve made corrections or residual grow, the solve begins again. Where a single matrix will not do, this
/// is Newton's method.

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/jacobian_system.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/stagnation.hpp"

namespace {

using namespace gnomon;

class NewtonSimplified final : public NonlinearSolver {
 public:
  NewtonSimplified(const AlgebraTable& algebras, const Options& options)
      : leading_(options.is("matrix", "leading")), keep_(options.is("matrix", "kept")), algebra_(algebras, options) {
    rule_.max_iterations = options.integer("max-iterations");
  }

  void attach(ScaledEquations& equations) override {
    if (leading_ && !equations.has_approximate_inverse())
      throw Error(ErrorCode::refused, "matrix=leading needs an approximate inverse, and the scheme exposes none");
    equations_ = &equations;
    const Index n = equations.size();
    f_.setZero(n);
    dx_.setZero(n);
    if (keep_) start_.setZero(n);
    if (!leading_) linear_.attach(equations, algebra_);
  }

  SolveReport solve(VectorRef xs) override {
    SolveReport report;
    linear_.begin();
    if (keep_) start_ = xs;
    old_ = has_matrix_;
    iterate(xs, report);
    has_matrix_ = keep_ && report.status == SolveStatus::converged;
    return report;
  }

  bool correct(VectorRef f) override {
    if (!leading_) return (linear_.factorised() || has_matrix_) && linear_.solve(f);
    if (equations_->apply_inverse(f, dx_) != EvaluationStatus::ok) return false;
    f = dx_;
    return true;
  }
  double pivot_ratio() const override { return leading_ ? 1 : linear_.pivot_ratio(); }
  void serialize(Archive& archive) override {
    archive(has_matrix_);
    if (!leading_) linear_.serialize(archive, has_matrix_);
  }
  void forget_matrix() override { has_matrix_ = false; }

 private:
  void iterate(VectorRef xs, SolveReport& report) {
    Stagnation stagnation;
    stagnation.start(equations_->rounding_floor());
    bool last = false, fresh = !old_;
    double first = 0;  // correction by the matrix at hand
    long before = 0;   // iterations without it
    if (!evaluate(xs, report) || (fresh && !set_matrix(xs, report))) return;
    while (!last && report.iterations < rule_.max_iterations) {
      stagnation.take_residual(report.residual_norm);
      const bool solved = correction(xs, report);
      if (!solved && !old_) return;
      if (!solved || (!fresh && stagnation.slow(report.step_norm, old_))) {
        if (solved && !stagnation.diverging(report.step_norm)) old_ = false;
        stagnation.renew();
        first = 0;
        if (!begin_again(xs, report) || !set_matrix(xs, report) || !correction(xs, report)) return;
      }
      if (first == 0) {
        first = report.step_norm;
        before = report.iterations;
      }
      fresh = false;
      xs -= dx_;
      ++report.iterations;
      last = stagnation.last(report.step_norm);
      if (evaluate(xs, report)) continue;
      if (!old_ || !begin_again(xs, report) || !set_matrix(xs, report)) return;
      stagnation.renew();
      first = 0;
      fresh = true;
      last = false;
    }
    // On average: the last corrections are rounding.
    if (const long more = report.iterations - before - 1; last && more > 0 && first > report.step_norm)
      report.contraction = static_cast<float>(std::pow(report.step_norm / first, 1. / static_cast<double>(more)));
    // Corrections of unknowns near zero may shrink on below rounding until the iterations are used up.
    const double floor = equations_->rounding_floor();
    const bool ended =
        last || (rule_.at_floor(report.residual_norm, floor) && report.step_norm <= rule_.step_tolerance);
    if (ended && rule_.acceptable(report.residual_norm, floor)) return;
    report.fail(SolveStatus::not_converged, report.effort("correction", "iterations"));
  }

  /// Back to the start value, where the matrix is one of an earlier solve.
  bool begin_again(VectorRef xs, SolveReport& report) {
    if (!old_) return true;
    old_ = false;
    report.recover();
    xs = start_;
    return evaluate(xs, report);
  }

  bool evaluate(const VectorRef& xs, SolveReport& report) { return gnomon::evaluate(*equations_, xs, f_, report); }

  bool set_matrix(const VectorRef& xs, SolveReport& report) {
    ++report.factorisations;
    if (leading_) return equations_->update_inverse(xs) == EvaluationStatus::ok || fail_evaluation(report);
    ++report.jacobian_evaluations;
    if (linear_.evaluate(xs) != EvaluationStatus::ok) return fail_evaluation(report);
    return linear_.factorise() || fail_singular(report);
  }

  /// dx = A^-1 F
  bool correction(const VectorRef& xs, SolveReport& report) {
    if (leading_) {
      if (equations_->apply_inverse(f_, dx_) != EvaluationStatus::ok) return fail_evaluation(report);
    } else {
      dx_ = f_;
      if (!linear_.solve(dx_)) return fail_singular(report);
    }
    report.step_norm = correction_norm(dx_, xs);
    return true;
  }

  bool fail_singular(SolveReport& report) const {
    return report.fail(SolveStatus::singular_jacobian, "the Jacobian is singular: " + linear_.message());
  }

  bool fail_evaluation(SolveReport& report) const {
    return report.fail(SolveStatus::evaluation_failed, equations_->message());
  }

  bool leading_, keep_;
  bool has_matrix_ = false;  // of the last solve, which converged
  bool old_ = false;         // the current factorisation is that one
  ConvergenceRule rule_;
  ScaledEquations* equations_ = nullptr;
  AlgebraChoice algebra_;
  JacobianSystem linear_;
  Vector f_, dx_, start_;
};

OptionSpecs newton_simplified_options(const AlgebraTable& algebras) {
  return {OptionSpec::choice("matrix", {"solve", "kept", "leading"},
                             "the Jacobian at the start value, or kept from solve to solve until it slows, or the "
                             "leading order in h that the scheme exposes"),
          algebra_option(algebras), OptionSpec::integer("max-iterations", 200, 1, 100000, "iterations a solve")};
}

}  // namespace

GNOMON_PLUGIN(newton_simplified) {
  const AlgebraTable& table = registrar.algebras();
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "newton-simplified", "native Newton with one matrix for a solve or many, or the scheme's own",
      [&table](const Options& options) { return std::make_unique<NewtonSimplified>(table, options); },
      [&table] { return newton_simplified_options(table); }));
}
