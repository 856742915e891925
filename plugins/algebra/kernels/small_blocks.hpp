#pragma once
/// \file
/// Dense work on one block of a tree, column by column storage: sizes known to the compiler where they are common, 0
/// for any others.

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace gnomon::kernels {

/// N x N where N > 0, else the size at run time; the block is coupled with T, or `touched`, unknowns of its parent.
template <int N, int T>
struct SmallBlock {
  int size_, touched_;
  static constexpr double preference = .1;
  int size() const { return N > 0 ? N : size_; }
  int touched() const { return N > 0 ? T : touched_; }

  /// inverse <- d^-1, and d is lost. Returns the column without a pivot, or -1. With the inverse stored the solve has
  /// no chain of divisions; what it loses in accuracy against substitution, Newton's iteration takes back.
  ///
  /// Blocks of 3 and 4 by their cofactors: a single division stands between a block and its parent's. Where the inverse
  /// has grown so that cancellation in the cofactors may matter, and for other sizes, by elimination().
  int invert(double* d, double* inverse) const {
    if constexpr (N == 3 || N == 4) {
      using Square = Eigen::Matrix<double, N, N>;
      const Square cofactors = Eigen::Map<const Square>(d).inverse();
      Eigen::Map<Square>(inverse, N, N) = cofactors;
      if (cofactors.array().abs().sum() < cofactor_limit) return -1;
    }
    const int column = elimination(d);
    std::copy_n(d, size() * size(), inverse);
    return column;
  }

  /// With d = D^-1: dc <- d c, bd <- b d, s <- b d c, the Schur complement that the parent loses.
  void couple(const double* d, const double* c, const double* b, double* dc, double* bd, double* s) const {
    const int n = size(), t = touched();
    for (int j = 0; j < t; ++j) inner(d, c + j * n, dc + j * n);
    for (int j = 0; j < t; ++j) down(b, dc + j * n, s + j * t);
    for (int j = 0; j < n; ++j) down(b, d + j * n, bd + j * t);
  }

  /// y = A x, A rows x columns
  void inner(const double* a, const double* x, double* y) const { product<N, N>(a, x, y, size(), size()); }
  void down(const double* b, const double* x, double* y) const { product<T, N>(b, x, y, touched(), size()); }

 private:
  static constexpr double cofactor_limit = 1e6;

  /// Gauss-Jordan elimination with row pivoting inside the block: saddle-point blocks have zeros on their diagonal.
  int elimination(double* d) const {
    constexpr int most = N > 0 ? N : 32;
    int swaps[most];
    const int n = size();
    if constexpr (N > 0 && N <= 4) {
      const int column = in_registers(d, swaps, std::make_integer_sequence<int, N>());
      if (column >= 0) return column;
    } else {
      for (int k = 0; k < n; ++k)
        if (!step(d, swaps, k)) return k;
    }
    for (int k = n - 1; k >= 0; --k)
      if (swaps[k] != k)
        for (int i = 0; i < n; ++i) std::swap(d[i + k * n], d[i + swaps[k] * n]);
    return -1;
  }

  /// Column k of the elimination; false where it has no pivot.
  bool step(double* d, int* swaps, int k) const {
    constexpr int most = N > 0 ? N : 32;
    const int n = size();
    // The diagonal is preferred, by a factor: a branch that nearly always goes one way keeps the search for a larger
    // pivot out of the chain of operations that the next division waits for.
    double largest = 0;
    for (int i = k; i < n; ++i) largest = std::max(largest, std::abs(d[i + k * n]));
    swaps[k] = k;
    if (!(std::abs(d[k + k * n]) >= preference * largest && largest > 0)) {
      if (!(largest > 0)) return false;
      for (int i = k; i < n; ++i)
        if (std::abs(d[i + k * n]) == largest) swaps[k] = i;
      for (int j = 0; j < n; ++j) std::swap(d[k + j * n], d[swaps[k] + j * n]);
    }
    const double inverse = 1 / d[k + k * n];
    double column[most];
    for (int i = 0; i < n; ++i) column[i] = d[i + k * n];
    column[k] = 0;
    for (int i = 0; i < n; ++i) d[i + k * n] = 0;
    d[k + k * n] = 1;
    for (int j = 0; j < n; ++j) {
      const double pivot = d[k + j * n] * inverse;
      for (int i = 0; i < n; ++i) d[i + j * n] -= column[i] * pivot;
      d[k + j * n] = pivot;
    }
    return true;
  }

  /// The same for small blocks, with every column written out.
  template <int... K>
  int in_registers(double* d, int* swaps, std::integer_sequence<int, K...>) const {
    int reached = -1;
    return ((reached = K, unrolled<K>(d, swaps)) && ...) ? -1 : reached;
  }
  template <int K>
  bool unrolled(double* d, int* swaps) const {
    using Column = Eigen::Matrix<double, N, 1>;
    const auto at = [d](int j) { return Eigen::Map<Column>(d + j * N); };
    double largest = 0;
    for (int i = K + 1; i < N; ++i) largest = std::max(largest, std::abs(d[i + K * N]));
    swaps[K] = K;
    if (!(std::abs(d[K + K * N]) >= preference * largest && d[K + K * N] != 0)) {
      if (!(largest > 0)) return false;
      for (int i = K + 1; i < N; ++i)
        if (std::abs(d[i + K * N]) == largest) swaps[K] = i;
      for (int j = 0; j < N; ++j) std::swap(d[K + j * N], d[swaps[K] + j * N]);
    }
    const double inverse = 1 / d[K + K * N];
    Column column = at(K);
    column[K] = 0;
    at(K).setZero();
    d[K + K * N] = 1;
    for (int j = 0; j < N; ++j) {
      const double pivot = d[K + j * N] * inverse;
      at(j) -= column * pivot;
      d[K + j * N] = pivot;
    }
    return true;
  }

  template <int Rows, int Columns>
  static void product(const double* a, const double* x, double* y, int rows, int columns) {
    constexpr int r = N > 0 ? Rows : Eigen::Dynamic, c = N > 0 ? Columns : Eigen::Dynamic;
    using A = Eigen::Map<const Eigen::Matrix<double, r, c>>;
    using X = Eigen::Map<const Eigen::Matrix<double, c, 1>>;
    using Y = Eigen::Map<Eigen::Matrix<double, r, 1>>;
    Y(y, rows).noalias() = A(a, rows, columns).lazyProduct(X(x, columns));
  }
};

}  // namespace gnomon::kernels
