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
///    and the matrix is set here.
///  - its own tests are switched off (fnormtol); it is told that F = 0 where the iteration ends.

#include "gnomon/sundials/frozen_iteration.hpp"
#include "solvers/kernels/kinsol_loop.hpp"

namespace gnomon::kernels {

class KinsolFrozenIteration final : public FrozenIteration {
 public:
  KinsolFrozenIteration(bool keep, AlgebraChoice algebra, long max_iterations)
      : FrozenIteration(keep, std::move(algebra), max_iterations, "correction", "Picard iterations") {}

  void attach(ScaledEquations& equations) override {
    attach_matrix(equations);
    const Index n = size();
    for (Vector* v : {&start_, &x_, &last_}) v->setZero(n);
    loop_.attach(serial_vector(n, context_).get(), context_, residual_callback, this, rule_.max_iterations + 2);
    loop_.use(linear_.solver(), linear_.matrix(), jacobian_callback);
    KinsolLoop::check(KINSetMaxSetupCalls(loop_.memory(), rule_.max_iterations + 3), "KINSetMaxSetupCalls");
    KinsolLoop::check(KINSetNoInitSetup(loop_.memory(), SUNTRUE), "KINSetNoInitSetup");
    allocate_now();
  }

  SolveReport solve(VectorRef xs) override {
    begin();
    start_ = last_ = xs;
    if (!available() && !set_matrix(xs)) return finish(false);
    do {
      then_ = Then::go_on;
      has_iterate_ = false;
      x_ = last_;
      const int flag = loop_.solve(x_.data(), KIN_PICARD);
      if (report_.status != SolveStatus::converged) return finish(false);
      // The residual vanished, or the linear solver failed before the function was asked again.
      if (then_ == Then::go_on && flag != KIN_INITIAL_GUESS_OK && flag != KIN_SUCCESS && !renew(true))
        return finish(false);
    } while (then_ == Then::restart);
    xs = last_;
    return finish(then_ == Then::done);
  }

 private:
  enum class Then { go_on, restart, done, exhausted };
  static constexpr int unrecoverable = -1;

  static int no_solution(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, SunReal) { return -1; }

  /// KINSOL allocates a vector in the first solve that iterates: one that its linear solver refuses.
  void allocate_now() {
    auto& solve = linear_.solver()->ops->solve;
    const auto own = solve;
    solve = no_solution;
    allocating_ = true;
    loop_.solve(x_.data(), KIN_PICARD);
    allocating_ = false;
    solve = own;
  }

  /// P will not do: on with a new one, from the start value where a P of an earlier solve led diverging. False where P
  /// is new, which makes it singular.
  bool renew(bool diverging) {
    if (fresh()) return singular();
    if (!of_this_solve() && diverging) last_ = start_;
    then_ = Then::restart;
    stagnation_.renew();
    return set_matrix(last_);
  }

  /// KINSOL asks for F at the start value and at every iterate, which tells the correction that it made.
  int take_iterate(const Eigen::Map<const Vector>& u, Eigen::Map<Vector> f) {
    if (has_iterate_) {
      const double step = correction_norm(u - last_, last_);
      if (!u.allFinite() || (!fresh() && stagnation_.slow(step, !of_this_solve())))
        return renew(!u.allFinite() || stagnation_.diverging(step)), unrecoverable;
      used();
      ++report_.iterations;
      report_.step_norm = step;
      if (stagnation_.last(step))
        then_ = Then::done;
      else if (report_.iterations >= rule_.max_iterations)
        then_ = Then::exhausted;
    }
    if (!residual(u, f)) {
      if (of_this_solve() || !has_iterate_) return unrecoverable;
      report_.recover();  // an iterate of a matrix that was too old
      return renew(true), unrecoverable;
    }
    last_ = u;
    has_iterate_ = true;
    if (then_ != Then::go_on) f.setZero();
    return 0;
  }

  static int residual_callback(N_Vector u, N_Vector f, void* self) {
    auto& me = *static_cast<KinsolFrozenIteration*>(self);
    if (me.allocating_) return N_VConst(1.0, f), 0;
    return me.take_iterate(Eigen::Map<const Vector>(N_VGetArrayPointer(u), me.size()),
                           Eigen::Map<Vector>(N_VGetArrayPointer(f), me.size()));
  }
  /// For the linear solver's interface; not called, as long as a solve with the current factors succeeds.
  static int jacobian_callback(N_Vector u, N_Vector, SUNMatrix, void* self, N_Vector, N_Vector) {
    auto& me = *static_cast<KinsolFrozenIteration*>(self);
    const Eigen::Map<const Vector> x(N_VGetArrayPointer(u), me.size());
    return me.linear_.evaluate(x) == EvaluationStatus::ok ? 0 : 1;
  }

  Then then_ = Then::go_on;
  bool allocating_ = false;   // see allocate_now
  bool has_iterate_ = false;  // last_ is one of this call of KINSOL
  Vector start_, x_;          // x_: what KINSOL works on
  Vector last_;               // the iterate at which F was evaluated last
  KinsolLoop loop_;
};

}  // namespace gnomon::kernels
