#pragma once
/// \file
/// Any SUNNonlinearSolver of type SUNNONLINEARSOLVER_ROOTFIND as a NonlinearSolver:
///
///     F(x0 + y) = 0,   J d = -F,   y += d,     y = 0 at first, x0 the start value,
///
/// the form in which SUNDIALS' integrators use it (SUNNonlinSolSetSysFn, SetLSetupFn, SetLSolveFn, SetConvTestFn,
/// SUNNonlinSolSolve). SUNNonlinSol_Newton asks for a set-up once a solve at most, which makes it a modified Newton
/// method; here the linear solve sets the matrix anew at the present iterate where that is wanted:
///
///  - matrix=fresh: in every iteration, Newton's method. It ends with the step below its tolerance and
///    the residual at its floor, further iterations as long as they gain, a last correction with the current
///    factorisation.
///  - matrix=kept: from solve to solve, until a correction is not half of the one before, with the matrix of an earlier
///    solve a fifth; a correction that is not is thrown away. Where a matrix of an earlier solve made corrections or
///    residual grow, SUNDIALS' own way follows: a recoverable failure, a set-up, the start value again. It ends when
///    the corrections stop shrinking (stagnation.hpp). The rounding of a step then depends on the steps before it.

#include <limits>
#include <string>
#include <utility>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/chord_steps.hpp"
#include "gnomon/sundials/frozen_iteration.hpp"
#include "sundials/sun_nonlinear.hpp"

namespace gnomon {

inline OptionSpecs sun_newton_options(const AlgebraTable& algebras) {
  const ConvergenceRule rule;
  return {OptionSpec::choice("matrix", {"fresh", "kept"},
                             "a Jacobian in every iteration, or one kept from solve to solve until it slows"),
          algebra_option(algebras),
          OptionSpec::real("step-tolerance", rule.step_tolerance, 1e-15, 1e-2, "",
                           "matrix=fresh: stop when max |dx|/(1+|x|) of the scaled unknowns is below this"),
          OptionSpec::integer("max-iterations", rule.max_iterations, 1, 100000, "iterations a solve")};
}

class SunNewtonIteration final : public FrozenIteration {
 public:
  SunNewtonIteration(SunNonlinearCreator create, const AlgebraTable& algebras, const Options& options)
      : FrozenIteration(options.is("matrix", "kept"), AlgebraChoice(algebras, options),
                        options.integer("max-iterations"), "step", "iterations"),
        loop_(std::move(create), SUNNONLINEARSOLVER_ROOTFIND) {
    rule_.step_tolerance = options.real("step-tolerance");
  }

  void attach(ScaledEquations& equations) override {
    attach_matrix(equations);
    f_ = serial_vector(size(), context_);
    rhs_.setZero(size());
    loop_.attach(f_.get(), context_, rule_.max_iterations, system, test, this);
    SunNonlinear::check(SUNNonlinSolSetLSetupFn(loop_.get(), setup), "SUNNonlinSolSetLSetupFn");
    SunNonlinear::check(SUNNonlinSolSetLSolveFn(loop_.get(), linear_solve), "SUNNonlinSolSetLSolveFn");
    loop_.initialise();
  }

  SolveReport solve(VectorRef xs) override {
    begin();
    previous_ = std::numeric_limits<double>::infinity();
    tested_ = ended_ = again_ = false;
    loop_.begin(xs);
    int flag = loop_.solve(!available());
    // SUNDIALS did not start again: it goes by the last set-up that it called, in a solve before, and thinks the matrix
    // current.
    if (flag == recoverable && again_) flag = loop_.solve(true);
    if (report_.status != SolveStatus::converged) return finish(false);
    const Vector& x = loop_.result();
    if (!tested_ && !residual(x, map(f_.get()))) return finish(false);
    xs = x;
    // See chord_steps.hpp. f_ has the residual at xs.
    if (at_floor() && ended_ && !kept() && report_.step_norm >= thresholds::negligible_step && linear_.solve(f_.get()))
      xs -= map(f_.get());
    // Without the test's verdict (iterations exhausted, or a solver with a test of its own) the residual decides.
    SolveReport report = finish(ended_ || flag == success);
    if (report.status != SolveStatus::converged)
      report.message = "SUNNonlinSolSolve returned " + std::to_string(flag) + ", " + report.message;
    return report;
  }

 private:
  static constexpr int success = 0, unrecoverable = -1, recoverable = 1;

  static Eigen::Map<Vector> map(N_Vector v) { return SunNonlinear::map(v); }

  static int system(N_Vector y, N_Vector f, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    return me.residual(me.loop_.point(y), map(f)) ? success : unrecoverable;
  }

  /// At the iterate of the last residual. The matrix then counts as current: SUNDIALS is not to repeat a failure.
  static int setup(int, int* current, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    *current = SUNTRUE;
    return me.set_matrix(me.loop_.point()) ? success : unrecoverable;
  }

  static int linear_solve(N_Vector b, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    const int flag = me.kept() ? me.kept_step(b) : me.newton_step(b);
    me.used();
    if (flag == success) ++me.report_.iterations;
    return flag;
  }

  int newton_step(N_Vector b) {
    if (!fresh() && !set_matrix(loop_.point())) return unrecoverable;
    return linear_.solve(b) || singular() ? success : unrecoverable;
  }

  int kept_step(N_Vector b) {
    if (!available() && !set_matrix(loop_.point())) return unrecoverable;
    rhs_ = map(b);
    const bool finite = linear_.solve(b);
    const double step = finite ? correction_norm(map(b), loop_.point()) : std::numeric_limits<double>::infinity();
    if (finite && (fresh() || !stagnation_.slow(step, !of_this_solve()))) return success;
    if (fresh()) return singular(), unrecoverable;
    const bool begin_again = !of_this_solve() && stagnation_.diverging(step);
    stagnation_.renew();
    if (begin_again) return again_ = true, recoverable;  // SUNDIALS sets up and starts again
    map(b) = rhs_;
    return newton_step(b);
  }

  static int test(SUNNonlinearSolver, N_Vector y, N_Vector d, SunReal, N_Vector, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    const Vector& x = me.loop_.point(y);
    me.report_.step_norm = correction_norm(map(d), x);
    me.tested_ = false;
    if (me.kept() ? !me.stagnation_.last(me.report_.step_norm) : me.report_.step_norm > me.rule_.step_tolerance)
      return SUN_NLS_CONTINUE;
    if (!me.residual(x, map(me.f_.get()))) return unrecoverable;
    me.tested_ = true;
    me.ended_ = me.kept() || me.at_floor() || me.report_.residual_norm > 0.5 * me.previous_;
    me.previous_ = me.report_.residual_norm;
    return me.ended_ ? success : SUN_NLS_CONTINUE;
  }

  bool again_ = false;   // from the start value, with a new matrix
  double previous_ = 0;  // residual at the last test of convergence
  bool tested_ = false;  // residual_norm and f_ are those of the last iterate
  bool ended_ = false;   // by the test
  Vector rhs_;
  SunOwner<N_Vector> f_;
  SunNonlinear loop_;
};

}  // namespace gnomon
