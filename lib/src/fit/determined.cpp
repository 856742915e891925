#include "fit/determined.hpp"

#include <cmath>
#include <limits>

namespace gnomon {

Determined determine(const FittedMotion& motion, const Found& found) {
  Determined out;
  const auto n = static_cast<Index>(motion.free().size());
  for (Index j = 0; j < n; ++j)
    if (found.at_bound[static_cast<std::size_t>(j)] == 0) out.moves.push_back(j);
  const auto count = static_cast<Index>(out.moves.size());
  out.freedom = Vector::Zero(found.sigma.size());
  out.jacobian.resize(found.y.size(), count);
  double squares = 0;  // of what was measured, in units of sigma
  for (Index i = 0; i < found.y.size(); ++i) {
    const FittedMotion::Place& place = motion.places()[static_cast<std::size_t>(i)];
    const double sigma = found.sigma[static_cast<Index>(place.column)];
    squares += std::pow(std::max(std::abs(place.measured), std::abs(found.y[i])) / sigma, 2);
    out.freedom[static_cast<Index>(place.column)] += 1;
    for (Index k = 0; k < count; ++k) out.jacobian(i, k) = found.by(i, out.moves[static_cast<std::size_t>(k)]) / sigma;
  }
  if (count == 0) return out;
  Vector sizes(count);
  for (Index k = 0; k < count; ++k)
    sizes[k] = motion.free()[static_cast<std::size_t>(out.moves[static_cast<std::size_t>(k)])].size;
  out.identified = identify(out.jacobian, sizes, std::sqrt(squares));
  for (Index i = 0; i < found.y.size(); ++i)
    out.freedom[static_cast<Index>(motion.places()[static_cast<std::size_t>(i)].column)] -= out.identified.leverages[i];
  return out;
}

Widths widths_of(const Determined& determined, const FittedMotion& motion, const Matrix& L,
                 const std::vector<bool>& sigma_given) {
  const Matrix parts = determined.jacobian * determined.identified.covariance * L.transpose();
  Widths out;
  out.growth = Vector::Ones(L.rows());
  out.factor.resize(L.rows());
  for (Index u = 0; u < L.rows(); ++u) {
    Vector a = Vector::Zero(determined.freedom.size());
    for (Index i = 0; i < parts.rows(); ++i)
      a[static_cast<Index>(motion.places()[static_cast<std::size_t>(i)].column)] += parts(i, u) * parts(i, u);
    const double all = a.sum();
    double spread = 0;  // sum of w_c^2/f_c
    for (Index c = 0; c < a.size(); ++c) {
      if (sigma_given[static_cast<std::size_t>(c)] || a[c] == 0) continue;
      const double w = a[c] / all, freedom = determined.freedom[c];
      out.growth[u] += 4 * w * (1 - w) / freedom;
      spread += freedom > 0 ? w * w / freedom : std::numeric_limits<double>::infinity();
    }
    out.factor[u] = interval_factor(1 / spread);
  }
  return out;
}

}  // namespace gnomon
