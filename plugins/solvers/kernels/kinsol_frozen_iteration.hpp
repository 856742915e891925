#pragma once
/// \file
/// KINSOL's Picard iteration (KIN_PICARD),
///
///     P dx = -F(x),   x += dx,     P = dF/dx, frozen.
///
/// P is set at the start value of a solve (matrix=solve) or kept from solve to solve (matrix=kept; the rounding of a
/// step then depends on the steps before it). It is set anew where a correction is not half of the one before, with a P
/// of an earlier solve a fifth; that correction is thrown away, and the iteration goes on from where it was made, or,
/// where a P of an earlier solve made corrections or residual grow, from the start value. It ends when the corrections
/// stop shrinking (stagnation.hpp).
///
/// What was measured about KINSOL 6.4.1 and is built in here:
///  - KIN_PICARD factorises in every iteration unless KINSetNoInitSetup says that there is a matrix: it always does,
///  and
///    the matrix is set here.
///  - its own tests are switched off (fnormtol); it is told that F = 0 where the iteration ends.

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>

#include <string>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/stagnation.hpp"
#include "gnomon/sundials/frozen_jacobian.hpp"
#include "gnomon/sundials/sundials_compat.hpp"
#include "kinsol_memory.hpp"

namespace gnomon::kernels {

class KinsolFrozenIteration final : public NonlinearSolver {
 public:
  KinsolFrozenIteration(bool keep, AlgebraChoice algebra, long max_iterations)
      : algebra_(std::move(algebra)), matrix_(keep, "correction", "Picard iterations") {
    rule_.max_iterations = max_iterations;
  }

  void attach(ScaledEquations& equations) override {
    equations_ = &equations;
    const Index n = equations.size();
    u_.reset(N_VNew_Serial(n, context_));
    ones_.reset(N_VNew_Serial(n, context_));
    memory_.reset(KINCreate(context_));
    if (!u_ || !ones_ || !memory_) throw Error(ErrorCode::refused, "KINSOL could not allocate its memory");
    own_data_ = N_VGetArrayPointer(u_.get());
    N_VConst(1.0, ones_.get());
    N_VConst(0.0, u_.get());
    for (Vector* v : {&start_, &x_, &last_}) v->setZero(n);
    message_.text.reserve(1024);  // so that a message during a solve allocates nothing
    GNOMON_CAPTURE_MESSAGES(KINSetErrHandlerFn, memory_.get(), context_, &message_);
    check_kinsol(KINInit(memory_.get(), residual_callback, u_.get()), "KINInit");
    check_kinsol(KINSetUserData(memory_.get(), this), "KINSetUserData");
    matrix_.attach(equations, algebra_, context_);
    check_kinsol(KINSetLinearSolver(memory_.get(), matrix_.linear().solver(), matrix_.linear().matrix()),
                 "KINSetLinearSolver");
    check_kinsol(KINSetJacFn(memory_.get(), jacobian_callback), "KINSetJacFn");
    check_kinsol(KINSetFuncNormTol(memory_.get(), 1e-300), "KINSetFuncNormTol");
    check_kinsol(KINSetNumMaxIters(memory_.get(), rule_.max_iterations + 2), "KINSetNumMaxIters");
    check_kinsol(KINSetMaxSetupCalls(memory_.get(), rule_.max_iterations + 3), "KINSetMaxSetupCalls");
    check_kinsol(KINSetNoInitSetup(memory_.get(), SUNTRUE), "KINSetNoInitSetup");
    allocate_now();
  }

  SolveReport solve(VectorRef xs) override {
    report_ = SolveReport();
    matrix_.begin();
    const double floor = equations_->rounding_floor();
    stagnation_.start(floor);
    start_ = last_ = xs;
    if (!matrix_.available() && !matrix_.set(xs, report_)) return matrix_.failed(report_);
    do {
      then_ = Then::go_on;
      has_iterate_ = false;
      x_ = last_;
      N_VSetArrayPointer(x_.data(), u_.get());
      const int flag = KINSol(memory_.get(), u_.get(), KIN_PICARD, ones_.get(), ones_.get());
      N_VSetArrayPointer(own_data_, u_.get());
      if (report_.status != SolveStatus::converged) return matrix_.failed(report_);
      // The residual vanished, or the linear solver failed before the function was asked again.
      if (then_ == Then::go_on && flag != KIN_INITIAL_GUESS_OK && flag != KIN_SUCCESS && !renew(true))
        return matrix_.failed(report_);
    } while (then_ == Then::restart);
    xs = last_;
    if (rule_.at_floor(report_.residual_norm, floor) ||
        (then_ == Then::done && rule_.acceptable(report_.residual_norm, floor)))
      return report_;
    report_.status = SolveStatus::not_converged;
    report_.message = "scaled residual " + number_text(report_.residual_norm) + " and correction " +
                      number_text(report_.step_norm) + " after " + std::to_string(report_.iterations) +
                      " Picard iterations";
    return matrix_.failed(report_);
  }

