#pragma once
/// \file
/// The strategy that solves one system of a step. Swappable by name; knows neither scheme nor problem.

#include <memory>
#include <string>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/scaled_equations.hpp"

namespace gnomon {

/// How a solve ended; a step has some more.
enum class SolveStatus {
  converged,
  not_converged,      ///< iterations exhausted, or stagnation above the rounding floor
  singular_jacobian,  ///< the factorisation failed
  evaluation_failed,  ///< residual or Jacobian could not be evaluated
  error_too_large,    ///< of a step of a tolerance: it was solved, and its estimated error is above the tolerance
  step_too_small,     ///< of a step of a tolerance: it would have to be smaller than allowed, or than the rounding of t
  too_many_steps,     ///< of steps of a tolerance: more than allowed
  held_at_switch,     ///< of a step: a switch of the model lets no motion go on beyond it
};
GNOMON_EXPORT const char* to_string(SolveStatus status);

/// What one solve did. Numerical failure is a status here, never an exception.
struct GNOMON_EXPORT SolveReport {
  SolveStatus status = SolveStatus::converged;
  float contraction = 1;  ///< by the matrix of the last corrections: their ratio; 1: not known
  bool leading = false;   ///< all of them by an ApproximateInverse::is_leading
  bool costly = false;    ///< such a matrix is offered and did not do
  long iterations = 0;
  long residual_evaluations = 0;
  long jacobian_evaluations = 0;
  long factorisations = 0;
  double residual_norm = 0;  ///< max norm of the scaled residual at the end
  double step_norm = 0;      ///< max norm of the last scaled correction
  std::string message;       ///< empty when converged

  /// Takes why there is no solution; false.
  bool fail(SolveStatus why, std::string sentence);
  /// Counts what an earlier try of the same solve did, too.
  void add_effort(const SolveReport& tried);
  /// Takes it back: the solve goes on from somewhere else.
  void recover();
  /// "scaled residual 1e-5 and step 0.01 after 50 iterations", with these names of the correction and the iterations.
  std::string effort(const std::string& correction, const std::string& iterations) const;
};

/// max |dx|/(1+|x|), the norm of corrections.
template <class Correction, class Point>
double correction_norm(const Correction& dx, const Point& x) {
  return (dx.array().abs() / (1 + x.array().abs())).maxCoeff();
}

/// f = F(xs), counted, and its norm. False where it cannot be evaluated: the solve has failed.
GNOMON_EXPORT bool evaluate(ScaledEquations& equations, const ConstVectorRef& xs, VectorRef f, SolveReport& report);

/// How a solver decides that it is done; the same rule for all of them. Newton is quadratic near the solution, so a
/// correction below step_tolerance leaves an error at the rounding floor; the residual must confirm it.
struct ConvergenceRule {
  /// On max |dxs_i| / (1 + |xs_i|).
  double step_tolerance = thresholds::step_tolerance;
  /// A scaled residual below this, or below 100 rounding floors, is accepted at once.
  double residual_tolerance = thresholds::residual_tolerance;
  /// And after stagnation one below this, or below 1e4 rounding floors.
  double residual_acceptance = thresholds::residual_acceptance;
  long max_iterations = 50;
  /// Iterative refinement follows, with the same matrix: what it takes away need not be taken away before.
  bool refined_after = false;

  bool at_floor(double residual_norm, double floor) const {
    return residual_norm <= std::max(residual_tolerance, 100 * floor);
  }
  bool acceptable(double residual_norm, double floor) const {
    return residual_norm <= std::max(residual_acceptance, 1e4 * floor);
  }
};

/// attach allocates everything, solve allocates nothing (unless it fails, for the message).
class GNOMON_EXPORT NonlinearSolver {
 public:
  virtual ~NonlinearSolver() = default;
  /// Throws Error(refused) when the equations do not offer what the solver needs.
  virtual void attach(ScaledEquations& equations) = 0;
  /// xs: start value in, solution out; scaled unknowns.
  virtual SolveReport solve(VectorRef xs) = 0;
  /// f <- J^-1 f, scaled, with the factors of the last solve, for iterative refinement: J may belong to another
  /// iterate. False, with f untouched: it has none.
  virtual bool correct(VectorRef f) {
    static_cast<void>(f);
    return false;
  }
  /// LinearAlgebra::pivot_ratio() of the factors of the last solve; 1 where there are none, or it is not known.
  virtual double pivot_ratio() const { return 1; }
  /// What it keeps from one solve to the next and the result of the next one depends on, to the last bit: a matrix that
  /// is not set anew for every solve, say. For checkpoints; called after attach.
  virtual void serialize(Archive& archive) { static_cast<void>(archive); }
  /// The next solve begins without a matrix of an earlier one. What is allocated stays.
  virtual void forget_matrix() {}
};

class AlgebraTable;
/// The options of a Newton strategy: algebra, step-tolerance, max-iterations.
GNOMON_EXPORT OptionSpecs newton_options(const AlgebraTable& algebras);

/// A named strategy, as plug-ins register it.
class GNOMON_EXPORT SolverFactory {
 public:
  virtual ~SolverFactory() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  virtual OptionSpecs options() const { return {}; }
  virtual std::unique_ptr<NonlinearSolver> create(const Options& options) const = 0;
};

}  // namespace gnomon
