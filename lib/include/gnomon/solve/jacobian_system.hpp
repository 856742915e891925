#pragma once
/// \file
/// The scaled Jacobian of one set of equations with the linear algebra that solves with it: what every strategy that
/// factorises drives.

#include <memory>
#include <string>

#include "gnomon/base/archive.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace gnomon {

class GNOMON_EXPORT JacobianSystem : private JacobianProduct {
 public:
  JacobianSystem() = default;
  JacobianSystem(const JacobianSystem&) = delete;
  JacobianSystem& operator=(const JacobianSystem&) = delete;

  /// Allocates everything, or, of a matrix that is rarely needed, what the algebra takes at the first factorisation.
  /// Throws as AlgebraChoice::attach does.
  void attach(ScaledEquations& equations, const AlgebraChoice& choice, bool rarely_needed = false);
  /// At the begin of each nonlinear solve: the next factorisation is the first one of it.
  void begin() {
    setup_ = Setup::first;
    factorised_ = false;
  }
  /// The first time: factorises the Jacobian at xs, so that what the first factorisation allocates is allocated, but
  /// for a matrix that is rarely needed.
  void prepare(const ConstVectorRef& xs);
  /// The Jacobian at xs, to be factorised.
  EvaluationStatus evaluate(const ConstVectorRef& xs);
  /// False where the matrix is singular.
  bool factorise();
  /// Whether there are factors of this solve, see begin().
  bool factorised() const { return factorised_; }
  /// What the algebra keeps from one matrix to the next and, where the solver keeps its matrix, that one too:
  /// factorised where it is read. Throws Error(bad_file) where it does not fit.
  void serialize(Archive& archive, bool with_matrix);
  /// x <- J^-1 x; false as LinearAlgebra::solve.
  bool solve(VectorRef x) { return algebra_->solve(x); }
  /// LinearAlgebra::pivot_ratio() of the factors of this solve; 1 without any.
  double pivot_ratio() const { return factorised_ ? algebra_->pivot_ratio() : 1; }
  /// Why factorise or solve failed.
  const std::string& message() const { return algebra_->message(); }
  const LinearAlgebra& algebra() const { return *algebra_; }

 private:
  bool apply(const ConstVectorRef& v, VectorRef y) override;

  ScaledEquations* equations_ = nullptr;
  std::unique_ptr<LinearAlgebra> algebra_;
  Setup setup_ = Setup::first;
  bool factorised_ = false, prepared_ = false;
  Vector values_, point_;
};

}  // namespace gnomon
