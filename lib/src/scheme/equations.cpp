#include "gnomon/scheme/equations.hpp"

namespace gnomon {

void NonlinearEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  auto& [colouring, direction, product] = columns_;
  if (colouring.colours == 0) {
    colouring = colour_columns(pattern());
    direction.setZero(x.size());
    product.setZero(x.size());
  }
  for (std::size_t colour = 0; colour < colouring.columns.size(); ++colour) {
    direction.setZero();
    for (const Index j : colouring.columns[colour]) direction[j] = 1;
    tangent(x, direction, product);
    for (const auto& [row, position] : colouring.entries[colour]) values[position] = product[row];
  }
}

}  // namespace gnomon
