#pragma once
/// \file
/// KINSOL's Newton iteration, with or without line search, as a NonlinearSolver. Shared by kinsol-newton and
/// kinsol-linesearch.
///
/// What was measured about KINSOL 6.4.1 and is built in here:
///  - fnormtol: no fixed value is right (the default costs eight digits, 1e-13 drifts, 1e-15 lies below the floor):
///    it is switched off and the stop is by the scaled step, where Newton is quadratic; the residual must confirm it.
///  - KIN_INITIAL_GUESS_OK and KIN_STEP_LT_STPTOL are positive flags: the verdict is by the residual norm alone.
///  - mxnewtonstep rejects good first steps and its default goes stale: set before every solve.
///  - every KINSol call re-initialises the linear solver: that of sun_linear_system.hpp does nothing then.
///  - the last corrections are made with the current factorisation (chord_steps.hpp), not by KINSOL: without residual monitoring it
///    sets a new matrix in every iteration, whatever KINSetMaxSetupCalls says, and with it before it accepts a step.
///  - counters are reset by every call: they are summed here.
///  - it tests F and the step, no more: where corrections end as noise above the step tolerance, as multipliers of
///    fine meshes do, it would use up its iterations. Without a line search it is told that F = 0 where they no
///    longer shrink and F is at its floor.

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/chord_steps.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"
#include "gnomon/sundials/sundials_compat.hpp"
#include "kinsol_memory.hpp"
#include "vectorised_vector.hpp"

namespace gnomon::kernels {

inline OptionSpecs kinsol_options(const AlgebraTable& algebras) {
  const ConvergenceRule rule;
  return {algebra_option(algebras),
          OptionSpec::real("step-tolerance", rule.step_tolerance, 1e-15, 1e-2, "",
                           "stop when max |dx|/(1+|x|) of the scaled unknowns is below this"),
          OptionSpec::integer("max-iterations", rule.max_iterations, 1, 100000, "iterations a solve")};
}

class KinsolNewtonIteration final : public NonlinearSolver {
 public:
  KinsolNewtonIteration(int strategy, const AlgebraTable& algebras, const Options& options)
      : strategy_(strategy), algebra_(algebras, options) {
    rule_.step_tolerance = options.real("step-tolerance");
    rule_.max_iterations = options.integer("max-iterations");
  }

  void attach(ScaledEquations& equations) override {
    equations_ = &equations;
    const Index n = equations.size();
    x_.reset(N_VNew_Serial(n, context_));
    ones_.reset(N_VNew_Serial(n, context_));
    f_.reset(N_VNew_Serial(n, context_));
    path_.allocate(n);
    memory_.reset(KINCreate(context_));
    if (!x_ || !ones_ || !f_ || !memory_) throw Error(ErrorCode::refused, "KINSOL could not allocate its memory");
    for (N_Vector v : {x_.get(), ones_.get(), f_.get()}) vectorise(v);
    own_data_ = NV_DATA_S(x_.get());
    N_VConst(1.0, ones_.get());
    message_.text.reserve(1024);  // so that a message during a solve allocates nothing
    GNOMON_CAPTURE_MESSAGES(KINSetErrHandlerFn, memory_.get(), context_, &message_);
    check_kinsol(KINInit(memory_.get(), residual_callback, x_.get()), "KINInit");
    check_kinsol(KINSetUserData(memory_.get(), this), "KINSetUserData");
    linear_.attach(equations, algebra_, context_);
    check_kinsol(KINSetLinearSolver(memory_.get(), linear_.solver(), linear_.matrix()), "KINSetLinearSolver");
    check_kinsol(KINSetJacFn(memory_.get(), jacobian_callback), "KINSetJacFn");
    check_kinsol(KINSetFuncNormTol(memory_.get(), 1e-300), "KINSetFuncNormTol");
    check_kinsol(KINSetMaxSetupCalls(memory_.get(), 1), "KINSetMaxSetupCalls");
    check_kinsol(KINSetNoResMon(memory_.get(), SUNTRUE), "KINSetNoResMon");
  }