  bool correct(VectorRef f) override { return matrix_.correct(f); }
  double pivot_ratio() const override { return matrix_.pivot_ratio(); }
  void serialize(Archive& archive) override { matrix_.serialize(archive); }
  void forget_matrix() override { matrix_.forget(); }

 private:
  enum class Then { go_on, restart, done, exhausted };
  static constexpr int unrecoverable = -1;

  static int no_solution(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, SunReal) { return -1; }

  /// KINSOL allocates a vector in the first solve that iterates: one that its linear solver refuses.
  void allocate_now() {
    auto& solve = matrix_.linear().solver()->ops->solve;
    const auto own = solve;
    solve = no_solution;
    allocating_ = true;
    KINSol(memory_.get(), u_.get(), KIN_PICARD, ones_.get(), ones_.get());
    allocating_ = false;
    solve = own;
  }

  /// P will not do: on with a new one, from the start value where a P of an earlier solve led diverging. False where P is
  /// new, which makes it singular.
  bool renew(bool diverging) {
    if (matrix_.fresh()) return matrix_.singular(report_);
    if (!matrix_.of_this_solve() && diverging) last_ = start_;
    then_ = Then::restart;
    stagnation_.renew();
    return matrix_.set(last_, report_);
  }

  /// KINSOL asks for F at the start value and at every iterate, which tells the correction that it made.
  int residual(const Eigen::Map<const Vector>& u, Eigen::Map<Vector> f) {
    if (has_iterate_) {
      const double step = ((u - last_).array().abs() / (1 + last_.array().abs())).maxCoeff();
      if (!u.allFinite() || (!matrix_.fresh() && stagnation_.slow(step, !matrix_.of_this_solve())))
        return renew(!u.allFinite() || stagnation_.diverging(step)), unrecoverable;
      matrix_.used();
      ++report_.iterations;
      report_.step_norm = step;
      if (stagnation_.last(step))
        then_ = Then::done;
      else if (report_.iterations >= rule_.max_iterations)
        then_ = Then::exhausted;
    }
    ++report_.residual_evaluations;
    if (equations_->residual(u, f) != EvaluationStatus::ok) {
      if (matrix_.of_this_solve() || !has_iterate_) return matrix_.evaluation_failed(report_), unrecoverable;
      return renew(true), unrecoverable;  // an iterate of a matrix that was too old
    }
    last_ = u;
    has_iterate_ = true;
    report_.residual_norm = f.lpNorm<Eigen::Infinity>();
    stagnation_.take_residual(report_.residual_norm);
    if (then_ != Then::go_on) f.setZero();
    return 0;
  }

  static int residual_callback(N_Vector u, N_Vector f, void* self) {
    auto& me = *static_cast<KinsolFrozenIteration*>(self);
    if (me.allocating_) return N_VConst(1.0, f), 0;
    const Index n = me.equations_->size();
    return me.residual(Eigen::Map<const Vector>(N_VGetArrayPointer(u), n),
                       Eigen::Map<Vector>(N_VGetArrayPointer(f), n));
  }
  /// For the linear solver's interface; not called, as long as a solve with the current factors succeeds.
  static int jacobian_callback(N_Vector u, N_Vector, SUNMatrix, void* self, N_Vector, N_Vector) {
    auto& me = *static_cast<KinsolFrozenIteration*>(self);
    const Eigen::Map<const Vector> x(N_VGetArrayPointer(u), me.equations_->size());
    return me.matrix_.linear().evaluate(x) == EvaluationStatus::ok ? 0 : 1;
  }

  AlgebraChoice algebra_;
  ConvergenceRule rule_;
  Stagnation stagnation_;
  ScaledEquations* equations_ = nullptr;
  SolveReport report_;
  Then then_ = Then::go_on;
  bool allocating_ = false;   // see allocate_now
  bool has_iterate_ = false;  // last_ is one of this call of KINSOL
  double* own_data_ = nullptr;
  Vector start_, x_;  // x_: what KINSOL works on
  Vector last_;       // the iterate at which F was evaluated last
  SunMessage message_;
  SunContext context_;
  SunOwner<N_Vector> u_, ones_;
  FrozenJacobian matrix_;
  KinsolMemory memory_;
};

}  // namespace gnomon::kernels
