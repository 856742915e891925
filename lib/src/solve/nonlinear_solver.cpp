#include "gnomon/solve/nonlinear_solver.hpp"

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
  }
  return "";
}

}  // namespace gnomon
