#include "energy_momentum_chain.hpp"

#include <cmath>
#include <utility>

namespace gnomon::bench {

EnergyMomentumChain::EnergyMomentumChain(LinkChain chain, double h)
    : chain_(std::move(chain)),
      h_(h),
      delta_scale_(h * chain_.speed()),
      mu_scale_(delta_scale_ / std::sqrt(chain_.links.front().l2)),
      fall_(0, 0, 0.5 * h * h * chain_.gravity),
      z_(chain_.links.size()),
      eliminated_(chain_.links.size()),
      g0_(chain_.links.size()) {
  for (auto& past : past_) past.resize(z_.size());
  for (auto& z : z_) z.mu = 0;
}

bool EnergyMomentumChain::step() {
  predict();
  for (int iteration = 0;; ++iteration) {
    if (iteration == 50) return false;
    ++iterations_;
    eliminate();
    if (substitute()) break;
  }
  advance();
  ++steps_;
  return true;
}

void EnergyMomentumChain::predict() {
  const auto past = [this](long age) { return past_[static_cast<std::size_t>((steps_ - age) & 3)].data(); };
  const Unknown *a = past(1), *b = past(3), *c = past(4);
  for (std::size_t k = 0; k < z_.size(); ++k) {
    const LinkChain::Link& link = chain_.links[k];
    g0_[k] = 0.5 * (link.d.squaredNorm() - link.l2);
    if (steps_ >= 4) {
      z_[k].delta = 2 * a[k].delta - 2 * b[k].delta + c[k].delta;
      z_[k].mu = 2 * a[k].mu - 2 * b[k].mu + c[k].mu;
    } else {
      z_[k].delta = h_ * link.u;
    }
  }
}

void EnergyMomentumChain::eliminate() {
  const std::size_t n = z_.size();
  Eigen::Matrix3d s_matrix = Eigen::Matrix3d::Zero();
  Vector3 s = Vector3::Zero(), pull_before = Vector3::Zero(), x = middle(0), pull = z_[0].mu * x;
  for (std::size_t k = 0; k < n; ++k) {
    const LinkChain::Link& link = chain_.links[k];
    const double c = k == 0 ? 1 : 2, mu = z_[k].mu;
    const Vector3& delta = z_[k].delta;
    const Vector3 x_after = k + 1 < n ? middle(k + 1) : Vector3::Zero();
    const Vector3 pull_after = k + 1 < n ? Vector3(z_[k + 1].mu * x_after) : Vector3::Zero();
    Vector3 residual = delta - h_ * link.u + c * pull - pull_before - pull_after;
    if (k == 0) residual += fall_;
    const double g = g0_[k] + x.dot(delta);

    const Vector3 y = link.d + delta, r = s - residual;
    const Eigen::Matrix3d b = c * Eigen::Matrix3d::Identity() - s_matrix;
    Eliminated& e = eliminated_[k];
    e.inverse = (Eigen::Matrix3d::Identity() + 0.5 * mu * b).inverse();
    e.moved = e.inverse * r;
    e.along = e.inverse * (b * x);
    const double scale = 1 / y.dot(e.along);
    e.row = scale * (e.inverse.transpose() * y);
    e.shift = e.row.dot(r) + scale * g;
    const Vector3 direction = x - 0.5 * mu * e.along;
    s_matrix = 0.5 * mu * e.inverse + direction * e.row.transpose();
    s = 0.5 * mu * e.moved + direction * e.shift;

    pull_before = pull;
    pull = pull_after;
    x = x_after;
  }
}

/// Corrects delta and mu; whether the correction is so small that the next one would be rounding.
bool EnergyMomentumChain::substitute() {
  double delta_largest = 0, mu_largest = 0;
  Vector3 w = Vector3::Zero();
  for (std::size_t k = z_.size(); k-- > 0;) {
    const Eliminated& e = eliminated_[k];
    const Vector3 x = middle(k);
    const double dmu = e.row.dot(w) + e.shift;
    const Vector3 ddelta = e.inverse * w + e.moved - e.along * dmu;
    w = 0.5 * z_[k].mu * ddelta + x * dmu;
    z_[k].delta += ddelta;
    z_[k].mu += dmu;
    delta_largest = std::max(delta_largest, ddelta.lpNorm<Eigen::Infinity>());
    mu_largest = std::max(mu_largest, std::abs(dmu));
  }
  return delta_largest <= 1e-7 * delta_scale_ && mu_largest <= 1e-7 * mu_scale_;
}

/// The increments of u from the forces, those of d from R = 0: both equations then hold to rounding.
void EnergyMomentumChain::advance() {
  const std::size_t n = z_.size();
  Vector3 pull_before = Vector3::Zero(), pull = z_[0].mu * middle(0);
  Unknown* now = past_[static_cast<std::size_t>(steps_ & 3)].data();
  for (std::size_t k = 0; k < n; ++k) {
    const Vector3 pull_after = k + 1 < n ? Vector3(z_[k + 1].mu * middle(k + 1)) : Vector3::Zero();
    Vector3 kick = pull_before + pull_after - (k == 0 ? 1 : 2) * pull;
    if (k == 0) kick -= fall_;
    LinkChain::Link& link = chain_.links[k];
    now[k] = z_[k];
    link.d += h_ * link.u + kick;
    link.u += 2 / h_ * kick;
    pull_before = pull;
    pull = pull_after;
  }
}

}  // namespace gnomon::bench
