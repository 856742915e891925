#pragma once
/// \file
/// What every solver drives: the scaled residual, the scaled Jacobian from one of three sources, and the counters.

#include <csignal>
#include <exception>
#include <string>

#include "gnomon/scheme/equations.hpp"

namespace gnomon {

class AlgebraFactory;

enum class JacobianSource {
  analytic,     ///< the scheme's assembled formulas
  dual,         ///< dual numbers through the residual, one pass a colour
  differences,  ///< central differences of the residual, four passes a colour
};
GNOMON_EXPORT const char* to_string(JacobianSource source);

enum class EvaluationStatus { ok, failed };

/// It says which errors a solution may leave: a part of those that the step may have.
class GNOMON_EXPORT AllowedErrors {
 public:
  virtual ~AllowedErrors() = default;
  /// The size of an error d of the unknowns, over the largest one that may be left.
  virtual double part(const EndErrors& errors, const ConstVectorRef& d) = 0;
};

/// With x = C xs and F = R Fs (C, R diagonal, NonlinearEquations::scales): the solvers see Fs(xs) = 0, in which
/// unknowns, rows and condition number are of order one for every step size. Exceptions of callbacks and values that
/// are not finite become EvaluationStatus::failed; message() says what happened.
class GNOMON_EXPORT ScaledEquations {
 public:
  ScaledEquations(NonlinearEquations& equations, JacobianSource source);

  Index size() const { return columns_.size(); }
  const SparsityPattern& pattern() const { return equations_->pattern(); }
  /// Found when it is first needed: by the constructor, unless the source is analytic.
  const Colouring& colouring();
  NonlinearEquations& equations() const { return *equations_; }
  JacobianSource source() const { return source_; }
  double rounding_floor() const { return equations_->rounding_floor(); }
  /// A solution may leave an error of the scaled unknowns below `error` whose part_of_allowed() is below 1. Strategies
  /// use it that know the error of theirs. It has no effect on equations without NonlinearEquations::end_errors.
  /// spares: a strategy whose matrix to leading order does not do has no solution, instead of taking dF/dx.
  void allow(double error, AllowedErrors* errors, bool spares) {
    allowed_error_ = equations_->end_errors() != nullptr ? error : 0;
    allowed_ = errors;
    spares_ = spares;
  }
  bool spares() const { return spares_; }
  double allowed_error() const { return allowed_error_; }
  /// AllowedErrors::part of an error d of the scaled unknowns; where allowed_error() > 0.
  double part_of_allowed(const ConstVectorRef& d);

  /// Reads the scales of the current step; call after the scheme's begin and before anything below.
  void update_scales();
  /// Both may be done in place.
  void to_scaled(const ConstVectorRef& x, VectorRef xs) const { xs = x.cwiseQuotient(columns_); }
  void to_unscaled(const ConstVectorRef& xs, VectorRef x) const { x = xs.cwiseProduct(columns_); }
  const Vector& columns() const { return columns_; }
  void scale_rows(VectorRef f) const { f = f.cwiseProduct(rows_); }

  EvaluationStatus residual(const ConstVectorRef& xs, VectorRef fs);
  /// fs = the scaled F(x + low), unscaled x and low, by NonlinearEquations::extended_residual; failed where that is not
  /// offered, too.
  EvaluationStatus extended_residual(const ConstVectorRef& x, const ConstVectorRef& low, VectorRef fs);
  /// Scaled Jacobian values on pattern().
  EvaluationStatus jacobian(const ConstVectorRef& xs, VectorRef values) { return jacobian(xs, values, source_); }
  EvaluationStatus jacobian(const ConstVectorRef& xs, VectorRef values, JacobianSource source);

  /// jw = (scaled Jacobian at xs) ws, by dual numbers.
  EvaluationStatus product(const ConstVectorRef& xs, const ConstVectorRef& ws, VectorRef jw);

  /// Linear algebra of the user's own for these equations, which solvers take before their option `algebra`; it
  /// outlives them. Null: none.
  void attach_algebra(const AlgebraFactory* algebra) { algebra_ = algebra; }
  const AlgebraFactory* attached_algebra() const { return algebra_; }

  /// Takes the body of every coordinate (body_of_coordinates), for algebra that takes bodies first. Blocks of the
  /// unknown that are as long as the list, or several times as long, are coordinates.
  void set_bodies(const std::vector<int>& of_coordinates);
  /// The body of each unknown, -1 where it belongs to none; empty where nothing is known.
  const std::vector<int>& bodies() const { return bodies_; }

  /// Evaluations fail as long as this is not 0. Null: never.
  void watch(const volatile std::sig_atomic_t* interrupt) { interrupt_ = interrupt; }

  bool has_approximate_inverse() const { return equations_->approximate_inverse() != nullptr; }
  /// Sets the scheme's approximate inverse at xs; failed where it is singular or cannot be evaluated.
  EvaluationStatus update_inverse(const ConstVectorRef& xs) {
    return update_inverse(*equations_->approximate_inverse(), xs);
  }
  /// ds ~ (scaled Jacobian)^-1 fs, after update_inverse. ds may not alias fs.
  EvaluationStatus apply_inverse(const ConstVectorRef& fs, VectorRef ds) {
    return apply_inverse(*equations_->approximate_inverse(), fs, ds);
  }
  /// The same with one of several inverses of the scheme.
  EvaluationStatus update_inverse(ApproximateInverse& inverse, const ConstVectorRef& xs);
  EvaluationStatus apply_inverse(ApproximateInverse& inverse, const ConstVectorRef& fs, VectorRef ds);

  long residual_evaluations() const { return residuals_; }
  long jacobian_evaluations() const { return jacobians_; }
  /// Why the last evaluation failed.
  const std::string& message() const { return message_; }

 private:
  void coloured(const ConstVectorRef& xs, VectorRef values, JacobianSource source);
  void fail(const char* what, const char* why);
  bool interrupted(const char* what);

  NonlinearEquations* equations_;
  JacobianSource source_;
  const AlgebraFactory* algebra_ = nullptr;
  std::vector<int> bodies_;
  const volatile std::sig_atomic_t* interrupt_ = nullptr;
  Colouring colouring_;
  Vector columns_, rows_;  // C and R^-1
  Vector x_, f_, w_, jw_, xs_;
  long residuals_ = 0, jacobians_ = 0;
  double allowed_error_ = 0;
  AllowedErrors* allowed_ = nullptr;
  bool spares_ = false;
  std::string message_;
};

/// Largest entrywise disagreement between two sources of the scaled Jacobian at xs, relative to the largest entry.
/// Differences also probe that nothing lies outside the pattern; `outside` (optional) receives the largest such entry.
GNOMON_EXPORT double compare_jacobians(ScaledEquations& equations, const ConstVectorRef& xs, JacobianSource a,
                                       JacobianSource b, double* outside = nullptr);

}  // namespace gnomon
