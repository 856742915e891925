#include "kernels/common/implicit_change.hpp"

namespace gnomon::kernels {

ImplicitChange::ImplicitChange(NonlinearEquations& equations, const ConstVectorRef& x)
    : columns_(x.size()), rows_(x.size()) {
  Vector values(equations.pattern().nonzeros());
  equations.jacobian(x, values);
  equations.scales(columns_, rows_);
  matrix_ = rows_.cwiseInverse().asDiagonal() * to_dense(equations.pattern(), values) * columns_.asDiagonal();
  lu_.emplace(matrix_);
}

Vector ImplicitChange::operator()(const Vector& known) const {
  const Vector f = known.cwiseQuotient(rows_);
  Vector dx = -lu_->solve(f);
  dx -= lu_->solve(Vector(f + matrix_ * dx));
  return dx.cwiseProduct(columns_);
}

}  // namespace gnomon::kernels
