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
///    the residual at its floor, further iterations as long as they gain, a last correction with the current factorisation.
///  - matrix=kept: from solve to solve, until a correction is not half of the one before, with the matrix of an earlier
///    solve a fifth; a correction that is not is thrown away. Where a matrix of an earlier solve made corrections or
///    residual grow, SUNDIALS' own way follows: a recoverable failure, a set-up, the start value again. It ends when
///    the corrections stop shrinking (stagnation.hpp). The rounding of a step then depends on the steps before it.

#include <nvector/nvector_serial.h>

#include <limits>
#include <string>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/chord_steps.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/stagnation.hpp"
#include "gnomon/sundials/frozen_jacobian.hpp"
#include "gnomon/sundials/sundials_compat.hpp"
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

class SunNewtonIteration final : public NonlinearSolver {
 public:
  SunNewtonIteration(SunNonlinearCreator create, const AlgebraTable& algebras, const Options& options)
      : create_(std::move(create)),
        algebra_(algebras, options),
        matrix_(options.is("matrix", "kept"), "Newton step", "iterations") {
    rule_.step_tolerance = options.real("step-tolerance");
    rule_.max_iterations = options.integer("max-iterations");
  }

  void attach(ScaledEquations& equations) override {
    equations_ = &equations;
    const Index n = equations.size();
    for (SunOwner<N_Vector>* v : {&start_, &correction_, &ones_, &f_}) {
      v->reset(N_VNew_Serial(n, context_));
      if (!*v) throw Error(ErrorCode::refused, "SUNDIALS could not allocate its vectors");
    }
    N_VConst(1.0, ones_.get());
    x_.setZero(n);
    rhs_.setZero(n);
    matrix_.attach(equations, algebra_, context_);
    solver_.reset(create_(start_.get(), context_));
    if (!solver_ || SUNNonlinSolGetType(solver_.get()) != SUNNONLINEARSOLVER_ROOTFIND)
      throw Error(ErrorCode::refused, "no SUNNonlinearSolver for root finding was created");
    check_sun_call(SUNNonlinSolSetSysFn(solver_.get(), system), "SUNNonlinSolSetSysFn");
    check_sun_call(SUNNonlinSolSetLSetupFn(solver_.get(), setup), "SUNNonlinSolSetLSetupFn");
    check_sun_call(SUNNonlinSolSetLSolveFn(solver_.get(), linear_solve), "SUNNonlinSolSetLSolveFn");
    check_sun_call(SUNNonlinSolSetConvTestFn(solver_.get(), test, this), "SUNNonlinSolSetConvTestFn");
    check_sun_call(SUNNonlinSolSetMaxIters(solver_.get(), static_cast<int>(rule_.max_iterations)),
                   "SUNNonlinSolSetMaxIters");
    check_sun_call(SUNNonlinSolInitialize(solver_.get()), "SUNNonlinSolInitialize");
  }

  SolveReport solve(VectorRef xs) override {
    report_ = SolveReport();
    matrix_.begin();
    const double floor = equations_->rounding_floor();
    stagnation_.start(floor);
    previous_ = std::numeric_limits<double>::infinity();
    tested_ = ended_ = false;
    map(start_) = xs;
    N_VConst(0.0, correction_.get());
    const int set_up = matrix_.available() ? SUNFALSE : SUNTRUE;
    SUNNonlinSolSetup(solver_.get(), correction_.get(), this);
    again_ = false;
    int flag = SUNNonlinSolSolve(solver_.get(), start_.get(), correction_.get(), ones_.get(), 1.0, set_up, this);
    if (flag == recoverable && again_) {
      // SUNDIALS did not start again: it goes by the last set-up that it called, in a solve before, and thinks the
      // matrix current.
      N_VConst(0.0, correction_.get());
      flag = SUNNonlinSolSolve(solver_.get(), start_.get(), correction_.get(), ones_.get(), 1.0, SUNTRUE, this);
    }
    if (report_.status != SolveStatus::converged) return matrix_.failed(report_);
    x_ = map(start_) + map(correction_);
    if (!tested_ && !test_convergence()) return matrix_.failed(report_);
    xs = x_;
    const bool at_floor = rule_.at_floor(report_.residual_norm, floor);
    if (at_floor && ended_ && !matrix_.kept()) refine(xs);
    // Without the test's verdict (iterations exhausted, or a solver with a test of its own) the residual decides.
    if (at_floor || ((ended_ || flag == success) && rule_.acceptable(report_.residual_norm, floor))) return report_;
    report_.status = SolveStatus::not_converged;
    report_.message = "SUNNonlinSolSolve returned " + std::to_string(flag) + ", scaled residual " +
                      number_text(report_.residual_norm) + " and step " + number_text(report_.step_norm) + " after " +
                      std::to_string(report_.iterations) + " iterations";
    return matrix_.failed(report_);
  }

