#pragma once
/// \file
/// QuadraticForms: the derivatives of functions that are at most quadratic and do not depend on time,
///
///     f_i = c_i + b_i . x + x^T H_i x / 2,    grad f_i = b_i + H_i x,    v^T Hess f_i = H_i v
///
/// by the entries of H_i that are not zero, at double and at Extended.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "gnomon/formula/dual.hpp"

namespace gnomon::model {

/// M functions of N variables.
template <int M, int N>
class QuadraticForms {
 public:
  /// first = (b_i), M x N;  second(j, out) gives out = (row j of H_i), M x N. Values that are not finite, of functions
  /// that cannot be evaluated at the origin, leave them unknown.
  template <class Second>
  void take(const Extended* first, const Second& second) {
    std::array<Extended, M * N> turn{};
    std::vector<Coupling> couplings;
    for (int k = 0; k < M * N; ++k) {
      if (!std::isfinite(first[k])) return;
      wide_linear_[k] = first[k];
      linear_[k] = static_cast<double>(first[k]);
    }
    for (int j = 0; j < N; ++j) {
      second(j, turn.data());
      for (int k = 0; k < M * N; ++k) {
        if (!std::isfinite(turn[k])) return;
        if (turn[k] != 0) couplings.push_back({k, j, static_cast<double>(turn[k]), turn[k]});
      }
    }
    couplings_ = std::move(couplings);
    known_ = true;
  }
  bool known() const { return known_; }

  /// out = (grad f_i), M x N
  template <class S>
  void gradients(const S* x, S* out) const {
    if constexpr (std::is_same_v<S, Extended>)
      std::copy_n(wide_linear_.begin(), M * N, out);
    else
      std::copy_n(linear_.begin(), M * N, out);
    add_products(x, out);
  }
  /// out = (v^T Hess f_i), M x N
  template <class S>
  void turns(const S* v, S* out) const {
    std::fill_n(out, M * N, S(0.0));
    add_products(v, out);
  }

 private:
  /// Entry (j, column) of H_i; row = i N + j.
  struct Coupling {
    int row, column;
    double factor;
    Extended wide_factor;
  };
  template <class S>
  void add_products(const S* x, S* out) const {
    for (const Coupling& c : couplings_)
      if constexpr (std::is_same_v<S, Extended>)
        out[c.row] += c.wide_factor * x[c.column];
      else
        out[c.row] += c.factor * x[c.column];
  }

  bool known_ = false;
  std::array<double, M * N> linear_{};
  std::array<Extended, M * N> wide_linear_{};
  std::vector<Coupling> couplings_;
};

}  // namespace gnomon::model
