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

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>

#include <memory>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/stagnation.hpp"
#include "gnomon/sundials/sundials_compat.hpp"
#include "kinsol_memory.hpp"

namespace gnomon::kernels {

class KinsolLeadingIteration final : public NonlinearSolver {
 public:
  explicit KinsolLeadingIteration(long max_iterations) { rule_.max_iterations = max_iterations; }

  void attach(ScaledEquations& equations) override {
    if (!equations.has_approximate_inverse())
      throw Error(ErrorCode::refused, "the iteration needs an approximate inverse, and the scheme exposes none");
    equations_ = &equations;
    const Index n = equations.size();
    x_.reset(N_VNew_Serial(n, context_));
    ones_.reset(N_VNew_Serial(n, context_));
    memory_.reset(KINCreate(context_));
    if (!x_ || !ones_ || !memory_) throw Error(ErrorCode::refused, "KINSOL could not allocate its memory");
    own_data_ = N_VGetArrayPointer(x_.get());
    N_VConst(1.0, ones_.get());
    f_.setZero(n);
    dx_.setZero(n);
    message_.text.reserve(1024);  // so that a message during a solve allocates nothing
    GNOMON_CAPTURE_MESSAGES(KINSetErrHandlerFn, memory_.get(), context_, &message_);
    check_kinsol(KINInit(memory_.get(), map_callback, x_.get()), "KINInit");
    check_kinsol(KINSetUserData(memory_.get(), this), "KINSetUserData");
    check_kinsol(KINSetFuncNormTol(memory_.get(), 1e-300), "KINSetFuncNormTol");
    check_kinsol(KINSetNumMaxIters(memory_.get(), rule_.max_iterations), "KINSetNumMaxIters");
  }

  SolveReport solve(VectorRef xs) override {
    report_ = SolveReport();
    stagnation_.start(equations_->rounding_floor());
    last_ = evaluation_failed_ = false;
    N_VSetArrayPointer(xs.data(), x_.get());
    const int flag = KINSol(memory_.get(), x_.get(), KIN_FP, ones_.get(), ones_.get());
    N_VSetArrayPointer(own_data_, x_.get());
    if (evaluation_failed_) {
      report_.status = SolveStatus::evaluation_failed;
      report_.message = equations_->message();
    } else if (flag < 0 || !rule_.acceptable(report_.residual_norm, equations_->rounding_floor())) {
      report_.status = SolveStatus::not_converged;
      report_.message = "scaled residual " + number_text(report_.residual_norm) + " and correction " +
                        number_text(report_.step_norm) + " after " + std::to_string(report_.iterations) +
                        " Picard iterations";
    }
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
    ++report_.residual_evaluations;
    if (equations_->residual(x, f_) != EvaluationStatus::ok) return false;
    report_.residual_norm = f_.lpNorm<Eigen::Infinity>();
    g = x;
    if (last_) return true;
    if (equations_->update_inverse(x) != EvaluationStatus::ok) return false;
    ++report_.factorisations;
    if (equations_->apply_inverse(f_, dx_) != EvaluationStatus::ok) return false;
    g -= dx_;
    ++report_.iterations;
    report_.step_norm = (dx_.array().abs() / (1 + x.array().abs())).maxCoeff();
    last_ = stagnation_.last(report_.step_norm);
    return true;
  }

  static int map_callback(N_Vector x, N_Vector g, void* self) {
    auto& me = *static_cast<KinsolLeadingIteration*>(self);
    const Index n = me.equations_->size();
    me.evaluation_failed_ =
        !me.map(Eigen::Map<const Vector>(N_VGetArrayPointer(x), n), Eigen::Map<Vector>(N_VGetArrayPointer(g), n));
    return me.evaluation_failed_ ? -1 : 0;
  }

  ConvergenceRule rule_;
  Stagnation stagnation_;
  ScaledEquations* equations_ = nullptr;
  SolveReport report_;
  bool last_ = false, evaluation_failed_ = false;
  double* own_data_ = nullptr;
  Vector f_, dx_;
  SunMessage message_;
  SunContext context_;
  SunOwner<N_Vector> x_, ones_;
  KinsolMemory memory_;
};

}  // namespace gnomon::kernels
