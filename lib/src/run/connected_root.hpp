#pragma once
/// \file
/// Which root: whether the solution x of F(x; z0, h) = 0 is the end x(1) of the path of solutions
///
///     F(x(s); z0, s h) = 0,    0 < s <= 1,
///
/// that leaves the start of the step. With large steps, and a mass that depends on q above all, F has other roots, and
/// an iteration may end at one. Three tests, each where the one before does not decide; d = x - x0 is the way from the
/// start value x0 of a solve, which is explicit or extrapolated from solutions that passed, in scaled unknowns and in
/// the norm |d| = max |d_i|/(1 + min(|x_i|, |x0_i|)):
///
///     1  |d| <= 1/50, the solver set two Newton matrices at most, and its corrections shrank fourfold on average; and
///        |d| <= 1/2 of the latter alone where they were those of a matrix to leading order in h: it contracts better
///        at every s < 1, so that the solution is the only one beside x0 for all of them
///     2  theta max(1, 2 |d|) <= 1/20 and three Newton matrices at most, theta = |d + A^-1 F(x0)|/|d|
///     3  continuation: x(s) with steps in s that are found, start values extrapolated from up to three solutions
///        before; a solution that passes 2 is taken, with another one the step in s is a fourth
///
/// A are the factors of the solver that found x. Since F(x) = 0,
///
///     d + A^-1 F(x0) = [1 - A^-1 int_0^1 F_x(x0 + c d) dc] d,
///
/// the change of F_x along the way, applied to it, and theta the contraction of the simplified Newton map x - A^-1 F(x)
/// from x0 to its fixed point x: the bound of Newton and Kantorovich, in the one direction that matters. Equations that
/// are linear pass however far the way is. Where F turns back between x0 and x, F_x(x0) tells it: the solver sets a
/// matrix more. A solver without factors has F_x(x) factorised for it, as Refinement does. By |d| <= 1/50 alone are
/// judged a system that is too large for that, and a solve that is repeated: of a penalty, A turns from where the
/// constraint is violated to where it holds, by angles that say nothing of the solution.
///
/// Where the path turns back before s = 1 (a fold), the step has no connected root.

#include <limits>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"

namespace gnomon {

class GNOMON_EXPORT ConnectedRoot {
 public:
  /// Largest theta max(1, |d|/far).
  static constexpr double largest_contraction = .05;

  /// Newton matrices of a solve: where it took more, its way was no short one, whatever the matrix at its end says.
  static constexpr long near_matrices = 2, step_matrices = 3, path_matrices = 4;

  /// |x - x0|
  static double distance(const ConstVectorRef& x, const ConstVectorRef& x0);
  /// |d| of the first test.
  static bool is_near(double way);
  /// The first test, of a solve that went this way and set so many Newton matrices.
  static bool is_fast(double way, const SolveReport& solved, long matrices);
  /// Whether a solve of the path that did not converge ended at its solution but for rounding, which is larger the
  /// shorter the step.
  static bool is_solved(const SolveReport& report);
  /// As far as the second test asks for nothing more.
  static bool is_next(double way);
  /// Whether rounding of F, of a very short step or near a rest, is as large as what is near, or makes such a way.
  static bool is_noise(double way, const ScaledEquations& equations);
  /// Solvers stop at corrections as small; on a path, two solutions that are as close are one.
  static bool is_nothing(double way, bool on_path);
  /// theta max(1, 2 |d|) of a solution x, by correct(f), which makes A^-1 f of f, or is false; f is scratch. Zero where
  /// x0 is a solution to rounding: of what lies below it nothing can be told. NaN where there is no A, or F(x0) cannot
  /// be evaluated.
  template <class Correct>
  static double contraction(ScaledEquations& equations, const Correct& correct, const ConstVectorRef& x,
                            const ConstVectorRef& x0, VectorRef f) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (solves(equations, x0, f)) return 0;
    return f.allFinite() && correct(f) ? left_by(f, x, x0) : unknown;
  }
  /// Whether a solution x is the end of the path, which is overwritten; f is scratch. Apart from its rounding, and from
  /// that of earlier solves of the step, which the scales of an unknown may make large, it is the same where F is zero
  /// between the two, or linear.
  template <class Correct>
  static bool same(ScaledEquations& equations, const Correct& correct, const ConstVectorRef& x, VectorRef end,
                   VectorRef f) {
    if (distance(x, end) <= thresholds::same_solution) return true;
    if (!solves(equations, end, f)) return contraction(equations, correct, x, end, f) <= largest_contraction;
    end = .5 * (end + x);
    return solves(equations, end, f);
  }

  /// The solutions of a step's solves along the path, unscaled: they are smooth in s, their scales need not be.
  class Path {
   public:
    /// For solve k, of this size: allocates where there was less.
    void make_room(Index k, Index size);
    void begin();
    /// The next s to try.
    double next() const { return next_; }
    /// How many solves the step at s has when it begins. Where that at another s has more, as a two-step scheme has at
    /// its start, the last ones belong together.
    void expect(Index n_solves) { current().n_solves = n_solves; }
    /// The start value of solve k at s, where there are solutions to extrapolate.
    void predict(Index k, VectorRef x) const;
    /// The solution of solve k at s.
    void found(Index k, const ConstVectorRef& x);
    /// The same as a start value, for a solve that is repeated.
    void again(Index k, VectorRef x) const;
    /// The solutions at s are those of the path; of the least certain, theta by its limit.
    void accept(double doubt);
    /// They are not. False: s is as close to the last one as it may be.
    bool shorten();
    /// Whether its solutions go on beyond the smallest parts of a step. Where they do not, the start was no point of
    /// the motion.
    bool began() const;
    /// So many s were tried that it is not decided where the path leads: one that turns in every small part of a step,
    /// as that of a stiff penalty does, is not followed to its end.
    bool tired() const;
    bool at_end() const { return reached_ == 1; }
    /// The s of the last solutions of the path.
    double reached() const { return reached_; }
    /// The solution of solve k at s = 1.
    void end(Index k, VectorRef x) const;

   private:
    static constexpr int depth = 3;
    struct Solutions {
      double s = 0;
      Index n_solves = 0;
      std::vector<Vector> x;
    };
    const Solutions& earlier(int age) const { return solutions_[(newest_ + depth + 1 - age) % (depth + 1)]; }
    /// Where the solution of solve k is in earlier ones.
    Index place(int age, Index k) const { return earlier(age).n_solves - current().n_solves + k; }
    Solutions& current() { return solutions_[(newest_ + 1) % (depth + 1)]; }
    const Solutions& current() const { return solutions_[(newest_ + 1) % (depth + 1)]; }

    Solutions solutions_[depth + 1];
    int newest_ = 0, count_ = 0, tries_ = 0;
    double reached_ = 0, next_ = 0;
  };

 private:
  /// Whether x is a solution, to rounding; f is F(x), not finite where it cannot be evaluated.
  static bool solves(ScaledEquations& equations, const ConstVectorRef& x, VectorRef f);
  /// The same as contraction().
  static double left_by(const ConstVectorRef& correction, const ConstVectorRef& x, const ConstVectorRef& x0);
};

}  // namespace gnomon
