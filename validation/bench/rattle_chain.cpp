#include "rattle_chain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gnomon::bench {

RattleChain::RattleChain(LinkChain chain, double h)
    : chain_(std::move(chain)),
      h_(h),
      fall_(0, 0, 0.5 * h * h * chain_.gravity),
      rows_(chain_.links.size()),
      delta_(chain_.links.size()) {
  // A link is about h speed from its place; mu d is what moves it back. Newton is quadratic: 1e-7 leaves rounding.
  tolerance_ = 1e-7 * h * chain_.speed() / std::sqrt(chain_.links.front().l2);
  for (auto& past : past_) past.assign(rows_.size(), 0.0);
}

bool RattleChain::step() {
  predict();
  for (int iteration = 0;; ++iteration) {
    if (iteration == 50) return false;
    ++iterations_;
    const double correction = newton();
    if (correction <= tolerance_) break;
    if (!std::isfinite(correction)) return false;
  }
  positions();
  velocities();
  ++steps_;
  return true;
}

void RattleChain::predict() {
  const auto past = [this](long age) { return past_[static_cast<std::size_t>((steps_ - age) & 3)].data(); };
  const double *a = past(1), *b = past(3), *c = past(4);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const LinkChain::Link& link = chain_.links[k];
    rows_[k].g0 = 0.5 * (link.d.squaredNorm() - link.l2);
    if (steps_ >= 4) rows_[k].mu = 2 * a[k] - 2 * b[k] + c[k];
  }
}

Vector3 RattleChain::increment(std::size_t k) const {
  const auto pull = [this](std::size_t j) -> Vector3 { return rows_[j].mu * chain_.links[j].d; };
  Vector3 delta = h_ * chain_.links[k].u - (k == 0 ? 1 : 2) * pull(k);
  if (k == 0) delta -= fall_;
  if (k > 0) delta += pull(k - 1);
  if (k + 1 < rows_.size()) delta += pull(k + 1);
  return delta;
}

/// One Newton correction of mu; its largest entry.
double RattleChain::newton() {
  const std::size_t n = rows_.size();
  double upper = 0, right = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const auto d = [this](std::size_t j) -> const Vector3& { return chain_.links[j].d; };
    const Vector3 delta = increment(k), y = d(k) + delta;
    const double g = rows_[k].g0 + (d(k) + 0.5 * delta).dot(delta);
    const double lower = k > 0 ? y.dot(d(k - 1)) : 0;
    const double pivot = 1 / ((k == 0 ? -1 : -2) * y.dot(d(k)) - lower * upper);
    upper = k + 1 < n ? y.dot(d(k + 1)) * pivot : 0;
    right = (-g - lower * right) * pivot;
    rows_[k].upper = upper;
    rows_[k].right = right;
  }
  double correction = 0, largest = 0;
  for (std::size_t k = n; k-- > 0;) {
    correction = rows_[k].right - rows_[k].upper * correction;
    rows_[k].mu += correction;
    largest = std::max(largest, std::abs(correction));
  }
  return largest;
}

void RattleChain::positions() {
  for (std::size_t k = 0; k < rows_.size(); ++k) delta_[k] = increment(k);
  double* now = past_[static_cast<std::size_t>(steps_ & 3)].data();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    chain_.links[k].d += delta_[k];
    now[k] = rows_[k].mu;
  }
}

void RattleChain::velocities() {
  const std::size_t n = rows_.size();
  const auto y = [this](std::size_t j) -> const Vector3& { return chain_.links[j].d; };
  delta_[0] -= fall_;
  double upper = 0, right = 0, lower = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = 1 / ((k == 0 ? 1 : 2) * y(k).squaredNorm() - lower * upper);
    const double next = k + 1 < n ? -y(k).dot(y(k + 1)) : 0;
    right = (y(k).dot(delta_[k]) - lower * right) * pivot;
    upper = next * pivot;
    lower = next;
    rows_[k].upper = upper;
    rows_[k].right = right;
  }
  double nu = 0;
  Vector3 pull_after = Vector3::Zero();  // nu y of link k+1
  for (std::size_t k = n; k-- > 0;) {
    nu = rows_[k].right - rows_[k].upper * nu;
    const Vector3 pull = nu * y(k);
    delta_[k] += pull_after - (k == 0 ? 1 : 2) * pull;
    if (k + 1 < n) delta_[k + 1] += pull;
    pull_after = pull;
  }
  for (std::size_t k = 0; k < n; ++k) chain_.links[k].u = delta_[k] / h_;
}

}  // namespace gnomon::bench
