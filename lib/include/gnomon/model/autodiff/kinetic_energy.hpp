#pragma once
/// \file
/// T = p^T M^-1 p / 2 of a dense mass matrix, at any scalar.

namespace gnomon::model {

/// T = sum_i y_i^2 / (2 d_i), M = L D L^T, L y = p: no root, nothing on the heap. m: n x n, row by row, overwritten;
/// y: n, scratch.
template <class S>
S kinetic_energy(S* m, const S* p, S* y, int n) {
  S sum(0.0);
  for (int i = 0; i < n; ++i) {
    y[i] = p[i];
    for (int k = 0; k < i; ++k) {  // row i of L, left of the diagonal, in place of M's
      S entry = m[i * n + k];
      for (int j = 0; j < k; ++j) entry -= m[i * n + j] * m[k * n + j] * m[j * n + j];
      m[i * n + k] = entry / m[k * n + k];
    }
    for (int k = 0; k < i; ++k) {
      m[i * n + i] -= m[i * n + k] * m[i * n + k] * m[k * n + k];
      y[i] -= m[i * n + k] * y[k];
    }
    sum += y[i] * y[i] / m[i * n + i];
  }
  return sum * 0.5;
}

}  // namespace gnomon::model
