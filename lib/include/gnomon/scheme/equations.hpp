#pragma once
/// \file
/// One system of nonlinear equations F(x) = 0, as a scheme writes it.

#include <string>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/dual.hpp"

namespace gnomon {

/// The blocks of the unknown and of the rows of one system of equations. Each is named once; pattern, offsets and the
/// places of the parts of the Jacobian follow. In the constructor of the equations, x = [dq | lambda], F = [balance |
/// position]:
///
///     const Block dq = layout_.unknown("dq", n), lambda = layout_.unknown("lambda", m);
///     const Block balance = layout_.rows(n), position = layout_.rows(m);
///     layout_.place(mass_, balance, dq, mass.pattern());
///     layout_.place(force_, balance, lambda, g, Layout::transposed);
///     layout_.place(position_, position, dq, g);
///     layout_.finish();
///
/// and dF1/d(dq) += c M is then mass_.add(values, mass.values(), c).
class GNOMON_EXPORT Layout {
 public:
  enum Orientation { as_is, transposed };

  /// The next block of the unknown. One of size zero has no name among blocks().
  Block unknown(std::string name, Index size);
  /// The next block of rows.
  Block rows(Index size);

  /// The derivative of these rows by these unknowns has entries where the part, or its transpose, has them. finish()
  /// sets the map, which must stay where it is until then.
  void place(BlockMap& map, const Block& rows, const Block& unknown, const SparsityPattern& part,
             Orientation orientation = as_is);
  /// The same without a map, for entries that are found otherwise.
  void place(const Block& rows, const Block& unknown, const SparsityPattern& part, Orientation orientation = as_is);
  /// These rows depend on every unknown.
  void place_dense(const Block& rows);
  /// Builds the pattern and sets the maps. Throws Error(bad_size) where the rows are not as many as the unknowns, or
  /// where a part does not have the size of its blocks.
  void finish();

  const std::vector<Block>& blocks() const { return blocks_; }
  Index size() const { return columns_; }
  /// After finish(), like entry().
  const SparsityPattern& pattern() const { return pattern_; }
  /// Position of entry (i, j) of a part among the values of the matrix.
  Index entry(const Block& rows, const Block& unknown, Index i, Index j) const {
    return pattern_.find(rows.offset + i, unknown.offset + j);
  }

 private:
  struct Part {
    BlockMap* map;
    SparsityPattern pattern;
    Index row, column;
    bool transposed;
  };
  Index rows_ = 0, columns_ = 0;
  std::vector<Block> blocks_;
  std::vector<Part> parts_;
  std::vector<Block> dense_;
  SparsityPattern pattern_;
};

/// A cheap A ~ dF/dx that the structure of a scheme allows, for iterations x <- x - A^-1 F(x). How well it must agree
/// with dF/dx is the solver's matter: the residual decides, never this matrix. Nothing here allocates; both functions
/// may throw like those of NonlinearEquations.
class GNOMON_EXPORT ApproximateInverse {
 public:
  virtual ~ApproximateInverse() = default;
  /// Sets A for the current step, at x. False where A is singular.
  virtual bool update(const ConstVectorRef& x) = 0;
  /// d = A^-1 f, unscaled.
  virtual void solve(const ConstVectorRef& f, VectorRef d) = 0;
  /// The smallest pivot of its factors by the largest one, in absolute value; 1 where it is not known.
  virtual double pivot_ratio() const { return 1; }
  /// Whether A is dF/dx as h -> 0: then it contracts the better the shorter the step.
  virtual bool is_leading() const { return false; }
  /// Up to so many unknowns Newton's method costs no more than iterations with A.
  static constexpr Index few_unknowns = 100;
};

/// It turns an error of the unknowns into one of the end of the step.
class GNOMON_EXPORT EndErrors {
 public:
  virtual ~EndErrors() = default;
  /// Bounds of the errors of the first q.size() = v.size() components of q and v, by an error d of the unknowns.
  virtual void bound(const ConstVectorRef& d, Vector& q, Vector& v) const = 0;
};

/// F(x) = 0 with a fixed size and sparsity. The owner (StepEquations) sets its parameters at the begin of each step.
/// Nothing here allocates, but for the first tangent(), and the first jacobian() where that is not written. A function
/// may throw (CannotEvaluate or anything a user's callback throws): the caller, which is ScaledEquations, turns that
/// into a failed evaluation.
class GNOMON_EXPORT NonlinearEquations {
 public:
  virtual ~NonlinearEquations() = default;

