#pragma once
/// \file
/// The frozen matrix of the iterations dx = -P^-1 F(x): set in a solve, or kept from solve to solve while it serves;
/// and what a solve reports where it cannot be set.

#include <string>
#include <utility>

#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"

namespace gnomon {

class FrozenJacobian {
 public:
  /// keep: from solve to solve. correction, iterations: what messages call the step P^-1 F and the iterations.
  FrozenJacobian(bool keep, std::string correction, std::string iterations)
      : keep_(keep), correction_(std::move(correction)), iterations_(std::move(iterations)) {}

  void attach(ScaledEquations& equations, const AlgebraChoice& algebra, SUNContext context) {
    equations_ = &equations;
    linear_.attach(equations, algebra, context);
  }
  SunLinearSystem& linear() { return linear_; }

  /// A solve begins.
  void begin() {
    linear_.begin();
    new_ = fresh_ = false;
  }
  /// P was set in this solve, or in an earlier one that converged and keeps it.
  bool available() const { return new_ || (keep_ && has_); }
  bool kept() const { return keep_; }
  bool of_this_solve() const { return new_; }
  /// Set, but not used yet.
  bool fresh() const { return fresh_; }
  void used() { fresh_ = false; }

  /// P = dF/dx at x. False where that is not to be had; the report says why.
  bool set(const ConstVectorRef& x, SolveReport& report) {
    ++report.jacobian_evaluations;
    ++report.factorisations;
    if (linear_.evaluate(x) != EvaluationStatus::ok) return evaluation_failed(report);
    if (!linear_.factorise()) return singular(report);
    return has_ = new_ = fresh_ = true;
  }
  /// b <- P^-1 b; false where that is not finite.
  bool solve(N_Vector b) { return linear_.solve(b); }
  /// NonlinearSolver::correct
  bool correct(VectorRef f) { return available() && linear_.solve(f); }

  double pivot_ratio() const { return linear_.pivot_ratio(); }

  /// Both return false.
  bool evaluation_failed(SolveReport& report) const {
    report.status = SolveStatus::evaluation_failed;
    report.message = equations_->message();
    return false;
  }
  bool singular(SolveReport& report) const {
    report.status = SolveStatus::singular_jacobian;
    report.message = "the " + correction_ + " is not finite after " + std::to_string(report.iterations) + " " +
                     iterations_ + ", scaled residual " + number_text(report.residual_norm) +
                     ": the Jacobian is singular";
    return false;
  }
  /// The solve failed: no other one starts with this P.
  const SolveReport& failed(const SolveReport& report) {
    has_ = false;
    return report;
  }

  /// NonlinearSolver::forget_matrix
  void forget() { has_ = false; }

  void serialize(Archive& archive) {
    has_ = keep_ && has_;
    archive(has_);
    linear_.serialize(archive, has_);
  }

 private:
  bool keep_;
  std::string correction_, iterations_;
  ScaledEquations* equations_ = nullptr;
  bool has_ = false;    // P of this solve or an earlier one
  bool new_ = false;    // P of this solve
  bool fresh_ = false;  // not used yet
  SunLinearSystem linear_;
};

}  // namespace gnomon
