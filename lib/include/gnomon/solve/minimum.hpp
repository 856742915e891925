#pragma once
/// \file
/// Minima of the potential under the constraints: the proof of one, and the way there.

#include <functional>
#include <string>
#include <vector>

#include "gnomon/solve/equilibrium.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/symmetric_factors.hpp"

namespace gnomon {

/// A stationary point is a strict minimum, and its constraints are independent, if and only if
///
///     K = [Hess U + lambda.Hess g, G^T; G, 0]     has the inertia (n, m, 0)
///
/// Proved from two factorisations with backward errors below tau each: if K - tau I has n positive eigenvalues, and K +
/// tau I has m negative ones, then by Weyl so has K. K in the units of EquilibriumEquations, and rows and columns
/// multiplied by powers of two that make its entries one; both leave the inertia. K is known as well as its place is:
/// what H changes by over two more steps of Newton's method is an error of H, and four times as much may be taken off H
/// without another inertia. (The Hessian of x^3 + y^2 is definite wherever an iteration from x > 0 stops.)
struct SecondOrder {
  Inertia inertia;     ///< of the factors of K
  Index n = 0, m = 0;  ///< what a minimum has
  bool proved = false;
  bool decided = true;  ///< no eigenvalue is zero to the errors of K
  double margin = 0;    ///< tau

  /// The factors of K have the inertia of a minimum; rounding may hide another one unless `proved`.
  bool minimum() const { return inertia.is(n, m); }
  /// One sentence, e.g. "minimum, proved by the inertia (80, 40, 0)".
  GNOMON_EXPORT std::string text() const;
};

/// Throws Error(refused) where a force outside the potential acts at rest there.
GNOMON_EXPORT SecondOrder second_order(EquilibriumEquations& equations, const ConstVectorRef& x);

/// From x to a minimum of U (and of the penalty, where the equations have one) on g = 0:
///
///     [H + delta D, G^T; G, 0] [dq; lambda+] = -[grad U; 0],    g(q + a dq + c) = 0 by corrections c,    U falls
///
/// D the masses, delta >= 0 the smallest of a sequence with the inertia (n, m, 0), a halved until U falls by 1e-4 of
/// the slope. With delta = 0 at the end it is Newton's method. A stationary point of another inertia is left along the
/// direction of lowest curvature, one with a curvature that is zero to rounding along that direction to the side where
/// U falls. Ends as converged at minimum() only, which second_order() may find not decided; otherwise the message says
/// what is there: neutral directions, or a potential that falls without bound. Source: Nocedal, Wright, Numerical
/// Optimization (2006), section 18.3 and Theorem 16.3; for the sequence of delta Waechter, Biegler, Math. Program. 106
/// (2006) 25, section 3.1.
///
/// With an Inside the search stays there: where a step that U falls along leads out of an inequality it ends at the
/// last point inside, as not_converged, and `left` is that inequality.
struct Inside {
  std::function<Index(const Vector& q)> violated;  ///< an inequality that q violates, or -1; empty: there is none
  Index left = -1;
};
GNOMON_EXPORT SolveReport minimise(EquilibriumEquations& equations, VectorRef x, Inside* inside = nullptr);

/// A minimum of U on g = 0 and c >= 0, exact constraints.
struct Minimum {
  SolveReport report;         ///< converged where `second` proves a minimum; the iterations are those of all solves
  long solves = 0;            ///< one for each set of closed obstacles
  Vector q, lambda;           ///< lambda of g, then of c: the force of obstacle i is +lambda_i grad c_i, zero if open
  std::vector<Index> closed;  ///< obstacles that q touches and that push, ascending
  SecondOrder second;         ///< on the tangent space of g and the closed obstacles
};
/// From q by minimise(), the closed obstacles held as constraints: an obstacle closes where the search meets it, and
/// opens where its multiplier would pull. A minimum of this kind is strict: closed obstacles push by more than the
/// rounding of the forces, otherwise it is not decided. Constraints that repeat others are bordered (border.hpp).
/// Friction at obstacles is left out: a minimum of U rests without it. Throws Error(refused) as EquilibriumEquations
/// does.
GNOMON_EXPORT Minimum find_minimum(const std::shared_ptr<const System>& system, double t, const Vector& q);

/// The equilibrium with exact constraints near q, by minimise(); q and lambda hold the start value and receive the
/// solution. For problems that start at rest. Throws Error(bad_value) where none is found: `what` names the thing in
/// the sentence.
GNOMON_EXPORT void static_equilibrium(EquilibriumEquations& equations, const std::string& what, Vector& q,
                                      Vector& lambda);

}  // namespace gnomon