  Index size() const { return pattern().cols; }
  virtual const SparsityPattern& pattern() const { return layout_.pattern(); }
  /// Named ranges of x, e.g. dq, dp, lambda.
  virtual const std::vector<Block>& blocks() const { return layout_.blocks(); }

  virtual void residual(const ConstVectorRef& x, VectorRef f) = 0;
  /// Jw = (dF/dx) w by dual numbers through the residual.
  virtual void tangent(const ConstVectorRef& x, const ConstVectorRef& w, VectorRef jw) = 0;
  /// dF/dx on pattern(), assembled from analytic formulas where a scheme writes them. Not written: tangents along the
  /// colours of the pattern.
  virtual void jacobian(const ConstVectorRef& x, VectorRef values);

  /// Typical magnitudes of the unknowns and of the rows at the current step (powers of h and of the masses): with
  /// x = C xs and F = R Fs the scaled Jacobian R^-1 F' C has a condition number that does not depend on h.
  virtual void scales(VectorRef columns, VectorRef rows) const = 0;
  /// Rounding floor of the scaled residual, in units of one: what no iteration can go below.
  virtual double rounding_floor() const { return thresholds::residual_rounding; }

  /// Where all that the scheme promises holds for approximate solutions, too: steps of a tolerance are solved to a part
  /// of their error. Null: it does not.
  virtual const EndErrors* end_errors() const { return nullptr; }

  /// f = F(x + low) at Extended, rounded: what iterative refinement takes. |low| is of the size of rounding errors.
  /// False, with f untouched: not offered.
  virtual bool extended_residual(const ConstVectorRef& x, const ConstVectorRef& low, VectorRef f) {
    static_cast<void>(x), static_cast<void>(low), static_cast<void>(f);
    return false;
  }
  /// x + low is the solution of the step, as far as refinement has it. Zero without one. Set before the scheme takes x.
  const Vector& low() const { return low_; }
  void set_low(const Vector& low) { low_ = low; }

  /// What the scheme exposes for solvers that need no Jacobian; null: nothing.
  virtual ApproximateInverse* approximate_inverse() { return nullptr; }
  /// The inverse of a simplified Newton matrix, far cheaper than dF/dx and so near to it that Newton strategies take it
  /// first, as long as it contracts (gnomon/solve/simplified_newton.hpp); null: none.
  virtual ApproximateInverse* simplified_newton() { return nullptr; }

 protected:
  /// Of the derived class, which fills it in its constructor, or overrides pattern() and blocks().
  Layout layout_;
  Vector low_;

 private:
  struct ByColours {
    Colouring colouring;
    Vector direction, product;
  } columns_;
};

/// Implements residual and tangent from one function template of the derived class,
///     template <class S> void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f);
/// with S = double and S = Dual1: the equation is written once. What it needs in between it keeps in ForBothScalars.
/// With Refines, S is Extended, too, for iterative refinement, and it keeps it in ForAllScalars; finish() of the step
/// then takes x + low().
template <class Derived, bool Refines = false>
class TemplatedEquations : public NonlinearEquations {
 public:
  void residual(const ConstVectorRef& x, VectorRef f) final { self().template evaluate<double>(x, f); }
  void tangent(const ConstVectorRef& x, const ConstVectorRef& w, VectorRef jw) final {
    for (auto* v : {&x_dual_, &f_dual_}) v->resize(x.size());  // at the first call: most solvers make none
    for (Index i = 0; i < x.size(); ++i) {
      x_dual_[i].value = x[i];
      x_dual_[i].grad[0] = w[i];
    }
    self().template evaluate<Dual1>(x_dual_, f_dual_);
    for (Index i = 0; i < x.size(); ++i) jw[i] = f_dual_[i].grad[0];
  }
  bool extended_residual(const ConstVectorRef& x, const ConstVectorRef& low, VectorRef f) final {
    if constexpr (Refines) {
      x_extended_ = x.cast<Extended>() + low.cast<Extended>();
      self().template evaluate<Extended>(x_extended_, f_extended_);
      f = f_extended_.template cast<double>();
    }
    return Refines;
  }

 protected:
  void allocate(Index size) {
    if (!Refines) return;
    x_extended_.setZero(size);
    f_extended_.setZero(size);
    low_.setZero(size);
  }
  void finish_layout() {
    layout_.finish();
    allocate(layout_.size());
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  VectorOf<Dual1> x_dual_, f_dual_;
  VectorOf<Extended> x_extended_, f_extended_;
};

}  // namespace gnomon