  bool correct(VectorRef f) override { return matrix_.correct(f); }
  double pivot_ratio() const override { return matrix_.pivot_ratio(); }
  void serialize(Archive& archive) override { matrix_.serialize(archive); }
  void forget_matrix() override { matrix_.forget(); }

 private:
  static constexpr int success = 0, unrecoverable = -1, recoverable = 1;

  Eigen::Map<Vector> map(const SunOwner<N_Vector>& v) const { return map(v.get()); }
  Eigen::Map<Vector> map(N_Vector v) const { return {N_VGetArrayPointer(v), equations_->size()}; }
  double step_size(const Eigen::Map<Vector>& d) const { return (d.array().abs() / (1 + x_.array().abs())).maxCoeff(); }

  bool residual(Eigen::Map<Vector> f) {
    ++report_.residual_evaluations;
    if (equations_->residual(x_, f) != EvaluationStatus::ok) return matrix_.evaluation_failed(report_);
    report_.residual_norm = f.lpNorm<Eigen::Infinity>();
    stagnation_.take_residual(report_.residual_norm);
    return true;
  }
  /// The residual where the iteration might end.
  bool test_convergence() { return residual(map(f_)); }

  /// See chord_steps.hpp. f_ has the residual at xs.
  void refine(VectorRef xs) {
    if (report_.step_norm >= negligible_step && matrix_.solve(f_.get())) xs -= map(f_);
  }

  static int system(N_Vector y, N_Vector f, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    me.x_ = me.map(me.start_) + me.map(y);
    return me.residual(me.map(f)) ? success : unrecoverable;
  }

  /// At the iterate of the last residual. The matrix then counts as current: SUNDIALS is not to repeat a failure.
  static int setup(int, int* current, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    *current = SUNTRUE;
    return me.matrix_.set(me.x_, me.report_) ? success : unrecoverable;
  }

  static int linear_solve(N_Vector b, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    const int flag = me.matrix_.kept() ? me.kept_step(b) : me.newton_step(b);
    me.matrix_.used();
    if (flag == success) ++me.report_.iterations;
    return flag;
  }

  int newton_step(N_Vector b) {
    if (!matrix_.fresh() && !matrix_.set(x_, report_)) return unrecoverable;
    return matrix_.solve(b) || matrix_.singular(report_) ? success : unrecoverable;
  }

  int kept_step(N_Vector b) {
    if (!matrix_.available() && !matrix_.set(x_, report_)) return unrecoverable;
    rhs_ = map(b);
    const bool finite = matrix_.solve(b);
    const double step = finite ? step_size(map(b)) : std::numeric_limits<double>::infinity();
    if (finite && (matrix_.fresh() || !stagnation_.slow(step, !matrix_.of_this_solve()))) return success;
    if (matrix_.fresh()) return matrix_.singular(report_), unrecoverable;
    const bool begin_again = !matrix_.of_this_solve() && stagnation_.diverging(step);
    stagnation_.renew();
    if (begin_again) return again_ = true, recoverable;  // SUNDIALS sets up and starts again
    map(b) = rhs_;
    return newton_step(b);
  }

  static int test(SUNNonlinearSolver, N_Vector y, N_Vector d, SunReal, N_Vector, void* self) {
    auto& me = *static_cast<SunNewtonIteration*>(self);
    me.x_ = me.map(me.start_) + me.map(y);
    me.report_.step_norm = me.step_size(me.map(d));
    me.tested_ = false;
    if (me.matrix_.kept() ? !me.stagnation_.last(me.report_.step_norm) : me.report_.step_norm > me.rule_.step_tolerance)
      return SUN_NLS_CONTINUE;
    if (!me.test_convergence()) return unrecoverable;
    me.tested_ = true;
    me.ended_ = me.matrix_.kept() || me.rule_.at_floor(me.report_.residual_norm, me.equations_->rounding_floor()) ||
                me.report_.residual_norm > 0.5 * me.previous_;
    me.previous_ = me.report_.residual_norm;
    return me.ended_ ? success : SUN_NLS_CONTINUE;
  }

  SunNonlinearCreator create_;
  AlgebraChoice algebra_;
  ConvergenceRule rule_;
  bool again_ = false;  // from the start value, with a new matrix
  Stagnation stagnation_;
  ScaledEquations* equations_ = nullptr;
  SolveReport report_;
  double previous_ = 0;  // residual at the last test of convergence
  bool tested_ = false;  // residual_norm and f_ are those of the last iterate
  bool ended_ = false;   // by the test
  Vector x_, rhs_;
  SunContext context_;
  SunOwner<N_Vector> start_, correction_, ones_, f_;
  FrozenJacobian matrix_;
  SunNonlinearOwner solver_;
};

}  // namespace gnomon
