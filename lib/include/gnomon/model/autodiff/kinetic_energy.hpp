#pragma once
/// \file
/// T = p^T M^-1 p / 2 of a dense mass matrix, at any scalar.

namespace gnomon::model {

/// M = L D L^T in place of the lower triangle of m: no root, nothing on the heap. m: n x n, row by row.
template <class S>
void factorise(S* m, int n) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) {  // row i of L, left of the diagonal
      S entry = m[i * n + k];
      for (int j = 0; j < k; ++j) entry -= m[i * n + j] * m[k * n + j] * m[j * n + j];
      m[i * n + k] = entry / m[k * n + k];
    }
    for (int k = 0; k < i; ++k) m[i * n + i] -= m[i * n + k] * m[i * n + k] * m[k * n + k];
  }
}

/// T = sum_i y_i^2 / (2 d_i), L y = p. m is overwritten; y: n, scratch.
template <class S>
S kinetic_energy(S* m, const S* p, S* y, int n) {
  factorise(m, n);
  S sum(0.0);
  for (int i = 0; i < n; ++i) {
    y[i] = p[i];
    for (int k = 0; k < i; ++k) y[i] -= m[i * n + k] * y[k];
    sum += y[i] * y[i] / m[i * n + i];
  }
  return sum * 0.5;
}

/// v = M^-1 p, of the factors of M
template <class S>
void solve_factors(const S* m, const S* p, S* v, int n) {
  for (int i = 0; i < n; ++i) {
    v[i] = p[i];
    for (int k = 0; k < i; ++k) v[i] -= m[i * n + k] * v[k];
  }
  for (int i = n; i-- > 0;) {
    v[i] /= m[i * n + i];
    for (int k = i + 1; k < n; ++k) v[i] -= m[k * n + i] * v[k];
  }
}

/// v = M^-1 p; m is overwritten.
template <class S>
void kinetic_velocity(S* m, const S* p, S* v, int n) {
  factorise(m, n);
  solve_factors(m, p, v, n);
}

}  // namespace gnomon::model
