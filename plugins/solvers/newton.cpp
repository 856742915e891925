/// \file
/// newton: the readable reference strategy, and the fast path for small systems.
///
///     J(x) dx = -F(x),   x += dx,   until max |dx|/(1+|x|) < 1e-7 and F is at its rounding floor,
///
/// with J factorised in every iteration, until the current one contracts twentyfold: the last corrections are made
/// with that (gnomon/solve/chord_steps.hpp). Where a scheme exposes a simplified matrix that contracts tenfold, that
/// one does it all (gnomon/solve/simplified_newton.hpp). Newton is quadratic where the step is that small, so the error
/// left is below rounding; a residual that is not there yet gets further iterations as long as they gain.

#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/chord_steps.hpp"
#include "gnomon/solve/jacobian_system.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/simplified_newton.hpp"

namespace {

using namespace gnomon;

class Newton final : public NonlinearSolver {
 public:
  Newton(const AlgebraTable& algebras, const Options& options)
      : simplify_(SimplifiedNewton::wanted(options)), algebra_(algebras, options) {
    rule_.step_tolerance = options.real("step-tolerance");
    rule_.max_iterations = options.integer("max-iterations");
  }

  void attach(ScaledEquations& equations) override {
    equations_ = &equations;
    const Index n = equations.size();
    f_.setZero(n);
    dx_.setZero(n);
    if (simplify_) simplified_.attach(equations);
    linear_.attach(equations, algebra_, simplified_.replaces_matrix());
  }

  SolveReport solve(VectorRef xs) override {
    if (simplified_.offered()) linear_.prepare(xs);
    linear_.begin();
    SolveReport tried;
    const auto simplified = [this](VectorRef x, SolveReport& counts) { return iterate_simplified(x, counts); };
    if (simplified_.solve(xs, tried, simplified) || simplified_.spares(rule_, tried)) return tried;
    SolveReport report = solve_fully(xs);
    report.add_effort(tried);
    return report;
  }

  bool correct(VectorRef f) override {
    rule_.refined_after = equations_->equations().low().size() > 0;
    return simplified_.solved() ? simplified_.correct(f) : linear_.factorised() && linear_.solve(f);
  }
  double pivot_ratio() const override {
    return simplified_.solved() ? simplified_.pivot_ratio() : linear_.pivot_ratio();
  }
  void serialize(Archive& archive) override {
    linear_.serialize(archive, false);
    archive(rule_.refined_after);
  }

 private:
  SolveReport solve_fully(VectorRef xs) {
    SolveReport report;
    const double floor = equations_->rounding_floor();
    double previous = std::numeric_limits<double>::infinity(), last_step = previous;
    if (!evaluate(xs, report)) return report;
    while (report.iterations < rule_.max_iterations) {
      if (!factorise(xs, report)) return report;
      dx_ = f_;
      if (!linear_.solve(dx_)) return fail_singular(report), report;
      xs -= dx_;
      ++report.iterations;
      report.step_norm = correction_norm(dx_, xs);
      report.contraction = 1;
      if (!evaluate(xs, report)) return report;
      if (is_noise(report.step_norm, last_step) && rule_.at_floor(report.residual_norm, floor)) return report;
      last_step = report.step_norm;
      if (report.step_norm > chord_reach * rule_.step_tolerance) continue;
      const Ending ending = take_chord_steps(ChordCorrection{*this, xs, report.step_norm}, rule_, floor, report);
      if (ending != Ending::new_matrix) return report;
      last_step = report.step_norm;
      if (report.step_norm > rule_.step_tolerance) continue;
      if (report.residual_norm > 0.5 * previous) break;
      previous = report.residual_norm;
    }
    // Where G loses rank some directions are undetermined and the iterates wander along them: the residual decides.
    const bool at_floor = rule_.at_floor(report.residual_norm, floor);
    if (!at_floor && (report.step_norm > rule_.step_tolerance || !rule_.acceptable(report.residual_norm, floor)))
      report.fail(SolveStatus::not_converged, report.effort("step", "iterations"));
    return report;
  }

  bool iterate_simplified(VectorRef xs, SolveReport& report) {
    using Verdict = SimplifiedNewton::Verdict;
    if (!simplified_.evaluate(xs, f_, report) || !simplified_.begin(xs, report)) return false;
    for (const double floor = equations_->rounding_floor();;) {
      const bool at_floor = rule_.at_floor(report.residual_norm, floor);
      if (!simplified_.apply(f_)) return false;
      xs -= f_;
      const Verdict verdict = simplified_.judge(xs, correction_norm(f_, xs), at_floor, rule_.max_iterations, report);
      if (verdict != Verdict::go_on) return verdict == Verdict::solved;
      if (!simplified_.evaluate(xs, f_, report)) return false;
    }
  }

  /// See gnomon/solve/chord_steps.hpp.
  struct ChordCorrection {
    Newton& me;
    VectorRef& xs;
    double last, before = 0;  ///< corrections

    bool correct() {
      me.dx_ = me.f_;
      if (!me.linear_.solve(me.dx_)) return false;
      before = last;
      last = correction_norm(me.dx_, xs);
      return true;
    }
    double step() const { return last; }
    double rate() const { return last / before; }
    void apply() { xs -= me.dx_; }
    bool evaluate(SolveReport& report) { return me.evaluate(xs, report); }
  };

  bool evaluate(const VectorRef& xs, SolveReport& report) { return gnomon::evaluate(*equations_, xs, f_, report); }

  bool factorise(const VectorRef& xs, SolveReport& report) {
    ++report.jacobian_evaluations;
    if (linear_.evaluate(xs) != EvaluationStatus::ok)
      return report.fail(SolveStatus::evaluation_failed, equations_->message());
    ++report.factorisations;
    return linear_.factorise() || fail_singular(report);
  }

  bool fail_singular(SolveReport& report) const {
    return report.fail(SolveStatus::singular_jacobian, "the Jacobian is singular: " + linear_.message());
  }

  ConvergenceRule rule_;
  bool simplify_;
  SimplifiedNewton simplified_;
  ScaledEquations* equations_ = nullptr;
  AlgebraChoice algebra_;
  JacobianSystem linear_;
  Vector f_, dx_;
};

}  // namespace

GNOMON_PLUGIN(newton) {
  const AlgebraTable& table = registrar.algebras();
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "newton", "native full Newton",
      [&table](const Options& options) { return std::make_unique<Newton>(table, options); },
      [&table] { return SimplifiedNewton::options(table); }));
}
