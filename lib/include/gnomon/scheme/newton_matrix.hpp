#pragma once
/// \file
/// The Jacobian of equations with linear algebra that solves with it, for schemes, which know no solvers.

#include <memory>

#include "gnomon/base/types.hpp"

namespace gnomon {

class AlgebraTable;
class NonlinearEquations;

class GNOMON_EXPORT NewtonMatrix {
 public:
  virtual ~NewtonMatrix() = default;
  /// The first time: what the first factorisation allocates, of few unknowns (ApproximateInverse::few_unknowns).
  virtual void prepare(const ConstVectorRef& x) = 0;
  /// dF/dx at x, factorised. False where it cannot be evaluated or is singular. The first one allocates.
  virtual bool factorise(const ConstVectorRef& x) = 0;
  /// f <- (dF/dx)^-1 f, unscaled; false where it fails.
  virtual bool solve(VectorRef f) = 0;
};

/// By the algebra that solvers choose by default for the pattern of the equations (AlgebraChoice), scaled at each
/// factorisation. Equations and table outlive it. Throws as JacobianSystem::attach does.
GNOMON_EXPORT std::unique_ptr<NewtonMatrix> newton_matrix(NonlinearEquations& equations, const AlgebraTable& table);

}  // namespace gnomon
