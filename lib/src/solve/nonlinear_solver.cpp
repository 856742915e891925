#include "gnomon/solve/nonlinear_solver.hpp"

#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace gnomon {

const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::not_converged:
      return "not converged";
    case SolveStatus::singular_jacobian:
      return "singular Jacobian";
    case SolveStatus::evaluation_failed:
      return "evaluation failed";
    case SolveStatus::error_too_large:
      return "error too large";
    case SolveStatus::step_too_small:
      return "step too small";
    case SolveStatus::too_many_steps:
      return "too many steps";
    case SolveStatus::held_at_switch:
      return "held at a switch";
  }
  return "";
}

bool SolveReport::fail(SolveStatus why, std::string sentence) {
  status = why;
  message = std::move(sentence);
  return false;
}

void SolveReport::add_effort(const SolveReport& tried) {
  iterations += tried.iterations;
  residual_evaluations += tried.residual_evaluations;
  jacobian_evaluations += tried.jacobian_evaluations;
  factorisations += tried.factorisations;
  costly |= tried.costly;
}

void SolveReport::recover() {
  status = SolveStatus::converged;
  message.clear();
}

std::string SolveReport::effort(const std::string& correction, const std::string& iterations_name) const {
  return "scaled residual " + number_text(residual_norm) + " and " + correction + " " + number_text(step_norm) +
         " after " + std::to_string(iterations) + " " + iterations_name;
}

bool evaluate(ScaledEquations& equations, const ConstVectorRef& xs, VectorRef f, SolveReport& report) {
  ++report.residual_evaluations;
  if (equations.residual(xs, f) != EvaluationStatus::ok)
    return report.fail(SolveStatus::evaluation_failed, equations.message());
  report.residual_norm = f.lpNorm<Eigen::Infinity>();
  return true;
}

OptionSpecs newton_options(const AlgebraTable& algebras) {
  const ConvergenceRule rule;
  return {algebra_option(algebras),
          OptionSpec::real("step-tolerance", rule.step_tolerance, 1e-15, 1e-2, "",
                           "stop when max |dx|/(1+|x|) of the scaled unknowns is below this"),
          OptionSpec::integer("max-iterations", rule.max_iterations, 1, 100000, "iterations a solve")};
}

}  // namespace gnomon
