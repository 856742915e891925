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
  wide_linear_.resize(static_cast<std::size_t>(entries));
  TapeFunction::extended_jacobian(0, x, Blocks{}, wide_linear_.data());
  for (const long double b : wide_linear_) linear_.push_back(static_cast<double>(b));

  struct Found {
    Index entry, column;
    long double factor;
  };
  std::vector<Found> found;
  const Colouring colours = colour_columns(hessian_pattern_);
  Vector direction(n), column_of(n);
  std::vector<long double> slopes(static_cast<std::size_t>(entries));
  for (const auto& columns : colours.columns) {
    direction.setZero();
    column_of.setConstant(-1);
    for (const Index j : columns) direction[j] = 1;
    for (Index i = 0; i < n; ++i)
      for (Index k = hessian_pattern_.offsets[i]; k < hessian_pattern_.offsets[i + 1]; ++k)
        if (direction[hessian_pattern_.indices[k]] != 0)
          column_of[i] = static_cast<double>(hessian_pattern_.indices[k]);
    extended_jacobian_derivative(0, x, direction.data(), slopes.data());
    for (Index k = 0; k < entries; ++k)
      if (const long double slope = slopes[static_cast<std::size_t>(k)]; slope != 0)
        found.push_back({k, static_cast<Index>(column_of[patterns_[0].indices[k]]), slope});
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return std::pair(a.entry, a.column) < std::pair(b.entry, b.column); });
  std::vector<std::pair<Index, Index>> pairs;
  pairs.reserve(found.size());
  for (const Found& f : found) pairs.emplace_back(patterns_[0].indices[f.entry], f.column);
  hessian_pattern_ = SparsityPattern::from_entries(n, n, pairs);
  couplings_.reserve(found.size());
  for (const Found& f : found) {
    const Index j = patterns_[0].indices[f.entry];
    couplings_.push_back({static_cast<int>(f.entry), static_cast<int>(j), static_cast<int>(f.column),
                          static_cast<int>(hessian_pattern_.find(j, f.column)), static_cast<double>(f.factor)});
    wide_factors_.push_back(f.factor);
  }
  for (const Index first : patterns_[0].offsets)
    starts_.push_back(std::lower_bound(couplings_.begin(), couplings_.end(), first,
                                       [](const Coupling& c, Index entry) { return c.entry < entry; }) -
                      couplings_.begin());
  const auto exact = [](const std::vector<long double>& values) {
    return std::all_of(values.begin(), values.end(), [](long double x) { return static_cast<double>(x) == x; });
  };
  if (!exact(wide_linear_) || !exact(wide_factors_)) return;
  wide_linear_ = {};
  wide_factors_ = {};
}

void QuadraticFunction::add_coupled(const double* x, double* values) const {
  for (const Coupling& c : couplings_) values[c.entry] += c.factor * x[c.column];
}

bool QuadraticFunction::extended_jacobian(double, const Blocks& x, const Blocks& tail, long double* values) const {
  const auto sum = [&](const auto& linear, const auto& factor) {
    std::copy(linear.begin(), linear.end(), values);
    for (std::size_t k = 0; k < couplings_.size(); ++k) {
      const Coupling& c = couplings_[k];
      values[c.entry] += factor(k) * (static_cast<long double>(x[0][c.column]) + tail[0][c.column]);
    }
  };
  if (wide_linear_.empty())
    sum(linear_, [&](std::size_t k) { return couplings_[k].factor; });
  else
    sum(wide_linear_, [&](std::size_t k) { return wide_factors_[k]; });
  return true;
}

void QuadraticFunction::jacobian(std::size_t block, double, const Blocks& x, double* values) const {
  if (block != 0) return;
  std::copy(linear_.begin(), linear_.end(), values);
  add_coupled(x[0], values);
}

void QuadraticFunction::jacobian_derivative(double, const Blocks&, const double* v, double* values) const {
  std::fill_n(values, linear_.size(), 0.0);
  add_coupled(v, values);
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
  const Coupling* const couplings = couplings_.data();
  for (Index i = 0; i < pattern.rows; ++i) {
    const Coupling *const begin = couplings + starts_[static_cast<std::size_t>(i)],
                          *const end = couplings + starts_[static_cast<std::size_t>(i) + 1];
    if (first != nullptr) {
      double slope = 0;
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        slope += linear_[static_cast<std::size_t>(k)] * v[pattern.indices[k]];
      for (const Coupling* c = begin; c < end; ++c) slope += c->factor * x[0][c->column] * v[c->j];
      first[i] = slope;
    }
    if (second != nullptr) {
      double curvature = 0;
      for (const Coupling* c = begin; c < end; ++c) curvature += c->factor * v[c->column] * v[c->j];
      second[i] = curvature;
    }
  }
}

void QuadraticFunction::add_hessian(double, const Blocks&, const double* mu, const Index* places,
                                    double* values) const {
  for (Index i = 0; i < patterns_[0].rows; ++i)
    for (Index c = starts_[static_cast<std::size_t>(i)]; c < starts_[static_cast<std::size_t>(i) + 1]; ++c) {
      const Coupling& at = couplings_[static_cast<std::size_t>(c)];
      values[places[at.place]] += mu[i] * at.factor;
    }
}

void QuadraticFunction::add_rate_hessian(double, const Blocks&, const double*, const Index*, double*) const {}
void QuadraticFunction::add_hessian_derivative(double, const Blocks&, const double*, const double*, const Index*,
                                               double*) const {}

void QuadraticFunction::gradient(double, const Blocks& x, const Results& out) const {
  std::fill_n(out[0], sizes_[0], 0.0);
  for (Index k = 0; k < patterns_[0].offsets[1]; ++k)
    out[0][patterns_[0].indices[k]] = linear_[static_cast<std::size_t>(k)];
  for (Index c = 0; c < starts_[1]; ++c) {
    const Coupling& at = couplings_[static_cast<std::size_t>(c)];
    out[0][at.j] += at.factor * x[0][at.column];
  }
}

void QuadraticFunction::third_product(double, const Blocks&, const Blocks&, const Blocks&, const Results& out) const {
  std::fill_n(out[0], sizes_[0], 0.0);
}

void QuadraticFunction::product(double, const Blocks&, const double* mu, const Blocks& w, const Results& out) const {
  std::fill_n(out[0], sizes_[0], 0.0);
  for (Index i = 0; i < patterns_[0].rows; ++i)
    for (Index c = starts_[static_cast<std::size_t>(i)]; c < starts_[static_cast<std::size_t>(i) + 1]; ++c) {
      const Coupling& at = couplings_[static_cast<std::size_t>(c)];
      out[0][at.j] += mu[i] * (at.factor * w[0][at.column]);
    }
}

std::unique_ptr<Function> make_function(Tape tape, TapeFunction::Patterns patterns) {
  if (patterns == TapeFunction::Patterns::all && QuadraticFunction::fits(tape))
    return std::make_unique<QuadraticFunction>(std::move(tape));
  return std::make_unique<TapeFunction>(std::move(tape), patterns);
}

}  // namespace gnomon
