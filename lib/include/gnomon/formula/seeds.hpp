#pragma once
/// \file
/// Seeds: along what the forward duals of a Function differentiate. A seed is called as seed(s, block, j) for entry j
/// of each block, and with block = n_blocks for t, where s has the value already.

#include "gnomon/formula/dual.hpp"
#include "gnomon/formula/function.hpp"

namespace gnomon::seeds {

using Second = Dual<Dual1, 1>;

/// The value alone.
inline constexpr auto none = [](double&, std::size_t, Index) {};
/// x + tail
inline auto tail(const Function::Blocks& tail) {
  return [&tail](long double& s, std::size_t block, Index j) {
    if (block < Function::n_blocks && tail[block] != nullptr) s += tail[block][j];
  };
}
/// d/dt
inline constexpr auto time = [](Dual1& s, std::size_t block, Index) {
  if (block == Function::n_blocks) s.grad[0] = 1;
};
/// Along v in block 0, and along v and w.
inline auto along(const double* v) {
  return [v](auto& s, std::size_t block, Index j) {
    if (block == 0) s.grad[0] = v[j];
  };
}
inline auto along(const double* v, const double* w) {
  return [v, w](Second& s, std::size_t block, Index j) {
    if (block != 0) return;
    s.value.grad[0] = v[j];
    s.grad[0].value = w[j];
  };
}
/// Along the curve (t + s, x + s v), to second order.
inline auto curve(const double* v) {
  return [v](Second& s, std::size_t block, Index j) {
    if (block == 0 || block == Function::n_blocks) s.value.grad[0] = s.grad[0].value = block == 0 ? v[j] : 1.0;
  };
}
/// Along w in all blocks, and along w and u.
inline auto along(const Function::Blocks& w) {
  return [&w](Dual1& s, std::size_t block, Index j) {
    if (block < Function::n_blocks && w[block] != nullptr) s.grad[0] = w[block][j];
  };
}
inline auto along(const Function::Blocks& w, const Function::Blocks& u) {
  return [&w, &u](Second& s, std::size_t block, Index j) {
    if (block == Function::n_blocks) return;
    if (w[block] != nullptr) s.value.grad[0] = w[block][j];
    if (u[block] != nullptr) s.grad[0].value = u[block][j];
  };
}

/// The coefficient of all infinitesimals at once.
inline double highest(double a) {
  return a;
}
inline long double highest(long double a) {
  return a;
}
template <class T>
typename Dual<T, 1>::Base highest(const Dual<T, 1>& a) {
  return highest(a.grad[0]);
}

}  // namespace gnomon::seeds
