#include "solvers/kernels/kinsol_newton_iteration.hpp"

#include <nvector/nvector_serial.h>

#include <cstdlib>
#include <limits>
#include <memory>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "solvers/kernels/vectorised_vector.hpp"

namespace gnomon::kernels {

KinsolNewtonIteration::KinsolNewtonIteration(int strategy, const AlgebraTable& algebras, const Options& options)
    : strategy_(strategy),
      simplify_(strategy == KIN_NONE && SimplifiedNewton::wanted(options)),
      algebra_(algebras, options) {
  rule_.step_tolerance = options.real("step-tolerance");
  rule_.max_iterations = options.integer("max-iterations");
}

void KinsolNewtonIteration::attach(ScaledEquations& equations) {
  equations_ = &equations;
  f_ = serial_vector(equations.size(), context_);
  path_.allocate(equations.size());
  vectorise(f_.get());
  loop_.attach(f_.get(), context_, residual_callback, this, rule_.max_iterations);
  if (simplify_) simplified_.attach(equations, f_.get(), context_, rule_);
  linear_.attach(equations, algebra_, context_, simplified_.attached() && simplified_.newton().replaces_matrix());
  loop_.use(linear_.solver(), linear_.matrix(), jacobian_callback);
  KinsolLoop::check(KINSetMaxSetupCalls(loop_.memory(), 1), "KINSetMaxSetupCalls");
  KinsolLoop::check(KINSetNoResMon(loop_.memory(), SUNTRUE), "KINSetNoResMon");
}

namespace {

/// Flags after which the iterate is meaningful, so that its residual norm decides. A failed line search is one of
/// them: at the rounding floor no step reduces the norm any more.
bool verdict_possible(int flag) {
  return flag == KIN_SUCCESS || flag == KIN_INITIAL_GUESS_OK || flag == KIN_STEP_LT_STPTOL ||
         flag == KIN_LINESEARCH_NONCONV || flag == KIN_LINESEARCH_BCFAIL;
}

}  // namespace

/// See chord_steps.hpp; f_ has F, and after correct() the correction.
struct KinsolNewtonIteration::ChordCorrection {
  KinsolNewtonIteration& me;
  Eigen::Map<Vector> f;
  VectorRef& xs;
  double last, before = 0;  ///< corrections

