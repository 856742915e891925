#pragma once
/// \file
/// A step of a run, taken again, and steps beside it: from other states, of other models, by the same scheme. Those
/// begin at the solution of the first one and have its factors: a solution is found as the same function of the state
/// and the model everywhere, to rounding at Extended where the equations offer that. Private to the core.

#include <Eigen/SparseLU>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

class NeighbouringStep {
 public:
  /// The step from z0 over h. `solutions` are those of its solves in the run, null: it has not taken that step. False:
  /// it is not found, see failure().
  bool again(StepEquations& equations, const State& z0, double h, const std::vector<Vector>* solutions, State& z1);
  /// After it, a step beside it: of a line of states and models, at this place of it, where zero is the step that was
  /// taken again. The places of a line since begin_line() tell where the solution is.
  void begin_line() { places_.clear(); }
  bool beside(StepEquations& equations, const State& z0, double h, double place, State& z1);
  const std::string& failure() const { return failure_; }

 private:
  struct Solved {
    Vector x, columns, rows;
    std::vector<Vector> beside;  ///< solutions at the places of the line
    Eigen::SparseMatrix<double> matrix;
    Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> lu;
    bool analysed = false;
  };
  bool take(StepEquations& equations, const State& z0, double h, const std::vector<Vector>* solutions, State& z1);
  /// x at the next place, by the polynomial through those that are known.
  void extrapolate(const Solved& solved);
  bool newton(NonlinearEquations& equations, Solved& at);
  bool correct(NonlinearEquations& equations, const Solved& by);
  bool factorise(NonlinearEquations& equations, Solved& at);
  /// Its size in units of the unknowns' scales; the correction is in correction_.
  double correction(NonlinearEquations& equations, const Solved& by, const Vector& low);

  std::vector<std::unique_ptr<Solved>> solved_;  ///< one a solve
  std::vector<double> places_;
  double place_ = 0;
  bool again_ = false, extended_ = false;
  Vector x_, low_, f_, correction_, values_;
  std::string failure_;
};

}  // namespace gnomon
