#pragma once
/// \file
/// A step backwards by transposed linear equations, for systems with many coordinates. With the solves x_1, ..., x_K of
/// the step, F_k(x_1, ..., x_k; z0) = 0, and its end z1 = E(x_1, ..., x_K; z0), from zb1 = dJ/dz1
///
///     w_k = F_k,xk^-T (E_xk^T zb1 - sum over l > k of F_l,xk^T w_l),      k = K, ..., 1
///     zb0 = E_z0^T zb1 - sum over k of F_k,z0^T w_k
///
/// The matrices of F_k are those of the scheme, transposed; the other derivatives are difference quotients at Extended,
/// on patterns that are found by changes of one coordinate each, with as many directions as the patterns have colours.
/// Private to the core.

#include <functional>
#include <memory>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "run/derivatives/state_change.hpp"
#include "run/derivatives/step_line.hpp"

namespace gnomon {

/// d(f)/dy of a function with many arguments and values, on a pattern of its own.
class ColouredQuotients {
 public:
  /// out = f(y0 + sum over j of d_j e_j), of the right size.
  using Function = std::function<bool(const VectorOf<Extended>& d, VectorOf<Extended>& out)>;

  /// Changes of the arguments that are large. `rows`: of the values that count.
  void set(Vector sizes, std::vector<bool> rows);
  /// Adds the entries that are seen beside y0 + beside. False where f was false.
  bool find_pattern(const Function& f, const Vector& beside);
  /// Leaves out entries that are not in these rows and the first columns.
  void restrict(const std::vector<bool>& rows, Index columns);
  /// Whether one of these rows depends on a column from `first` on.
  bool depends(Index first_row, Index end_row, Index first = 0) const;
  /// The derivative at y0. extended: f is exact to Extended, and quotients of two points do. False where f was false.
  bool evaluate(const Function& f, bool extended);
  /// out -= or += J^T c, with c by rows.
  void add_transposed(const Vector& covector, double factor, VectorRef out) const;
  Index colours() const { return colouring_.colours; }
  Index columns() const { return sizes_.size(); }

 private:
  Vector sizes_, values_;
  std::vector<bool> rows_, used_;  ///< columns that have entries
  std::vector<std::pair<Index, Index>> entries_;
  SparsityPattern pattern_;
  Colouring colouring_;
  VectorOf<Extended> change_, up_, down_, sum_;

  void set_pattern();
};

class StepTranspose {
 public:
  /// `step` holds the solves of the step that was taken again, from `start` over h; `beside` takes others.
  bool pull_back(StepLine& step, Variant& beside, const State& start, double h, const StateChange& of_end,
                 StateChange& of_start);
  /// Directions that a step takes; 0 before the first one.
  Index directions() const;
  /// Patterns are looked for again, in the next step.
  void forget_patterns() { stale_ = true; }
  /// Quotients are of two points; from now on of six.
  bool by_two_points() const { return !carried_ && !six_points_; }
  void take_six_points() { six_points_ = true; }
  const std::string& failure() const { return failure_; }

 private:
  bool sweep(StepLine& step, Variant& beside, const State& start, double h, std::size_t group,
             const VectorOf<Extended>& d, VectorOf<Extended>& out);
  bool set_patterns(StepLine& step, Variant& beside, const State& start, double h);
  bool solve_transposed(StepLine::Solved& at, std::size_t solve, Vector& b);

  /// The transposed matrix of one solve.
  struct Transposed {
    SparsityPattern pattern;
    std::vector<Index> from;  ///< places of its values in the matrix
    std::unique_ptr<LinearAlgebra> algebra;
    Vector values, right, rest;
  };
  std::vector<ColouredQuotients> groups_;  ///< by the unknowns of each solve, then by z0
  std::vector<Transposed> transposed_;
  std::vector<Index> offsets_;  ///< of the rows F_k, then of E
  Index n_ = 0, rows_ = 0;
  Index n_data_ = 0, n_border_ = 0;  ///< StepEquations::carried_arguments, and those of State::border
  bool stale_ = true, carried_ = false, six_points_ = false;
  State from_, to_;
  Vector x_, low_, f_;
  std::string failure_;
};

}  // namespace gnomon
