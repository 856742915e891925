#include "mechanism/cubic_spline.hpp"

#include <Eigen/SparseLU>
#include <tuple>

#include "gnomon/base/types.hpp"

namespace gnomon::mechanism {

/// With w_k = x_{k+1} - x_k and the slopes s_k = (y_{k+1} - y_k)/w_k, the second derivatives m_k are those of
///
///     w_{k-1} m_{k-1} + 2 (w_{k-1} + w_k) m_k + w_k m_{k+1} = 6 (s_k - s_{k-1}),
///
/// and at the ends m = 0, or w_1 (m_1 - m_0) = w_0 (m_2 - m_1).
CubicSpline::CubicSpline(std::vector<double> x, const std::vector<double>& y, Ends ends) : x_(std::move(x)) {
  const auto n = static_cast<Index>(x_.size());
  const Eigen::Map<const Vector> at(x_.data(), n), value(y.data(), n);
  const Vector w = at.tail(n - 1) - at.head(n - 1);
  const Vector s = (value.tail(n - 1) - value.head(n - 1)).cwiseQuotient(w);
  Vector m = Vector::Zero(n);
  if (n > 2) {
    using Entry = Eigen::Triplet<double>;
    std::vector<Entry> entries;
    Vector right = Vector::Zero(n);
    for (Index k = 1; k + 1 < n; ++k) {
      entries.insert(entries.end(), {Entry(static_cast<int>(k), static_cast<int>(k - 1), w[k - 1]),
                                     Entry(static_cast<int>(k), static_cast<int>(k), 2 * (w[k - 1] + w[k])),
                                     Entry(static_cast<int>(k), static_cast<int>(k + 1), w[k])});
      right[k] = 6 * (s[k] - s[k - 1]);
    }
    for (const auto& [row, next, after, near, far] :
         {std::tuple{Index(0), Index(1), Index(2), w[0], w[1]}, {n - 1, n - 2, n - 3, w[n - 2], w[n - 3]}}) {
      const bool free = ends == Ends::natural;
      const int i = static_cast<int>(row);
      entries.emplace_back(i, i, free ? 1.0 : far);
      if (free) continue;
      entries.emplace_back(i, static_cast<int>(next), n == 3 ? -far : -(near + far));
      if (n > 3) entries.emplace_back(i, static_cast<int>(after), near);
    }
    Eigen::SparseMatrix<double> matrix(static_cast<int>(n), static_cast<int>(n));
    matrix.setFromTriplets(entries.begin(), entries.end());
    m = Eigen::SparseLU<Eigen::SparseMatrix<double>>(matrix).solve(right);
  }
  for (Index k = 0; k + 1 < n; ++k)
    pieces_.push_back(
        {at[k], {value[k], s[k] - w[k] * (2 * m[k] + m[k + 1]) / 6, m[k] / 2, (m[k + 1] - m[k]) / (6 * w[k])}});
  pieces_.insert(pieces_.begin(), {at[0], {value[0], pieces_.front().c[1], 0, 0}});
  const double last = s[n - 2] + w[n - 2] * (m[n - 2] + 2 * m[n - 1]) / 6;
  pieces_.push_back({at[n - 1], {value[n - 1], last, 0, 0}});
}

}  // namespace gnomon::mechanism
