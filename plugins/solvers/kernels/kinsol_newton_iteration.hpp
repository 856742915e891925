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
///  - the last corrections are made with the current factorisation (chord_steps.hpp), not by KINSOL: without residual
///    monitoring it sets a new matrix in every iteration, whatever KINSetMaxSetupCalls says, and with it before it
///    accepts a step.
///  - counters are reset by every call: they are summed here.
///  - it tests F and the step, no more: where corrections end as noise above the step tolerance, as multipliers of
///    fine meshes do, it would use up its iterations. Without a line search it is told that F = 0 where they no
///    longer shrink and F is at its floor.

#include <limits>

#include "gnomon/solve/chord_steps.hpp"
#include "solvers/kernels/kinsol_loop.hpp"
#include "solvers/kernels/kinsol_simplified_newton.hpp"

namespace gnomon::kernels {

class KinsolNewtonIteration final : public NonlinearSolver {
 public:
  KinsolNewtonIteration(int strategy, const AlgebraTable& algebras, const Options& options);

  void attach(ScaledEquations& equations) override;
  SolveReport solve(VectorRef xs) override;
  bool correct(VectorRef f) override {
    rule_.refined_after = equations_->equations().low().size() > 0;
    return simplified_.newton().solved() ? simplified_.newton().correct(f) : linear_.correct(f);
  }
  double pivot_ratio() const override {
    return simplified_.newton().solved() ? simplified_.newton().pivot_ratio() : linear_.pivot_ratio();
  }
  void serialize(Archive& archive) override {
    linear_.serialize(archive, false);
    archive(rule_.refined_after);
  }

 private:
  struct ChordCorrection;

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
      const double step = any_ ? correction_norm(xs - last_, xs) : none;
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

  SolveReport solve_fully(VectorRef xs);
  Ending end(VectorRef xs, int flag, double floor, SolveReport& report);
  void set_failure(SolveReport& report, int flag) const;
  void add_counters(SolveReport& report) const;
  static int residual_callback(N_Vector x, N_Vector f, void* self);
  static int jacobian_callback(N_Vector x, N_Vector, SUNMatrix, void* self, N_Vector, N_Vector);

  int strategy_;
  bool simplify_;
  Path path_;
  AlgebraChoice algebra_;
  ConvergenceRule rule_;
  ScaledEquations* equations_ = nullptr;
  bool evaluation_failed_ = false;
  N_Vector last_residual_ = nullptr;  // of this solve, KINSOL's
  SunContext context_;
  SunOwner<N_Vector> f_;
  SunLinearSystem linear_;
  KinsolSimplifiedNewton simplified_;
  KinsolLoop loop_;
};

}  // namespace gnomon::kernels
