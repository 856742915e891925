#pragma once
/// \file
/// Seeded arguments for forward duals of compile-time size, on the stack.

#include <array>

#include "gnomon/base/types.hpp"
#include "gnomon/formula/dual.hpp"

namespace gnomon::model {

template <int N>
struct ForwardSeeds {
  using First = Dual<double, N>;           // all first derivatives
  using Along = Dual<Dual<double, 1>, N>;  // all first derivatives of a directional derivative
  using Along2 = Dual<Dual<Dual<double, 1>, 1>, N>;
  using Second = Dual<Dual<double, N>, N>;
  using Curve = Dual<Dual<double, 1>, 1>;  // second derivative along a curve

  static std::array<long double, N> extended(const ConstVectorRef& q, const ConstVectorRef& tail) {
    std::array<long double, N> x;
    for (int j = 0; j < N; ++j) x[j] = static_cast<long double>(q[j]) + tail[j];
    return x;
  }
  static std::array<Dual<Extended, N>, N> seed_extended(const ConstVectorRef& q, const ConstVectorRef& tail) {
    return seed_first(extended(q, tail).data());
  }
  template <class S, int size = N>
  static std::array<S, size> unseeded(const ConstVectorRef& q) {
    std::array<S, size> x;
    for (int j = 0; j < size; ++j) x[j].value = q[j];
    return x;
  }
  template <class S>
  static std::array<Dual<S, N>, N> seed_first(const S* q) {
    std::array<Dual<S, N>, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value = q[j];
      x[j].grad[j] = S(1.0);
    }
    return x;
  }
  static std::array<First, N> seed_first(const ConstVectorRef& q) { return seed_first(q.data()); }
  /// All first derivatives, at rest in the other direction.
  template <class D>
  static std::array<D, N> unmoved(const ConstVectorRef& q) {
    std::array<D, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].grad[j].value = 1;
    }
    return x;
  }
  template <class S>
  static std::array<Dual<Dual<S, 1>, N>, N> seed_along(const S* q, const S* w) {
    std::array<Dual<Dual<S, 1>, N>, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].value.grad[0] = w[j];
      x[j].grad[j].value = 1;
    }
    return x;
  }
  static std::array<Along, N> seed_along(const ConstVectorRef& q, const ConstVectorRef& w) {
    return seed_along(q.data(), w.data());
  }
  static std::array<Second, N> seed_second(const ConstVectorRef& q) {
    std::array<Second, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].value.grad[j] = 1;
      x[j].grad[j].value = 1;
    }
    return x;
  }
};

}  // namespace gnomon::model
