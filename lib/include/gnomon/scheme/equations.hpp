#pragma once
/// \file
/// One system of nonlinear equations F(x) = 0, as a scheme writes it.

#include <vector>

#include "gnomon/formula/dual.hpp"
#include "gnomon/scheme/layout.hpp"

namespace gnomon {

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
};

/// F(x) = 0 with a fixed size and sparsity. The owner (StepEquations) sets its parameters at the begin of each step.
/// Nothing here allocates, but for the first jacobian() where that is not written. A function may throw (CannotEvaluate
/// or anything a user's callback throws): the caller, which is ScaledEquations, turns that into a failed evaluation.
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
  virtual double rounding_floor() const { return 1e-15; }

  /// What the scheme exposes for solvers that need no Jacobian; null: nothing.
  virtual ApproximateInverse* approximate_inverse() { return nullptr; }

 protected:
  /// Of the derived class, which fills it in its constructor, or overrides pattern() and blocks().
  Layout layout_;

 private:
  struct ByColours {
    Colouring colouring;
    Vector direction, product;
  } columns_;
};

/// Implements residual and tangent from one function template of the derived class,
///     template <class S> void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f);
/// with S = double and S = Dual1: the equation is written once. What it needs in between it keeps in ForBothScalars.
template <class Derived>
class TemplatedEquations : public NonlinearEquations {
 public:
  void residual(const ConstVectorRef& x, VectorRef f) final { self().template evaluate<double>(x, f); }
  void tangent(const ConstVectorRef& x, const ConstVectorRef& w, VectorRef jw) final {
    for (Index i = 0; i < x.size(); ++i) {
      x_dual_[i].value = x[i];
      x_dual_[i].grad[0] = w[i];
    }
    self().template evaluate<Dual1>(x_dual_, f_dual_);
    for (Index i = 0; i < x.size(); ++i) jw[i] = f_dual_[i].grad[0];
  }

 protected:
  void allocate(Index size) {
    x_dual_.resize(size);
    f_dual_.resize(size);
  }
  void finish_layout() {
    layout_.finish();
    allocate(layout_.size());
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  VectorOf<Dual1> x_dual_, f_dual_;
};

}  // namespace gnomon
