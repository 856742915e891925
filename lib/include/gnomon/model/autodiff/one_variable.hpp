#pragma once
/// \file
/// Derivatives of a function of one variable.

#include <array>

#include "gnomon/formula/dual.hpp"

namespace gnomon::model {

/// {f, f', f'', f'''} at a point.
template <class T, class F>
std::array<T, 4> three_derivatives(T at, const F& f) {
  using D3 = Dual<Dual<Dual<T, 1>, 1>, 1>;
  D3 x;
  x.value.value.value = at;
  x.value.value.grad[0] = 1;
  x.value.grad[0].value = 1;
  x.grad[0].value.value = 1;
  const D3 v = f(x);
  return {v.value.value.value, v.value.value.grad[0], v.value.grad[0].grad[0], v.grad[0].grad[0].grad[0]};
}

}  // namespace gnomon::model
