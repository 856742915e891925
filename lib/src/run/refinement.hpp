#pragma once
/// \file
/// Iterative refinement of a solution x of F = 0: low -= J^-1 F(x + low), F at Extended, so that x + low solves it to
/// about eps^2 cond(J). Newton's last correction leaves a second-order remainder in the constraint rows, always of one
/// sign, and lambda times it is energy: a linear drift at large steps, which this takes out.
///
/// J^-1 are the factors of the solver that found x. Where it has none, or they do not contract (a matrix that is
/// frozen, in a hard step), J is factorised at x, of systems of at most 200 unknowns. Where that does not contract
/// either, x is no solution yet (a stiff penalty makes corrections from afar look small): Newton's method with the same
/// residual first, at most five corrections of x itself. Corrections that have come below 1e-12 are enough where
/// nothing is left, and where they stay above 1e-10, with J factorised where they are taken, x is no solution in this
/// arithmetic. Both limits are as large as the rounding of the residual where that is more, and never above
/// largest_remainder: then a solution that is accepted is known to that at least, in the units of the scaled unknowns.

#include <Eigen/LU>

#include "gnomon/solve/nonlinear_solver.hpp"

namespace gnomon {

class GNOMON_EXPORT Refinement {
 public:
  /// How U and g of the model are evaluated at x + low.
  enum class Functions {
    extended,     ///< its functions at Extended
    first_order,  ///< functions at double with first-order forms, whose rounding errors are those of double
  };
  /// Allocates everything. The equations outlive it.
  explicit Refinement(ScaledEquations& equations, Functions functions = Functions::extended);

  struct Report {
    bool offered = false;  ///< by the equations
    bool refined = false;  ///< if not, low is zero
    bool nearly = false;   ///< corrections below 1e-12 that did not contract any further
    bool solved = true;    ///< if not, x is no solution
    double last = 0;       ///< size of the last correction, of scaled unknowns
    long passes = 0, factorisations = 0;
  };
  /// f <- J(x)^-1 f, x unscaled, by the factors of `solver` or, where it has none, of J at x; false where there are
  /// none either. A solver that is asked for its factors takes it that refinement follows every solve: it is left out
  /// where the equations might offer what that takes, and did not.
  bool correct(const Vector& x, bool offered, NonlinearSolver& solver, VectorRef f);
  /// Sets equations().low() for x, unscaled, the solution of `solver` as it reported it.
  Report refine(Vector& x, NonlinearSolver& solver, const SolveReport& solved);

 private:
  template <class Correct>
  /// stalled: a correction below it that no longer contracts is rounding.
  bool passes(const Vector& x, double last, double contraction, double stalled, Report& report, const Correct& correct);
  /// The size of a correction that is rounding of the scaled residual: J^-1 of scaled equations is of order one.
  /// However large it is where a very short step makes a velocity of it, above largest_remainder nothing is rounding.
  double rounding() const;
  void renormalise(Vector& x);
  bool factorise(const Vector& x);
  bool solve_factorised();
  bool newton_correction(Vector& x, Report& report);

  ScaledEquations* equations_;
  double rounding_;  // of the residual, in units of that at double
  Vector low_, nearly_, correction_, scaled_, values_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> lu_;
};

}  // namespace gnomon
