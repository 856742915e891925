#pragma once
/// \file
/// A step of a run, taken again, and steps beside it to first order: those that begin on a line of states z0(a) and
/// models s(a) through it. With the solution x of F(x; z0, s) = 0,
///
///     dx = -F_x^-1 (F_z0 dz0 + F_s ds),      z1(a) = finish(z0(a), x + a dx),
///
/// where the derivative of F along the line, at x, is a difference quotient of order six of residuals at Extended, and
/// F_x is factorised at x. The derivative of z1(a) at a = 0 is that of the step. Private to the core.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/run/sensitivities.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace gnomon {

/// The points k a of a line, and weights of quotients by pairs, of order six and of order four.
constexpr std::size_t n_points = 6;
constexpr std::array<int, n_points> line_points{1, -1, 2, -2, 3, -3};
using LineWeights = std::array<Extended, n_points / 2>;
constexpr LineWeights sixth{3.0L / 4, -3.0L / 20, 1.0L / 60}, fourth{2.0L / 3, -1.0L / 12, 0.0L};

/// a times the quotient of what `at` gives at the points.
template <class At>
Extended difference(const LineWeights& weights, const At& at) {
  Extended sum = 0;
  for (std::size_t k = 0; k < n_points; k += 2)
    sum += weights[k / 2] * (static_cast<Extended>(at(k)) - static_cast<Extended>(at(k + 1)));
  return sum;
}

/// While a variant is evaluated.
class InUse {
 public:
  explicit InUse(const Variant& variant) : variant_(variant) {
    if (variant_.use) variant_.use(true);
  }
  ~InUse() {
    if (variant_.use) variant_.use(false);
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  const Variant& variant_;
};

class StepLine {
 public:
  /// The step of `run`, whose model is that of the run, from z0 over h. `solutions` are those of its solves in the run,
  /// null: it has not taken that step. False: it is not found, see failure().
  bool again(Integrator& run, const State& z0, double h, const std::vector<Vector>* solutions, State& z1);
  /// After it, the steps of the variants from the states `from`, at the points of a line with the change a: their ends.
  using Variants = std::array<Variant*, n_points>;
  using States = std::array<State, n_points>;
  bool along(const Variants& variants, double h, double change, States& to);
  States from;
  const std::string& failure() const { return failure_; }
  /// The largest correction of unknowns that rounding left above what is rounding elsewhere.
  double unsolved() const { return unsolved_; }

  /// One solve of the step, or a repetition of one.
  struct Solved {
    std::unique_ptr<ScaledEquations> scaled;
    std::unique_ptr<LinearAlgebra> algebra;
    Vector x, low, matrix;
    Next then = Next::advance;
    bool extended = false;     ///< the residual is
    bool approximate = false;  ///< the matrix is not F_x
    struct {
      Vector x, xs, low, correction, off, right, rest, by_six, less_four;
      std::array<Vector, n_points> residuals;
    } work;  ///< of its size
  };
  /// After again(): so many, in the order of the scheme, unless repeats().
  std::size_t solves() const { return solves_; }
  Solved& solved(std::size_t place) { return *solved_[place]; }
  bool repeats() const;
  /// All residuals are found at Extended.
  bool extended() const;

 private:
  Solved& solved(std::size_t place, Integrator& run, NonlinearEquations& equations);
  bool newton(Solved& at);
  bool refine(Solved& by, NonlinearEquations& system, Vector& x, Vector& low);
  bool factorise(Solved& at);
  /// f <- F_x^-1 f, scaled, refined until corrections shrink no more.
  bool solve_linear(Solved& by, Vector& f);
  /// Its size, of scaled unknowns; the correction is in correction_.
  double correction(Solved& by, NonlinearEquations& system, const Vector& x, const Vector& low);
  bool solve_along(const Variants& variants, Index solve, Solved& at, double change);
  bool residuals_along(const Variants& variants, Index solve, Solved& at, double change, bool moved);
  void place(Solved& at, std::size_t k, double change);
  bool repeat_beside(const Variants& variants);

  std::vector<std::unique_ptr<Solved>> solved_;  ///< in the order in which they are found; then those of longer steps
  auto end_of_step() const { return solved_.begin() + static_cast<std::ptrdiff_t>(places_); }
  double unsolved_ = 0;
  std::size_t solves_ = 0, places_ = 0;  ///< of the step that was taken again: its solves, with repetitions
  std::string failure_;
};

}  // namespace gnomon
