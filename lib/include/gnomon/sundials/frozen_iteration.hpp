#pragma once
/// \file
/// What the iterations dx = -P^-1 F(x) share that SUNDIALS drives: the frozen matrix P, set in a solve, or kept from
/// solve to solve while it serves, the report, and the verdict at the end.

#include <string>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/stagnation.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"

namespace gnomon {

class GNOMON_EXPORT FrozenIteration : public NonlinearSolver {
 public:
  bool correct(VectorRef f) final { return available() && linear_.solve(f); }
  double pivot_ratio() const final { return linear_.pivot_ratio(); }
  void serialize(Archive& archive) final {
    has_ = keep_ && has_;
    archive(has_);
    linear_.serialize(archive, has_);
  }
  void forget_matrix() final { has_ = false; }

 protected:
  /// keep: from solve to solve. correction, iterations: what messages call P^-1 F and the iterations.
  FrozenIteration(bool keep, AlgebraChoice algebra, long max_iterations, std::string correction, std::string iterations)
      : keep_(keep),
        algebra_(std::move(algebra)),
        correction_(std::move(correction)),
        iterations_(std::move(iterations)) {
    rule_.max_iterations = max_iterations;
  }

  void attach_matrix(ScaledEquations& equations) {
    equations_ = &equations;
    linear_.attach(equations, algebra_, context_);
  }

  /// A solve begins.
  void begin() {
    report_ = SolveReport();
    linear_.begin();
    new_ = fresh_ = false;
    stagnation_.start(equations_->rounding_floor());
  }
  /// P was set in this solve, or in an earlier one that converged and keeps it.
  bool available() const { return new_ || (keep_ && has_); }
  bool kept() const { return keep_; }
  bool of_this_solve() const { return new_; }
  /// Set, but not used yet.
  bool fresh() const { return fresh_; }
  void used() { fresh_ = false; }

  /// P = dF/dx at x. False where that is not to be had: the solve has failed.
  bool set_matrix(const ConstVectorRef& x) {
    ++report_.jacobian_evaluations;
    ++report_.factorisations;
    if (linear_.evaluate(x) != EvaluationStatus::ok)
      return report_.fail(SolveStatus::evaluation_failed, equations_->message());
    if (!linear_.factorise()) return singular();
    return has_ = new_ = fresh_ = true;
  }
  /// F at x, with its norm. False where it cannot be evaluated: the solve has failed.
  bool residual(const ConstVectorRef& x, VectorRef f) {
    if (!evaluate(*equations_, x, f, report_)) return false;
    stagnation_.take_residual(report_.residual_norm);
    return true;
  }
  /// The solve has failed, P^-1 F is not finite; false.
  bool singular() {
    return report_.fail(SolveStatus::singular_jacobian, "the " + correction_ + " is not finite after " +
                                                            std::to_string(report_.iterations) + " " + iterations_ +
                                                            ", scaled residual " + number_text(report_.residual_norm) +
                                                            ": the Jacobian is singular");
  }

  Index size() const { return equations_->size(); }
  bool at_floor() const { return rule_.at_floor(report_.residual_norm, equations_->rounding_floor()); }
  /// The verdict on the last residual; `ended`: by the iteration's own test.
  SolveReport finish(bool ended) {
    const bool enough = ended && rule_.acceptable(report_.residual_norm, equations_->rounding_floor());
    if (report_.status == SolveStatus::converged && !at_floor() && !enough)
      report_.fail(SolveStatus::not_converged, report_.effort(correction_, iterations_));
    if (report_.status != SolveStatus::converged) has_ = false;  // no other solve starts with this P
    return report_;
  }

  SunContext context_;
  ConvergenceRule rule_;
  Stagnation stagnation_;
  ScaledEquations* equations_ = nullptr;
  SolveReport report_;
  SunLinearSystem linear_;

 private:
  bool keep_;
  AlgebraChoice algebra_;
  std::string correction_, iterations_;
  bool has_ = false;    // P of this solve or an earlier one
  bool new_ = false;    // P of this solve
  bool fresh_ = false;  // not used yet
};

}  // namespace gnomon
