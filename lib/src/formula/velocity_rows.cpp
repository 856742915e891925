#include "gnomon/formula/velocity_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/recorded.hpp"

namespace gnomon {

namespace {

/// (q, v), a direction, and values of Psi's derivatives. A call has them for itself: Psi calls nothing of this file.
template <class Value>
struct Scratch {
  std::vector<double> x, along, more;
  std::vector<Value> values;
};
template <class Value>
Scratch<Value>& scratch() {
  thread_local Scratch<Value> one;
  return one;
}

/// out = (first, second), each of n entries, zeros for null.
Function::Blocks joined(const double* first, const double* second, Index n, std::vector<double>& out) {
  const auto size = static_cast<std::size_t>(n);
  out.assign(2 * size, 0);
  if (first) std::copy_n(first, size, out.begin());
  if (second) std::copy_n(second, size, out.begin() + n);
  return {out.data(), nullptr, nullptr};
}

template <class Value>
Value* sized(std::vector<Value>& values, Index size) {
  values.assign(static_cast<std::size_t>(size), 0);
  return values.data();
}

}  // namespace

VelocityRows::VelocityRows(std::unique_ptr<const Function> positions, std::unique_ptr<const Function> velocities,
                           const std::vector<std::string>& names, const std::string& what)
    : positions_(std::move(positions)),
      velocities_(std::move(velocities)),
      n_(positions_->block_sizes()[0]),
      rows_(positions_->outputs()) {
  outputs_ = rows_ + velocities_->outputs();
  sizes_ = positions_->block_sizes();
  const SparsityPattern &g = positions_->pattern(), &psi = velocities_->pattern();
  PatternBuilder jacobian(outputs_, n_);
  jacobian.add(g, 0, 0);
  for (Index i = 0; i < psi.rows; ++i)
    for (Index k = psi.offsets[i]; k < psi.offsets[i + 1]; ++k) jacobian.add(rows_ + i, psi.indices[k] % n_);
  patterns_[0] = jacobian.build();
  for (Index i = 0; i < psi.rows; ++i)
    for (Index k = psi.offsets[i]; k < psi.offsets[i + 1]; ++k) {
      const Index j = psi.indices[k];
      (j < n_ ? by_q_ : by_v_).push_back({k, patterns_[0].find(rows_ + i, j % n_)});
    }

  const SparsityPattern &g_hessian = positions_->hessian_pattern(), &psi_hessian = velocities_->hessian_pattern();
  PatternBuilder hessian(n_, n_);
  hessian.add(g_hessian, 0, 0);
  for (Index i = 0; i < psi_hessian.rows; ++i)
    for (Index k = psi_hessian.offsets[i]; k < psi_hessian.offsets[i + 1]; ++k)
      hessian.add(i % n_, psi_hessian.indices[k] % n_);
  hessian_pattern_ = hessian.build();
  for (Index i = 0; i < psi_hessian.rows; ++i)
    for (Index k = psi_hessian.offsets[i]; k < psi_hessian.offsets[i + 1]; ++k)
      if (const Index j = psi_hessian.indices[k]; j < n_)
        (i < n_ ? bending_of_drive_ : bending_).push_back({k, hessian_pattern_.find(i % n_, j)});
  for (Index i = 0; i < g_hessian.rows; ++i)
    for (Index k = g_hessian.offsets[i]; k < g_hessian.offsets[i + 1]; ++k)
      bending_of_g_.push_back({k, hessian_pattern_.find(i, g_hessian.indices[k])});
  in_order_.resize(static_cast<std::size_t>(std::max(g_hessian.nonzeros(), psi_hessian.nonzeros())));
  std::iota(in_order_.begin(), in_order_.end(), Index(0));
  check_linear(names, what);
  const RecordingPoint at = ordinary_point(2 * n_);
  std::vector<double> drive(static_cast<std::size_t>(count())), rate(psi.indices.size());
  velocities_->value(at.t, joined(at.x.data(), nullptr, n_, scratch<double>().x), drive.data());
  velocities_->rate_jacobian(at.t, {at.x.data(), nullptr, nullptr}, rate.data());
  const auto vanishes = [](double x) { return x == 0; };
  drives_ = !std::all_of(drive.begin(), drive.end(), vanishes) || !std::all_of(rate.begin(), rate.end(), vanishes);
}

void VelocityRows::check_linear(const std::vector<std::string>& names, const std::string& what) const {
  const RecordingPoint at = ordinary_point(3 * n_);
  const SparsityPattern& psi = velocities_->pattern();
  const Blocks x{at.x.data(), nullptr, nullptr};
  std::vector<double> direction(static_cast<std::size_t>(2 * n_)), values(psi.indices.size());
  std::copy_n(at.x.data() + 2 * n_, n_, direction.begin() + n_);
  velocities_->jacobian_derivative(at.t, x, direction.data(), values.data());
  for (Index i = 0; i < psi.rows; ++i)
    for (Index k = psi.offsets[i]; k < psi.offsets[i + 1]; ++k)
      if (const double bend = values[static_cast<std::size_t>(k)];
          psi.indices[k] >= n_ && bend != 0 && std::isfinite(bend))
        throw Error(ErrorCode::bad_value, what + "constraint \"" + names[static_cast<std::size_t>(i)] +
                                              "\" is not linear in the velocities, expected A(q,t) v + b(q,t)");
}

template <class Value>
void VelocityRows::put(const std::vector<Entry>& entries, const Value* from, Value* values, bool add) const {
  if (!add) std::fill(values + patterns_[0].offsets[rows_], values + patterns_[0].nonzeros(), Value(0));
  for (const Entry& entry : entries) values[entry.to] += from[entry.from];
}

void VelocityRows::turn(double t, const Blocks& x, const double* v, double* values) const {
  auto& s = scratch<double>();
  positions_->jacobian_derivative(t, x, v, values);
  double* const more = sized(s.more, positions_->pattern().nonzeros());
  positions_->rate_jacobian(t, x, more);
  for (Index k = 0; k < positions_->pattern().nonzeros(); ++k) values[k] += more[k];
  const Blocks at = joined(x[0], nullptr, n_, s.x);
  double* const psi = sized(s.values, velocities_->pattern().nonzeros());
  velocities_->jacobian_derivative(t, at, joined(v, nullptr, n_, s.along)[0], psi);
  put(by_v_, psi, values);
  velocities_->rate_jacobian(t, at, psi);
  put(by_v_, psi, values, true);
}

void VelocityRows::value(double t, const Blocks& x, double* out) const {
  positions_->value(t, x, out);
  std::fill(out + rows_, out + outputs_, 0.0);
}
void VelocityRows::extended(double t, const Blocks& x, const Blocks& tail, long double* out) const {
  positions_->extended(t, x, tail, out);
  std::fill(out + rows_, out + outputs_, 0.0L);
}
void VelocityRows::compensated(double t, const Blocks& x, const Blocks& tail, double* out) const {
  positions_->compensated(t, x, tail, out);
  std::fill(out + rows_, out + outputs_, 0.0);
}

void VelocityRows::jacobian(std::size_t block, double t, const Blocks& x, double* values) const {
  auto& s = scratch<double>();
  positions_->jacobian(block, t, x, values);
  double* const psi = sized(s.values, velocities_->pattern().nonzeros());
  velocities_->jacobian(0, t, joined(x[0], nullptr, n_, s.x), psi);
  put(by_v_, psi, values);
}

bool VelocityRows::extended_jacobian(double t, const Blocks& x, const Blocks& tail, long double* values) const {
  auto& s = scratch<long double>();
  if (!positions_->extended_jacobian(t, x, tail, values)) return false;
  long double* const psi = sized(s.values, velocities_->pattern().nonzeros());
  if (!velocities_->extended_jacobian(t, joined(x[0], nullptr, n_, s.x), joined(tail[0], nullptr, n_, s.along), psi))
    return false;
  put(by_v_, psi, values);
  return true;
}

void VelocityRows::jacobian_derivative(double t, const Blocks& x, const double* v, double* values) const {
  auto& s = scratch<double>();
  positions_->jacobian_derivative(t, x, v, values);
  double* const psi = sized(s.values, velocities_->pattern().nonzeros());
  velocities_->jacobian_derivative(t, joined(x[0], nullptr, n_, s.x), joined(nullptr, v, n_, s.along)[0], psi);
  put(by_q_, psi, values);
}

void VelocityRows::third(double t, const Blocks& x, const double* v, const double* w, double* values) const {
  auto& s = scratch<double>();
  positions_->third(t, x, v, w, values);
  double* const psi = sized(s.values, velocities_->pattern().nonzeros());
  velocities_->third(t, joined(x[0], nullptr, n_, s.x), joined(nullptr, v, n_, s.along)[0],
                     joined(w, nullptr, n_, s.more)[0], psi);
  put(by_q_, psi, values);
}

void VelocityRows::rate_jacobian(double t, const Blocks& x, double* values) const {
  auto& s = scratch<double>();
  positions_->rate_jacobian(t, x, values);
  double* const psi = sized(s.values, velocities_->pattern().nonzeros());
  velocities_->jacobian(0, t, joined(x[0], nullptr, n_, s.x), psi);
  put(by_q_, psi, values);
}

void VelocityRows::along(double t, const Blocks& x, const double* v, double* first, double* second) const {
  auto& s = scratch<double>();
  positions_->along(t, x, v, first, second);
  const Blocks at = joined(x[0], v, n_, s.x);
  if (first) velocities_->value(t, at, first + rows_);
  if (second) velocities_->along(t, at, joined(v, nullptr, n_, s.along)[0], second + rows_, nullptr);
}

template <class Fill>
void VelocityRows::add_entries(const std::vector<Entry>& entries, Index count, const Fill& fill, const Index* places,
                               double* values) const {
  double* const all = sized(scratch<double>().values, count);
  fill(all);
  for (const Entry& entry : entries) values[places[entry.to]] += all[entry.from];
}

void VelocityRows::add_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values) const {
  add_entries(
      bending_of_g_, positions_->hessian_pattern().nonzeros(),
      [&](double* out) { positions_->add_hessian(t, x, mu, in_order_.data(), out); }, places, values);
  const Blocks at = joined(x[0], nullptr, n_, scratch<double>().x);
  add_entries(
      bending_, velocities_->hessian_pattern().nonzeros(),
      [&](double* out) { velocities_->add_hessian(t, at, mu + rows_, in_order_.data(), out); }, places, values);
}

