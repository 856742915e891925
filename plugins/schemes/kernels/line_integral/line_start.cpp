#include "kernels/line_integral/line_start.hpp"

#include <algorithm>

namespace gnomon::kernels {

LineIntegralStart::LineIntegralStart(Index n, Index m, Index s, Index r, int multiplier_power)
    : n_(n), m_(m), s_(s), r_(m > 0 ? r : 0), multiplier_power_(multiplier_power), table_(s, s) {
  stretch_.setZero(s, s);
  coarse_.setZero(s * n);
}

bool LineIntegralStart::operator()(const State& z0, double h, VectorRef x) {
  const History& history = z0.history;
  if (history.count() == 0 || z0.last_h == 0) return false;
  const auto u = x.head(s_ * n_);
  if (z0.last_h == h) {
    if (history.count() < 2) return false;
    go_on(history, history.count(), x);
    go_on(history, history.count() - 1, coarse_);
  } else {
    stretch(history.at(0).data(), h / z0.last_h, x);
  }
  constexpr double largest = .1;
  return (u - coarse_).lpNorm<Eigen::Infinity>() <= largest * u.lpNorm<Eigen::Infinity>();
}

void LineIntegralStart::go_on(const History& history, Index count, VectorRef out) {
  out.setZero();
  double binomial = 1;
  for (Index age = 0; age < count; ++age) {
    binomial *= static_cast<double>(count - age) / static_cast<double>(age + 1);
    out += (age % 2 == 0 ? binomial : -binomial) * history.at(age).head(out.size());
  }
}

void LineIntegralStart::stretch(const double* last, double theta, VectorRef x) {
  stretch_.setZero();
  for (Index l = 0; l < table_.k; ++l)
    for (Index i = 0; i < s_; ++i) {
      const double there = static_cast<double>(shifted_legendre(i, 1 + theta * table_.c[l])) * table_.b[l];
      for (Index j = 0; j < s_; ++j) stretch_(j, i) += table_.P(l, j) * there;
    }
  const Index u = s_ * n_, lambda = r_ * m_;
  combine(last, s_, s_ - 1, n_, 1, coarse_.data());
  combine(last, s_, s_, n_, 1, x.data());
  combine(last + u, s_, s_, n_, theta, x.data() + u);
  combine(last + 2 * u, r_, r_, m_, multiplier_power_ == 0 ? 1 : theta, x.data() + 2 * u);
  combine(last + 2 * u + lambda, r_, r_, m_, 1, x.data() + 2 * u + lambda);
}

void LineIntegralStart::combine(const double* from, Index count, Index taken, Index size, double factor,
                                double* out) const {
  std::fill_n(out, count * size, 0.0);
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i < taken; ++i)
      for (Index c = 0; c < size; ++c) out[j * size + c] += factor * stretch_(j, i) * from[i * size + c];
}

}  // namespace gnomon::kernels
