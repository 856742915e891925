#include "gnomon/formula/quadratic_function.hpp"

#include <algorithm>
#include <utility>

namespace gnomon {

bool QuadraticFunction::fits(const Tape& tape) {
  if (tape.block_sizes[1] != 0 || tape.block_sizes[2] != 0 || !tape.switches.empty()) return false;
  const Tape::Degree degree = tape.degree();
  return degree.polynomial() && degree.total <= 2 && degree.timed <= 0;
}

QuadraticFunction::QuadraticFunction(Tape recorded) : TapeFunction(std::move(recorded), ValuesOnly()) {
  // At x = 0, where no rounding enters the coefficients: b is the Jacobian, and column j of every H_i its derivative
  // along e_j. Columns of one colour of the common pattern share no row, and are found together.
  const Index n = sizes_[0], entries = patterns_[0].nonzeros();
  const Vector origin = Vector::Zero(n);
  const Blocks x{origin.data(), nullptr, nullptr};
  linear_.resize(static_cast<std::size_t>(entries));
  TapeFunction::jacobian(0, 0, x, linear_.data());

  struct Found {
    Index entry, column;
    double factor;
  };
  std::vector<Found> found;
  const Colouring colours = colour_columns(hessian_pattern_);
  Vector direction(n), slopes(entries), column_of(n);
  for (const auto& columns : colours.columns) {
    direction.setZero();
    column_of.setConstant(-1);
    for (const Index j : columns) direction[j] = 1;
    for (Index i = 0; i < n; ++i)
      for (Index k = hessian_pattern_.offsets[i]; k < hessian_pattern_.offsets[i + 1]; ++k)
        if (direction[hessian_pattern_.indices[k]] != 0)
          column_of[i] = static_cast<double>(hessian_pattern_.indices[k]);
    TapeFunction::jacobian_derivative(0, x, direction.data(), slopes.data());
    for (Index k = 0; k < entries; ++k)
      if (slopes[k] != 0) found.push_back({k, static_cast<Index>(column_of[patterns_[0].indices[k]]), slopes[k]});
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return std::pair(a.entry, a.column) < std::pair(b.entry, b.column); });
  std::vector<std::pair<Index, Index>> pairs;
  pairs.reserve(found.size());
  for (const Found& f : found) pairs.emplace_back(patterns_[0].indices[f.entry], f.column);
  hessian_pattern_ = SparsityPattern::from_entries(n, n, pairs);
  starts_.assign(static_cast<std::size_t>(entries) + 1, 0);
  couplings_.reserve(found.size());
  for (const Found& f : found) {
    ++starts_[static_cast<std::size_t>(f.entry) + 1];
    couplings_.push_back({f.column, f.factor, hessian_pattern_.find(patterns_[0].indices[f.entry], f.column)});
  }
  for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
}

bool QuadraticFunction::extended_jacobian(double, const Blocks& x, const Blocks& tail, long double* values) const {
  for (std::size_t k = 0; k < linear_.size(); ++k) {
    long double sum = linear_[k];
    for (Index c = starts_[k]; c < starts_[k + 1]; ++c) {
      const Coupling& at = couplings_[static_cast<std::size_t>(c)];
      sum += at.factor * (static_cast<long double>(x[0][at.column]) + tail[0][at.column]);
    }
    values[k] = sum;
  }
  return true;
}

void QuadraticFunction::jacobian(std::size_t block, double, const Blocks& x, double* values) const {
  if (block != 0) return;
  const Index entries = static_cast<Index>(linear_.size());
  for (Index k = 0; k < entries; ++k) values[k] = linear_[static_cast<std::size_t>(k)] + coupled(k, x[0]);
}

void QuadraticFunction::jacobian_derivative(double, const Blocks&, const double* v, double* values) const {
  const Index entries = static_cast<Index>(linear_.size());
  for (Index k = 0; k < entries; ++k) values[k] = coupled(k, v);
}

void QuadraticFunction::third(double, const Blocks&, const double*, const double*, double* values) const {
  std::fill_n(values, patterns_[0].nonzeros(), 0.0);
}

void QuadraticFunction::rate_jacobian(double, const Blocks&, double* values) const {
  std::fill_n(values, patterns_[0].nonzeros(), 0.0);
}

void QuadraticFunction::along(double t, const Blocks& x, const double* v, double* first, double* second) const {
  if (tape().uses_time) {
    TapeFunction::along(t, x, v, first, second);
    return;
  }
  const SparsityPattern& pattern = patterns_[0];
  for (Index i = 0; i < pattern.rows; ++i) {
    double slope = 0, curvature = 0;
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      const double vj = v[pattern.indices[k]];
      if (first != nullptr) slope += (linear_[static_cast<std::size_t>(k)] + coupled(k, x[0])) * vj;
      if (second != nullptr) curvature += coupled(k, v) * vj;
    }
    if (first != nullptr) first[i] = slope;
    if (second != nullptr) second[i] = curvature;
  }
}

void QuadraticFunction::add_hessian(double, const Blocks&, const double* mu, const Index* places,
                                    double* values) const {
  const SparsityPattern& pattern = patterns_[0];
  const Coupling* at = couplings_.data();
  for (Index i = 0; i < pattern.rows; ++i)
    for (const Coupling* const end = couplings_.data() + starts_[static_cast<std::size_t>(pattern.offsets[i + 1])];
         at < end; ++at)
      values[places[at->place]] += mu[i] * at->factor;
}

void QuadraticFunction::add_rate_hessian(double, const Blocks&, const double*, const Index*, double*) const {}

void QuadraticFunction::gradient(double, const Blocks& x, const Results& out) const {
  std::fill_n(out[0], sizes_[0], 0.0);
  const SparsityPattern& pattern = patterns_[0];
  for (Index k = 0; k < pattern.offsets[1]; ++k)
    out[0][pattern.indices[k]] = linear_[static_cast<std::size_t>(k)] + coupled(k, x[0]);
}

void QuadraticFunction::third_product(double, const Blocks&, const Blocks&, const Blocks&, const Results& out) const {
  std::fill_n(out[0], sizes_[0], 0.0);
}

void QuadraticFunction::product(double, const Blocks&, const double* mu, const Blocks& w, const Results& out) const {
  std::fill_n(out[0], sizes_[0], 0.0);
  const SparsityPattern& pattern = patterns_[0];
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      out[0][pattern.indices[k]] += mu[i] * coupled(k, w[0]);
}

std::unique_ptr<Function> make_function(Tape tape, TapeFunction::Patterns patterns) {
  if (patterns == TapeFunction::Patterns::all && QuadraticFunction::fits(tape))
    return std::make_unique<QuadraticFunction>(std::move(tape));
  return std::make_unique<TapeFunction>(std::move(tape), patterns);
}

}  // namespace gnomon
