#pragma once
/// \file
/// KINSOL's fixed-point iteration (KIN_FP) on
///
///     x <- x - A(x)^-1 F(x)
///
/// with the approximate inverse that the scheme exposes (gnomon::ApproximateInverse), set anew in every iteration and
/// without any Jacobian: for hbvm Picard iterations on gamma with the constraint solved for lambda in each of them.
/// Linear convergence, at a rate of O(h^2), and a wider range of steps than undamped Newton. It stops when the
/// corrections stop shrinking, one iteration later; then the residual decides.

#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/stagnation.hpp"
#include "solvers/kernels/kinsol_loop.hpp"

namespace gnomon::kernels {

class KinsolLeadingIteration final : public NonlinearSolver {
 public:
  explicit KinsolLeadingIteration(long max_iterations) { rule_.max_iterations = max_iterations; }

  void attach(ScaledEquations& equations) override {
    equations_ = &equations;
    const Index n = equations.size();
    f_.setZero(n);
    dx_.setZero(n);
    loop_.attach(serial_vector(n, context_).get(), context_, map_callback, this, rule_.max_iterations);
  }

  SolveReport solve(VectorRef xs) override {
    report_ = SolveReport();
    stagnation_.start(equations_->rounding_floor());
    last_ = false;
    const int flag = loop_.solve(xs.data(), KIN_FP);
    if (report_.status == SolveStatus::converged &&
        (flag < 0 || !rule_.acceptable(report_.residual_norm, equations_->rounding_floor())))
      report_.fail(SolveStatus::not_converged, report_.effort("correction", "Picard iterations"));
    return report_;
  }

  bool correct(VectorRef f) override {
    if (equations_->apply_inverse(f, dx_) != EvaluationStatus::ok) return false;
    f = dx_;
    return true;
  }

 private:
  /// The map, g = x - A(x)^-1 F(x). After the last correction g = x, which is how KINSOL's own test is met.
  bool map(const Eigen::Map<const Vector>& x, Eigen::Map<Vector> g) {
    if (!evaluate(*equations_, x, f_, report_)) return false;
    g = x;
    if (last_) return true;
    if (equations_->update_inverse(x) != EvaluationStatus::ok) return fail_evaluation();
    ++report_.factorisations;
    if (equations_->apply_inverse(f_, dx_) != EvaluationStatus::ok) return fail_evaluation();
    g -= dx_;
    ++report_.iterations;
    report_.step_norm = correction_norm(dx_, x);
    last_ = stagnation_.last(report_.step_norm);
    return true;
  }
  bool fail_evaluation() { return report_.fail(SolveStatus::evaluation_failed, equations_->message()); }

  static int map_callback(N_Vector x, N_Vector g, void* self) {
    auto& me = *static_cast<KinsolLeadingIteration*>(self);
    const Index n = me.equations_->size();
    const bool mapped =
        me.map(Eigen::Map<const Vector>(N_VGetArrayPointer(x), n), Eigen::Map<Vector>(N_VGetArrayPointer(g), n));
    return mapped ? 0 : -1;
  }

  ConvergenceRule rule_;
  Stagnation stagnation_;
  ScaledEquations* equations_ = nullptr;
  SolveReport report_;
  bool last_ = false;
  Vector f_, dx_;
  SunContext context_;
  KinsolLoop loop_;
};

}  // namespace gnomon::kernels
