#pragma once
/// \file
/// QuadraticForms: the derivatives of functions that are at most quadratic and do not depend on time,
///
///     f_i = c_i + b_i . x + x^T H_i x / 2,    grad f_i = b_i + H_i x,    v^T Hess f_i = H_i v
///
/// by the entries of H_i that are not zero, at any scalar.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gnomon/formula/dual.hpp"

namespace gnomon::model {

/// M functions of N variables.
template <int M, int N>
class QuadraticForms {
 public:
  /// f at the origin, seeded in all coordinates twice. A function that cannot be evaluated there is left unknown.
  void take(const Dual<Dual<double, N>, N>* f) {
    std::vector<Coupling> couplings;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        const Dual<double, N>& row = f[i].grad[j];
        linear_[i * N + j] = row.value;
        if (!std::isfinite(row.value)) return;
        for (int k = 0; k < N; ++k) {
          if (!std::isfinite(row.grad[k])) return;
          if (row.grad[k] != 0) couplings.push_back({i * N + j, k, row.grad[k]});
        }
      }
    couplings_ = std::move(couplings);
    known_ = true;
  }
  bool known() const { return known_; }

  /// out = (grad f_i), M x N
  template <class S>
  void gradients(const S* x, S* out) const {
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
  };
  template <class S>
  void add_products(const S* x, S* out) const {
    for (const Coupling& c : couplings_) out[c.row] += c.factor * x[c.column];
  }

  bool known_ = false;
  std::array<double, M * N> linear_{};
  std::vector<Coupling> couplings_;
};

}  // namespace gnomon::model
