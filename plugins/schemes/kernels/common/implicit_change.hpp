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
  ImplicitChange(NonlinearEquations& equations, const ConstVectorRef& x) : columns_(x.size()), rows_(x.size()) {
    Vector values(equations.pattern().nonzeros());
    equations.jacobian(x, values);
    equations.scales(columns_, rows_);
    matrix_ = rows_.cwiseInverse().asDiagonal() * to_dense(equations.pattern(), values) * columns_.asDiagonal();
    lu_.emplace(matrix_);
  }
  /// dx for F_s ds = known.
  Vector operator()(const Vector& known) const {
    const Vector f = known.cwiseQuotient(rows_);
    Vector dx = -lu_->solve(f);
    dx -= lu_->solve(Vector(f + matrix_ * dx));
    return dx.cwiseProduct(columns_);
  }

 private:
  Vector columns_, rows_;
  Matrix matrix_;
  std::optional<DenseLu> lu_;
};

}  // namespace gnomon::kernels
