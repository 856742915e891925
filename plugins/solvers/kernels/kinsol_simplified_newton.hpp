#pragma once
/// \file
/// Newton's method with the simplified matrix of a scheme (gnomon/solve/simplified_newton.hpp) in KINSOL: the matrix is
/// KINSOL's linear solver, and its tests are switched off. Its function is told that F = 0 where the iteration has
/// come to its end, and fails where it is given up.

#include <kinsol/kinsol.h>

#include "gnomon/solve/simplified_newton.hpp"
#include "solvers/kernels/kinsol_loop.hpp"

namespace gnomon::kernels {

class KinsolSimplifiedNewton {
 public:
  /// Allocates everything, nothing where the scheme exposes no such matrix to leading order in h: one that is nearer is
  /// as dear as a step of Newton's method, and may keep something from solve to solve. Throws Error(refused).
  void attach(ScaledEquations& equations, N_Vector like, SUNContext context, const ConvergenceRule& rule) {
    newton_.attach(equations);
    if (!newton_.offers_leading()) return;
    attached_ = true;
    equations_ = &equations;
    rule_ = &rule;
    last_.setZero(equations.size());
    matrix_ = custom_matrix(context);
    linear_ = custom_solver(
        this, [](void*) { return true; },
        [](void* self, Eigen::Map<Vector> x) { return static_cast<KinsolSimplifiedNewton*>(self)->newton_.apply(x); },
        context);
    loop_.attach(like, context, residual_callback, this, 1000);
    loop_.use(linear_.get(), matrix_.get(), [](N_Vector, N_Vector, SUNMatrix, void*, N_Vector, N_Vector) { return 0; });
    KinsolLoop::check(KINSetMaxSetupCalls(loop_.memory(), 1), "KINSetMaxSetupCalls");
    KinsolLoop::check(KINSetNoResMon(loop_.memory(), SUNTRUE), "KINSetNoResMon");
    KinsolLoop::check(KINSetScaledStepTol(loop_.memory(), thresholds::never_met), "KINSetScaledStepTol");
  }

  /// SimplifiedNewton::solve
  bool solve(VectorRef xs, SolveReport& report) {
    return attached_ && newton_.solve(xs, report, [this](VectorRef x, SolveReport& counts) {
      report_ = &counts;
      solved_ = begun_ = false;
      KINSetMaxNewtonStep(loop_.memory(), 1e8);
      loop_.solve(x.data(), KIN_NONE);
      return solved_;
    });
  }
  bool attached() const { return attached_; }
  SimplifiedNewton& newton() { return newton_; }
  const SimplifiedNewton& newton() const { return newton_; }

 private:
  static int residual_callback(N_Vector x, N_Vector f, void* self) {
    auto& me = *static_cast<KinsolSimplifiedNewton*>(self);
    const Eigen::Map<const Vector> xs(N_VGetArrayPointer(x), me.last_.size());
    Eigen::Map<Vector> fs(N_VGetArrayPointer(f), me.last_.size());
    return me.evaluate(xs, fs) ? 0 : -1;
  }
  /// False where it is given up.
  bool evaluate(const Eigen::Map<const Vector>& xs, Eigen::Map<Vector>& fs) {
    using Verdict = SimplifiedNewton::Verdict;
    const bool at_floor = at_floor_;
    if (!newton_.evaluate(xs, fs, *report_)) return false;
    at_floor_ = rule_->at_floor(report_->residual_norm, equations_->rounding_floor());
    if (!begun_) {
      begun_ = true;
      last_ = xs;
      return newton_.begin(xs, *report_);
    }
    const double step = correction_norm(xs - last_, xs);
    last_ = xs;
    const Verdict verdict = newton_.judge(xs, step, at_floor, rule_->max_iterations, *report_);
    solved_ = verdict == Verdict::solved;
    if (solved_) fs.setZero();
    return verdict != Verdict::given_up;
  }

  SimplifiedNewton newton_;
  ScaledEquations* equations_ = nullptr;
  const ConvergenceRule* rule_ = nullptr;
  SolveReport* report_ = nullptr;
  bool attached_ = false, begun_ = false, at_floor_ = false, solved_ = false;
  Vector last_;
  SunOwner<SUNMatrix> matrix_;
  SunOwner<SUNLinearSolver> linear_;
  KinsolLoop loop_;
};

}  // namespace gnomon::kernels