  SolveReport solve(VectorRef xs) override {
    SolveReport report;
    const double floor = equations_->rounding_floor();
    double previous = std::numeric_limits<double>::infinity();
    N_VSetArrayPointer(xs.data(), x_.get());
    linear_.begin();
    path_.begin(floor);
    // With a line search KINSOL keeps its tolerance: the points of a search are no iterates, and a step that it refused
    // is none.
    const bool line_search = strategy_ == KIN_LINESEARCH;
    // Usually one pass, and a second one where the current factorisation will not do for the last corrections. When the
    // residual is not at its floor although the step was small (weak contraction), single further iterations go on as
    // long as they gain.
    KINSetNumMaxIters(memory_.get(), rule_.max_iterations);
    double step_tolerance = line_search ? rule_.step_tolerance : chord_reach * rule_.step_tolerance;
    for (bool first = true;;) {
      KINSetScaledStepTol(memory_.get(), step_tolerance);
      KINSetMaxNewtonStep(memory_.get(), 1e8);
      evaluation_failed_ = false;
      const int flag = KINSol(memory_.get(), x_.get(), strategy_, ones_.get(), ones_.get());
      add_counters(report);
      report.residual_norm = path_.residual();
      if (!line_search && path_.noise()) break;
      // Where G loses rank some directions are undetermined and the iterates wander along them: the residual decides.
      if (first && flag == KIN_MAXITER_REACHED && rule_.at_floor(report.residual_norm, floor)) break;
      if (!verdict_possible(flag) && (first || flag != KIN_MAXITER_REACHED)) {
        set_failure(report, flag);
        break;
      }
      const Ending ending = end(xs, flag, floor, report);
      if (ending == Ending::done) break;
      if (ending == Ending::failed) {
        set_failure(report, flag);
        break;
      }
      if (rule_.at_floor(report.residual_norm, floor) && step_tolerance <= rule_.step_tolerance) break;
      if (report.iterations >= rule_.max_iterations) {
        if (!rule_.at_floor(report.residual_norm, floor)) set_failure(report, flag);
        break;
      }
      path_.arrive(rule_, xs, report);
      if (step_tolerance > rule_.step_tolerance) {
        step_tolerance = rule_.step_tolerance;
        KINSetNumMaxIters(memory_.get(), rule_.max_iterations - report.iterations);
        continue;
      }
      if (report.residual_norm > 0.5 * previous) {
        if (!rule_.acceptable(report.residual_norm, floor)) set_failure(report, flag);
        break;
      }
      previous = report.residual_norm;
      first = false;
      KINSetNumMaxIters(memory_.get(), 1);
      step_tolerance = 1e-15;
    }
    N_VSetArrayPointer(own_data_, x_.get());
    last_residual_ = nullptr;
    return report;
  }

  bool correct(VectorRef f) override {
    rule_.refined_after = true;  // the equations offer it
    return linear_.correct(f);
  }
  double pivot_ratio() const override { return linear_.pivot_ratio(); }
  void serialize(Archive& archive) override {
    linear_.serialize(archive, false);
    archive(rule_.refined_after);
  }

 private:
  /// Flags after which the iterate is meaningful, so that its residual norm decides. A failed line search is one of
  /// them: at the rounding floor no step reduces the norm any more.
  static bool verdict_possible(int flag) {
    return flag == KIN_SUCCESS || flag == KIN_INITIAL_GUESS_OK || flag == KIN_STEP_LT_STPTOL ||
           flag == KIN_LINESEARCH_NONCONV || flag == KIN_LINESEARCH_BCFAIL;
  }

  /// See chord_steps.hpp; f_ has F, and after correct() the correction.
  struct ChordCorrection {
    KinsolNewtonIteration& me;
    Eigen::Map<Vector> f;
    VectorRef& xs;
    double last, before = 0;  ///< corrections

    bool correct() {
      if (!me.linear_.solve(me.f_.get())) return false;
      before = last;
      last = (f.array().abs() / (1 + xs.array().abs())).maxCoeff();
      return true;
    }
    double step() const { return last; }
    double rate() const { return last / before; }
    void apply() { xs -= f; }
    bool evaluate(SolveReport& report) {
      ++report.residual_evaluations;
      me.evaluation_failed_ = me.equations_->residual(xs, f) != EvaluationStatus::ok;
      report.residual_norm = f.lpNorm<Eigen::Infinity>();
      return !me.evaluation_failed_;
    }
  };

  /// The residual is the one that KINSOL evaluated last, if that was at its result: a line search may have tried
  /// another point after it, whose norm KINSOL then gives where the search failed.
  Ending end(VectorRef xs, int flag, double floor, SolveReport& report) {
    if (report.factorisations == 0)  // the start value solves it
      return rule_.at_floor(report.residual_norm, floor) ? Ending::done : Ending::new_matrix;
    ChordCorrection chord{*this, Eigen::Map<Vector>(NV_DATA_S(f_.get()), xs.size()), xs, report.step_norm};
    SunReal norm = 0;
    KINGetFuncNorm(memory_.get(), &norm);
    const bool refused = flag == KIN_LINESEARCH_NONCONV || flag == KIN_LINESEARCH_BCFAIL;
    if (!refused && last_residual_ != nullptr && N_VWL2Norm(last_residual_, ones_.get()) == norm)
      chord.f = Eigen::Map<const Vector>(NV_DATA_S(last_residual_), xs.size());
    else if (!chord.evaluate(report))
      return Ending::failed;
    if (strategy_ == KIN_LINESEARCH && rule_.at_floor(report.residual_norm, floor)) {
      if (chord.correct()) chord.apply();
      return Ending::done;
    }
    return take_chord_steps(chord, rule_, floor, report);
  }

