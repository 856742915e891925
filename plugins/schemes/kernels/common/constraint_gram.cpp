#include "kernels/common/constraint_gram.hpp"

#include <algorithm>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

namespace {

/// The connected parts of a symmetric pattern, each ascending.
std::vector<std::vector<Index>> parts_of(const SparsityPattern& pattern) {
  std::vector<std::vector<Index>> parts;
  std::vector<bool> seen(static_cast<std::size_t>(pattern.rows), false);
  for (Index first = 0; first < pattern.rows; ++first) {
    if (seen[first]) continue;
    std::vector<Index> part{first};
    seen[first] = true;
    for (std::size_t next = 0; next < part.size(); ++next)
      for (Index k = pattern.offsets[part[next]]; k < pattern.offsets[part[next] + 1]; ++k)
        if (const Index j = pattern.indices[k]; !seen[j]) {
          seen[j] = true;
          part.push_back(j);
        }
    std::sort(part.begin(), part.end());
    parts.push_back(std::move(part));
  }
  return parts;
}

/// M^-1, full in the connected parts of M: the i-th columns of all of them by one solution.
void invert(const Mass& mass, SparsityPattern& pattern, Vector& values) {
  const std::vector<std::vector<Index>> parts = parts_of(mass.pattern());
  PatternBuilder builder(mass.size(), mass.size());
  std::size_t largest = 0;
  for (const std::vector<Index>& part : parts) {
    largest = std::max(largest, part.size());
    for (const Index i : part)
      for (const Index j : part) builder.add(i, j);
  }
  pattern = builder.build();
  values.setZero(pattern.nonzeros());
  Vector units(mass.size()), columns(mass.size());
  for (std::size_t c = 0; c < largest; ++c) {
    units.setZero();
    for (const std::vector<Index>& part : parts)
      if (c < part.size()) units[part[c]] = 1;
    mass.solve(units, columns);
    for (const std::vector<Index>& part : parts)
      if (c < part.size())
        for (const Index i : part) values[pattern.find(i, part[c])] = columns[i];
  }
}

}  // namespace

ConstraintGram::ConstraintGram(const System& system, bool mass_metric)
    : system_(&system), mass_metric_(mass_metric), variable_(mass_metric && system.parts().mass) {
  const SparsityPattern& g = system.constraint_pattern();
  if (variable_) {
    weighted_pattern_ = SparsityPattern::dense(g.rows, g.cols);
  } else {
    inverse_pattern_ = SparsityPattern::diagonal(g.cols);
    inverse_.setOnes(g.cols);
    if (mass_metric) invert(system.mass(), inverse_pattern_, inverse_);
    PatternBuilder builder(g.rows, g.cols);
    const auto each = [&](const auto& visit) {
      for (Index i = 0; i < g.rows; ++i)
        for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e)
          for (Index k = inverse_pattern_.offsets[g.indices[e]]; k < inverse_pattern_.offsets[g.indices[e] + 1]; ++k)
            visit(i, inverse_pattern_.indices[k]);
    };
    each([&](Index i, Index k) { builder.add(i, k); });
    weighted_pattern_ = builder.build();
    each([&](Index i, Index k) { places_.push_back(static_cast<int>(weighted_pattern_.find(i, k))); });
  }
  for (Vector* v : {&row_, &q_, &scratch_, &part_}) v->setZero(system.n());
  g_values_.setZero(g.nonzeros());
  weighted_.setZero(weighted_pattern_.nonzeros());
  factors_ = GramCholesky(weighted_pattern_, g);
}

bool ConstraintGram::update(double t, const ConstVectorRef& q) {
  q_ = q;
  system_->constraint_jacobian(t, q, g_values_);
  if (!all_finite(g_values_)) throw CannotEvaluate("the constraint Jacobian G is not finite");
  weigh_rows();
  return factors_.factorise(weighted_, g_values_, thresholds::singular_pivot);
}

void ConstraintGram::times(const ConstVectorRef& v, VectorRef out) const {
  multiply(system_->constraint_pattern(), g_values_, v, out);
}

void ConstraintGram::velocity(const ConstVectorRef& lambda, VectorRef out) {
  multiply_transposed(system_->constraint_pattern(), g_values_, lambda, row_);
  weigh(row_, out);
}

void ConstraintGram::solve_saddle(const Vector& f, const ConstVectorRef& g, VectorRef w, VectorRef mu) {
  weigh(f, part_);
  times(part_, mu);
  mu -= g;
  solve(mu);
  velocity(mu, w);
  w = part_ - w;
}

void ConstraintGram::weigh_rows() {
  const SparsityPattern& g = system_->constraint_pattern();
  if (variable_) {
    for (Index i = 0; i < g.rows; ++i) {
      row_.setZero();
      for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e) row_[g.indices[e]] = g_values_[e];
      weigh(row_, weighted_.segment(i * g.cols, g.cols));
    }
    return;
  }
  weighted_.setZero();
  std::size_t next = 0;
  for (Index e = 0; e < g.nonzeros(); ++e)
    for (Index k = inverse_pattern_.offsets[g.indices[e]]; k < inverse_pattern_.offsets[g.indices[e] + 1]; ++k)
      weighted_[places_[next++]] += g_values_[e] * inverse_[k];
}

void ConstraintGram::weigh(const Vector& p, VectorRef out) {
  if (mass_metric_)
    system_->velocity(q_, p, scratch_, out);
  else
    out = p;
}

}  // namespace gnomon::kernels
