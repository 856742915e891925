#include "kernels/discrete_gradient/general_quotient.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

GeneralQuotient::GeneralQuotient(const System& system, Weight weight, bool active, Index unknowns)
    : mass_(&system.mass()), weight_(weight), active_(active), n_(system.n()) {
  for (Vector* v : {&work_, &solved_}) v->setZero(n_);
  for (Vector* v : {&left_, &right_}) v->setZero(active ? 2 * n_ : 0);
  gradient_.setZero(active ? unknowns : 0);
}

void GeneralQuotient::begin(const Vector& q0, const StepScales& scales, double h) {
  h_ = h;
  n_min_ =
      thresholds::negligible_increment * scales.length2(q0) / (mass_weight() ? 1 : mass_->diagonal_entries().mean());
}

void GeneralQuotient::add_tangent(const StepPoint<double>& direction, double s, VectorRefOf<Dual1> f) const {
  for (Index j = 0; j < n_; ++j) {
    f[j].grad[0] -= s * (mass_weight() ? direction.dp[j] * (h_ * h_) : direction.mdp[j]);
    f[n_ + j].grad[0] += s * (mass_weight() ? direction.mdq[j] : direction.dq[j]) * h_;
  }
}

void GeneralQuotient::add_column_at_rest(Index j, double s, const SparsityPattern& pattern, VectorRef values) const {
  if (!mass_weight()) {
    values[pattern.find(n_ + j, j)] += s * h_;
    return;
  }
  const SparsityPattern& m = mass_->pattern();
  for (Index k = m.offsets[j]; k < m.offsets[j + 1]; ++k)
    values[pattern.find(n_ + m.indices[k], j)] += s * h_ * mass_->values()[k];
}

double GeneralQuotient::floor(const ConstVectorRef& x, double noise, double scale) const {
  const double dq2 = x.head(n_).squaredNorm(), dp2 = x.segment(n_, n_).squaredNorm();
  const double mass = mass_->diagonal_entries().mean(), root = std::sqrt(mass);
  const double norm = mass_weight() ? mass * dq2 + h_ * h_ * dp2 / mass : dq2 + dp2;
  const double r = (mass_weight() ? h_ * h_ : mass) * std::sqrt(dp2) / root;
  const double w = std::abs(h_) * (mass_weight() ? mass : 1) * std::sqrt(dq2) / root;
  return norm > n_min_ ? noise * std::max(r, w) / (norm * scale) : 0;
}

void GeneralQuotient::mass_times(const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  by_parts(v, out, [this] { mass_->apply(work_, solved_); });
}

void GeneralQuotient::mass_solve(const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  by_parts(v, out, [this] { mass_->solve(work_, solved_); });
}

void GeneralQuotient::mass_times(const VectorOf<Extended>& v, VectorOf<Extended>& out) {
  work_ = v.cast<double>();
  mass_->apply(work_, solved_);
  out = solved_.cast<Extended>();
}

void GeneralQuotient::mass_solve(const VectorOf<Extended>& v, VectorOf<Extended>& out) {
  work_ = v.cast<double>();
  mass_->solve(work_, solved_);
  out = solved_.cast<Extended>();
}

void GeneralQuotient::add_mass_row(Index j, Index column, double factor, const SparsityPattern& pattern,
                                   VectorRef values) const {
  const SparsityPattern& m = mass_->pattern();
  for (Index k = m.offsets[j]; k < m.offsets[j + 1]; ++k)
    values[pattern.find(j, column + m.indices[k])] += factor * mass_->values()[k];
}

void GeneralQuotient::add_weight_row(Index j, double factor, const SparsityPattern& pattern, VectorRef values) const {
  if (!mass_weight()) {
    values[pattern.find(n_ + j, j)] += factor;
    return;
  }
  const SparsityPattern& m = mass_->pattern();
  for (Index k = m.offsets[j]; k < m.offsets[j + 1]; ++k)
    values[pattern.find(n_ + j, m.indices[k])] += factor * mass_->values()[k];
}

}  // namespace gnomon::kernels