void VelocityRows::add_rate_hessian(double t, const Blocks& x, const double* mu, const Index* places,
                                    double* values) const {
  add_entries(
      bending_of_g_, positions_->hessian_pattern().nonzeros(),
      [&](double* out) { positions_->add_rate_hessian(t, x, mu, in_order_.data(), out); }, places, values);
  const Blocks at = joined(x[0], nullptr, n_, scratch<double>().x);
  add_entries(
      bending_of_drive_, velocities_->hessian_pattern().nonzeros(),
      [&](double* out) { velocities_->add_hessian(t, at, mu + rows_, in_order_.data(), out); }, places, values);
}

/// The rows of g have theirs. Those of A v + b have Hess (mu.A v) by q, which is linear in v: the Hessian of
/// mu.(A v + b) less that of mu.b.
void VelocityRows::add_hessian_derivative(double t, const Blocks& x, const double* mu, const double* v,
                                          const Index* places, double* values) const {
  add_entries(
      bending_of_g_, positions_->hessian_pattern().nonzeros(),
      [&](double* out) { positions_->add_hessian_derivative(t, x, mu, v, in_order_.data(), out); }, places, values);
  for (const bool moves : {true, false}) {
    const Blocks at = joined(x[0], moves ? v : nullptr, n_, scratch<double>().x);
    auto& weights = scratch<double>().more;
    weights.assign(mu + rows_, mu + outputs_);
    for (double& weight : weights) weight = moves ? weight : -weight;
    add_entries(
        bending_of_drive_, velocities_->hessian_pattern().nonzeros(),
        [&](double* out) { velocities_->add_hessian(t, at, weights.data(), in_order_.data(), out); }, places, values);
  }
}

void VelocityRows::product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const {
  auto& s = scratch<double>();
  positions_->product(t, x, mu, w, out);
  double* const psi = sized(s.values, 2 * n_);
  velocities_->product(t, joined(x[0], nullptr, n_, s.x), mu + rows_, joined(w[0], nullptr, n_, s.along),
                       {psi, nullptr, nullptr});
  for (Index j = 0; j < n_; ++j) out[0][j] += psi[n_ + j];
}

void VelocityRows::gradient(double t, const Blocks& x, const Results& out) const {
  positions_->gradient(t, x, out);
}
void VelocityRows::third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u,
                                 const Results& out) const {
  positions_->third_product(t, x, w, u, out);
}

}  // namespace gnomon
