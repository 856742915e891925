#pragma once
/// \file
/// How the solution of F(x; s) = 0 changes with the parameters s: dx = -F_x^-1 F_s ds. Dense; one refinement keeps the
/// rows of F at rounding level. Allocates: for derivatives of step maps, not for steps.

#include <optional>

#include "gnomon/base/dense_lu.hpp"
#include "gnomon/scheme/equations.hpp"

namespace gnomon::kernels {

class ImplicitChange {
 public:
  /// x: a solution of the equations as they are set now.
  ImplicitChange(NonlinearEquations& equations, const ConstVectorRef& x);
  /// dx for F_s ds = known.
  Vector operator()(const Vector& known) const;

 private:
  Vector columns_, rows_;
  Matrix matrix_;
  std::optional<DenseLu> lu_;
};

}  // namespace gnomon::kernels