  bool correct() {
    if (!me.linear_.solve(me.f_.get())) return false;
    before = last;
    last = correction_norm(f, xs);
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

SolveReport KinsolNewtonIteration::solve(VectorRef xs) {
  if (simplified_.attached()) linear_.prepare(xs);
  linear_.begin();
  SolveReport tried;
  if (simplified_.solve(xs, tried) || simplified_.newton().spares(rule_, tried)) return tried;
  SolveReport report = solve_fully(xs);
  report.add_effort(tried);
  return report;
}

SolveReport KinsolNewtonIteration::solve_fully(VectorRef xs) {
  SolveReport report;
  const double floor = equations_->rounding_floor();
  double previous = std::numeric_limits<double>::infinity();
  path_.begin(floor);
  // With a line search KINSOL keeps its tolerance: the points of a search are no iterates, and a step that it refused
  // is none.
  const bool line_search = strategy_ == KIN_LINESEARCH;
  // Usually one pass, and a second one where the current factorisation will not do for the last corrections. When the
  // residual is not at its floor although the step was small (weak contraction), single further iterations go on as
  // long as they gain.
  KINSetNumMaxIters(loop_.memory(), rule_.max_iterations);
  double step_tolerance = line_search ? rule_.step_tolerance : chord_reach * rule_.step_tolerance;
  for (bool first = true;;) {
    KINSetScaledStepTol(loop_.memory(), step_tolerance);
    KINSetMaxNewtonStep(loop_.memory(), 1e8);
    evaluation_failed_ = false;
    const int flag = loop_.solve(xs.data(), strategy_);
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
      KINSetNumMaxIters(loop_.memory(), rule_.max_iterations - report.iterations);
      continue;
    }
    if (report.residual_norm > 0.5 * previous) {
      if (!rule_.acceptable(report.residual_norm, floor)) set_failure(report, flag);
      break;
    }
    previous = report.residual_norm;
    first = false;
    KINSetNumMaxIters(loop_.memory(), 1);
    step_tolerance = thresholds::change_rounding;
  }
  last_residual_ = nullptr;
  return report;
}

/// The residual is the one that KINSOL evaluated last, if that was at its result: a line search may have tried
/// another point after it, whose norm KINSOL then gives where the search failed.
Ending KinsolNewtonIteration::end(VectorRef xs, int flag, double floor, SolveReport& report) {
  if (!linear_.factorised())  // the start value solves it
    return rule_.at_floor(report.residual_norm, floor) ? Ending::done : Ending::new_matrix;
  ChordCorrection chord{*this, Eigen::Map<Vector>(NV_DATA_S(f_.get()), xs.size()), xs, report.step_norm};
  SunReal norm = 0;
  KINGetFuncNorm(loop_.memory(), &norm);
  const bool refused = flag == KIN_LINESEARCH_NONCONV || flag == KIN_LINESEARCH_BCFAIL;
  if (!refused && last_residual_ != nullptr && N_VWL2Norm(last_residual_, loop_.ones()) == norm)
    chord.f = Eigen::Map<const Vector>(NV_DATA_S(last_residual_), xs.size());
  else if (!chord.evaluate(report))
    return Ending::failed;
  if (strategy_ == KIN_LINESEARCH && rule_.at_floor(report.residual_norm, floor)) {
    if (chord.correct()) chord.apply();
    return Ending::done;
  }
  return take_chord_steps(chord, rule_, floor, report);
}

void KinsolNewtonIteration::set_failure(SolveReport& report, int flag) const {
  if (evaluation_failed_) {
    report.fail(SolveStatus::evaluation_failed, equations_->message());
    return;
  }
  const bool singular = flag == KIN_LSETUP_FAIL || flag == KIN_LSOLVE_FAIL || flag == KIN_LINSOLV_NO_RECOVERY;
  const std::unique_ptr<char, decltype(&std::free)> name(KINGetReturnFlagName(flag), &std::free);
  report.fail(singular ? SolveStatus::singular_jacobian : SolveStatus::not_converged,
              std::string("KINSOL returned ") + name.get() + ", scaled residual " + number_text(report.residual_norm) +
                  " after " + std::to_string(report.iterations) + " iterations" +
                  (singular && !linear_.message().empty() ? ": " + linear_.message() : ""));
}

void KinsolNewtonIteration::add_counters(SolveReport& report) const {
  long iterations = 0, functions = 0, jacobians = 0;
  SunReal step = 0;
  KINGetStepLength(loop_.memory(), &step);
  KINGetNumNonlinSolvIters(loop_.memory(), &iterations);
  KINGetNumFuncEvals(loop_.memory(), &functions);
  // Where a start value is accepted KINSOL has not set its count of matrices yet.
  if (iterations > 0) KINGetNumJacEvals(loop_.memory(), &jacobians);
  report.iterations += iterations;
  report.residual_evaluations += functions;
  report.jacobian_evaluations += jacobians;
  report.factorisations += jacobians;
  report.contraction = 1;
  report.step_norm = strategy_ == KIN_LINESEARCH ? step : path_.step();
}

int KinsolNewtonIteration::residual_callback(N_Vector x, N_Vector f, void* self) {
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

int KinsolNewtonIteration::jacobian_callback(N_Vector x, N_Vector, SUNMatrix, void* self, N_Vector, N_Vector) {
  auto& me = *static_cast<KinsolNewtonIteration*>(self);
  const Eigen::Map<const Vector> xs(NV_DATA_S(x), me.equations_->size());
  me.evaluation_failed_ = me.linear_.evaluate(xs) != EvaluationStatus::ok;
  return me.evaluation_failed_ ? 1 : 0;
}

}  // namespace gnomon::kernels