  void set_failure(SolveReport& report, int flag) const {
    report.status = SolveStatus::not_converged;
    if (evaluation_failed_)
      report.status = SolveStatus::evaluation_failed;
    else if (flag == KIN_LSETUP_FAIL || flag == KIN_LSOLVE_FAIL || flag == KIN_LINSOLV_NO_RECOVERY)
      report.status = SolveStatus::singular_jacobian;
    if (evaluation_failed_) {
      report.message = equations_->message();
      return;
    }
    const std::unique_ptr<char, decltype(&std::free)> name(KINGetReturnFlagName(flag), &std::free);
    report.message = std::string("KINSOL returned ") + name.get() + ", scaled residual " +
                     number_text(report.residual_norm) + " after " + std::to_string(report.iterations) + " iterations";
  }

  void add_counters(SolveReport& report) {
    long iterations = 0, functions = 0, jacobians = 0;
    SunReal step = 0;
    KINGetStepLength(memory_.get(), &step);
    KINGetNumNonlinSolvIters(memory_.get(), &iterations);
    KINGetNumFuncEvals(memory_.get(), &functions);
    KINGetNumJacEvals(memory_.get(), &jacobians);
    report.iterations += iterations;
    report.residual_evaluations += functions;
    report.jacobian_evaluations += jacobians;
    report.factorisations += jacobians;
    report.contraction = 1;
    report.step_norm = strategy_ == KIN_LINESEARCH ? step : path_.step();
  }

  static int residual_callback(N_Vector x, N_Vector f, void* self) {
    auto& me = *static_cast<KinsolNewtonIteration*>(self);
    const Index n = me.equations_->size();
    const Eigen::Map<const Vector> xs(NV_DATA_S(x), n);
    Eigen::Map<Vector> fs(NV_DATA_S(f), n);
    me.evaluation_failed_ = me.equations_->residual(xs, fs) != EvaluationStatus::ok;
    me.last_residual_ = f;
    if (me.evaluation_failed_) return 1;
    me.path_.go_to(me.rule_, xs, fs.lpNorm<Eigen::Infinity>());
    if (me.strategy_ == KIN_NONE && me.path_.noise()) fs.setZero();
    return 0;
  }

  static int jacobian_callback(N_Vector x, N_Vector, SUNMatrix, void* self, N_Vector, N_Vector) {
    auto& me = *static_cast<KinsolNewtonIteration*>(self);
    const Eigen::Map<const Vector> xs(NV_DATA_S(x), me.equations_->size());
    me.evaluation_failed_ = me.linear_.evaluate(xs) != EvaluationStatus::ok;
    return me.evaluation_failed_ ? 1 : 0;
  }

  /// The points at which KINSOL evaluates F: how far apart the last two are, in the norm of the step tolerance, and
  /// whether F is at its floor and they no longer come closer.
  class Path {
   public:
    void allocate(Index n) { last_.setZero(n); }
    void begin(double floor) {
      floor_ = floor;
      step_ = none;
      any_ = at_floor_ = noise_ = false;
    }
    void go_to(const ConvergenceRule& rule, const Eigen::Map<const Vector>& xs, double residual) {
      residual_ = residual;
      const double step = any_ ? ((xs - last_).array().abs() / (1 + xs.array().abs())).maxCoeff() : none;
      if (step == 0) return;  // KINSOL starts where it was
      const bool before = at_floor_;
      at_floor_ = rule.at_floor(residual, floor_);
      noise_ = before && at_floor_ && is_noise(step, step_);
      step_ = step;
      any_ = true;
      last_ = xs;
    }
    /// By other ways than KINSOL's, to where it starts again.
    void arrive(const ConvergenceRule& rule, const ConstVectorRef& xs, const SolveReport& report) {
      residual_ = report.residual_norm;
      step_ = report.step_norm;
      at_floor_ = rule.at_floor(residual_, floor_);
      any_ = true;
      noise_ = false;
      last_ = xs;
    }
    double step() const { return step_; }
    double residual() const { return residual_; }
    bool noise() const { return noise_; }

   private:
    static constexpr double none = std::numeric_limits<double>::infinity();
    double floor_ = 0, step_ = none, residual_ = 0;
    bool any_ = false, at_floor_ = false, noise_ = false;
    Vector last_;
  };

  int strategy_;
  Path path_;
  AlgebraChoice algebra_;
  ConvergenceRule rule_;
  ScaledEquations* equations_ = nullptr;
  bool evaluation_failed_ = false;
  double* own_data_ = nullptr;
  N_Vector last_residual_ = nullptr;  // of this solve, KINSOL's
  SunMessage message_;
  SunContext context_;
  SunOwner<N_Vector> x_, ones_, f_;
  SunLinearSystem linear_;
  KinsolMemory memory_;
};

}  // namespace gnomon::kernels
