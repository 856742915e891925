#include "contact/complementarity.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

/// The tableau [I, -M, -1 | q] of w - M z - z_0 = q, whose basis changes by pivots.
class Tableau {
 public:
  Tableau(const Matrix& M, const Vector& q)
      : n_(q.size()), rows_(n_, 2 * n_ + 2), basis_(static_cast<std::size_t>(n_)) {
    rows_ << Matrix::Identity(n_, n_), -M, -Vector::Ones(n_), q;
    for (Index i = 0; i < n_; ++i) basis_[static_cast<std::size_t>(i)] = i;
  }
  Index covering() const { return 2 * n_; }
  Index basic(Index row) const { return basis_[static_cast<std::size_t>(row)]; }
  Index complement(Index variable) const { return variable < n_ ? variable + n_ : variable - n_; }
  double value(Index row) const { return rows_(row, 2 * n_ + 1); }

  /// The row whose variable reaches zero first while `entering` grows; -1: none does.
  Index leaving(Index entering) const {
    Index best = -1;
    for (Index i = 0; i < n_; ++i)
      if (rows_(i, entering) > thresholds::lemke_pivot && (best < 0 || before(i, best, entering))) best = i;
    if (best < 0) return best;
    // Among those that reach zero together the covering variable goes first: then it is solved.
    for (Index i = 0; i < n_; ++i)
      if (basic(i) == covering() && rows_(i, entering) > thresholds::lemke_pivot &&
          value(i) / rows_(i, entering) <= value(best) / rows_(best, entering) + thresholds::lemke_tie)
        return i;
    return best;
  }
  void pivot(Index row, Index entering) {
    rows_.row(row) /= rows_(row, entering);
    for (Index i = 0; i < n_; ++i)
      if (i != row) rows_.row(i) -= rows_(i, entering) * rows_.row(row).eval();
    basis_[static_cast<std::size_t>(row)] = entering;
  }

 private:
  /// Is row i / its entry lexicographically smaller than row j / its entry? The columns of the value and of the inverse
  /// of the basis.
  bool before(Index i, Index j, Index entering) const {
    const double a = rows_(i, entering), b = rows_(j, entering);
    for (Index k = -1; k < n_; ++k) {
      const double left = (k < 0 ? value(i) : rows_(i, k)) / a, right = (k < 0 ? value(j) : rows_(j, k)) / b;
      if (std::abs(left - right) > thresholds::lemke_difference * (1 + std::abs(left) + std::abs(right)))
        return left < right;
    }
    return i < j;
  }

  Index n_;
  Matrix rows_;
  std::vector<Index> basis_;
};

}  // namespace

std::optional<Vector> lemke(const Matrix& M, const Vector& q) {
  const Index n = q.size();
  Vector z = Vector::Zero(n);
  if (n == 0 || q.minCoeff() >= 0) return z;
  const double size = q.lpNorm<Eigen::Infinity>();
  Tableau tableau(M, q / size);
  Index row = 0;
  q.minCoeff(&row);
  Index entering = tableau.covering();
  constexpr int most_pivots = 10000;
  for (int pivot = 0; pivot < most_pivots; ++pivot) {
    const Index left = tableau.basic(row);
    tableau.pivot(row, entering);
    if (left == tableau.covering()) {
      for (Index i = 0; i < n; ++i)
        if (const Index variable = tableau.basic(i); variable >= n && variable < 2 * n)
          z[variable - n] = size * std::max(0.0, tableau.value(i));
      return z;
    }
    entering = tableau.complement(left);
    row = tableau.leaving(entering);
    if (row < 0) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<FrictionProblem::Solution> FrictionProblem::solve_in_plane() const {
  const Index n = w_0.size(), s = u_0.size();
  Matrix load = Matrix::Zero(s, n);  // mu P = load P
  for (Index j = 0; j < s; ++j) load(j, normal_of[static_cast<std::size_t>(j)]) = mu[j];
  Matrix M = Matrix::Zero(n + 2 * s, n + 2 * s);
  M.topLeftCorner(n, n) = W_nn - W_nt * load;
  M.block(0, n, n, s) = W_nt;
  M.block(n, 0, s, n) = W_tn - W_tt * load;
  M.block(n, n, s, s) = W_tt;
  M.block(n, n + s, s, s).setIdentity();
  M.block(n + s, 0, s, n) = 2 * load;
  M.block(n + s, n, s, s) = -Matrix::Identity(s, s);
  Vector q = Vector::Zero(n + 2 * s);
  q << w_0, u_0, Vector::Zero(s);
  // Rows and columns in the units in which the diagonals of W_nn and W_tt are one: the other rows follow.
  Vector rows(n + 2 * s), columns(n + 2 * s);
  const auto unit = [](double diagonal) { return diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0; };
  for (Index k = 0; k < n; ++k) rows[k] = columns[k] = unit(W_nn(k, k));
  for (Index j = 0; j < s; ++j) {
    rows[n + j] = columns[n + j] = unit(W_tt(j, j));
    columns[n + s + j] = 1 / rows[n + j];
    rows[n + s + j] = 1 / columns[n + j];
  }
  const std::optional<Vector> scaled = lemke(rows.asDiagonal() * M * columns.asDiagonal(), rows.asDiagonal() * q);
  if (!scaled) return std::nullopt;
  const Vector z = columns.asDiagonal() * *scaled;
  const Vector P = z.head(n);
  return with_rates(P, z.segment(n, s) - load * P);
}

}  // namespace gnomon
