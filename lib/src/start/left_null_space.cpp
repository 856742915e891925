#include "start/left_null_space.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"

namespace gnomon {

LeftNullSpace::LeftNullSpace(const System& system, const SparsityPattern& border)
    : system_(&system), m_(system.m()), border_(border) {
  const SparsityPattern& g = system.constraint_pattern();
  values_.setZero(g.nonzeros());
  length_.setOnes(m_);
  inverse_mass_ = system.mass().diagonal_entries().cwiseInverse();
  inverse_root_ = inverse_mass_.cwiseSqrt();
  basis_.setZero(m_, border.cols);
  row_.setZero(system.n());
  PatternBuilder wide(m_, g.cols + border.cols);
  wide.add(g, 0, 0);
  wide.add(border, 0, g.cols);
  const SparsityPattern pattern = wide.build();
  wide_.setZero(pattern.nonzeros());
  factors_ = GramCholesky(pattern, pattern);
}

void LeftNullSpace::evaluate(double t, const ConstVectorRef& q) {
  system_->constraint_jacobian(t, q, values_);
  row_lengths(system_->constraint_pattern(), values_, system_->mass().diagonal_entries(), length_);
}

bool LeftNullSpace::find(const Matrix& border) {
  const SparsityPattern& g = system_->constraint_pattern();
  Index next = 0;
  for (Index i = 0; i < m_; ++i) {
    for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e) wide_[next++] = scaled(i, e);
    for (Index e = border_.offsets[i]; e < border_.offsets[i + 1]; ++e)
      wide_[next++] = border(i, border_.indices[e]) / length_[i];
  }
  if (!factors_.factorise(wide_, wide_)) return false;
  basis_ = length_.cwiseInverse().asDiagonal() * border;
  for (Index j = 0; j < basis_.cols(); ++j) factors_.solve(basis_.col(j));
  return basis_.allFinite();
}

bool LeftNullSpace::reduce(const std::vector<Index>& dependent) {
  for (Index j = 0; j < basis_.cols(); ++j) {
    const Index row = dependent[static_cast<std::size_t>(j)];
    Index largest = j;
    for (Index c = j; c < basis_.cols(); ++c)
      if (std::abs(basis_(row, c)) > std::abs(basis_(row, largest))) largest = c;
    if (!(std::abs(basis_(row, largest)) > thresholds::rank)) return false;
    if (largest != j) basis_.col(j).swap(basis_.col(largest));
    basis_.col(j) /= basis_(row, j);
    for (Index c = 0; c < basis_.cols(); ++c) {
      const double factor = basis_(row, c);
      if (c != j && factor != 0) basis_.col(c) -= factor * basis_.col(j);
    }
  }
  return basis_.allFinite();
}

double LeftNullSpace::misfit(const ConstVectorRef& scaled) {
  row_.setZero();
  const SparsityPattern& g = system_->constraint_pattern();
  double size = 0;
  for (Index i = 0; i < m_; ++i) {
    if (scaled[i] == 0) continue;
    const double y = scaled[i] / length_[i];
    size += scaled[i] * scaled[i];
    for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e) row_[g.indices[e]] += y * values_[e];
  }
  return std::sqrt(row_.cwiseAbs2().dot(inverse_mass_) / size);
}

NullVector::NullVector(const SparsityPattern& g, const SparsityPattern& pattern, Index of) : g_(&g), of_(of) {
  for (Index i = 0; i < pattern.rows; ++i)
    if (pattern.find(i, of) >= 0) rows_.push_back(i);
  std::vector<Index> columns;
  for (const Index i : rows_)
    columns.insert(columns.end(), g.indices.begin() + g.offsets[i], g.indices.begin() + g.offsets[i + 1]);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const auto size = static_cast<Index>(rows_.size()), last = static_cast<Index>(columns.size());
  PatternBuilder builder(size, last + 1);
  for (Index r = 0; r < size; ++r) {
    const Index i = rows_[static_cast<std::size_t>(r)];
    for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e)
      builder.add(r, std::lower_bound(columns.begin(), columns.end(), g.indices[e]) - columns.begin());
    builder.add(r, last);
  }
  const SparsityPattern wide = builder.build();
  wide_.setZero(wide.nonzeros());
  y_.setZero(size);
  factors_ = GramCholesky(wide, wide);
}

bool NullVector::find(const LeftNullSpace& at, const Matrix& border) {
  Index r = 0;
  for (const Index i : rows_) y_[r++] = border(i, of_) / at.length()[i];
  if (!solve(at)) return false;
  const double large = large_part * y_.lpNorm<Eigen::Infinity>();
  r = 0;
  while (std::abs(y_[r]) < large) ++r;
  y_ = Vector::Unit(y_.size(), r);
  return solve(at);
}

void NullVector::write(Matrix& basis) const {
  Index r = 0;
  for (const Index i : rows_) basis(i, of_) = y_[r++];
}

bool NullVector::solve(const LeftNullSpace& at) {
  Index next = 0, r = 0;
  for (const Index i : rows_) {
    for (Index e = g_->offsets[i]; e < g_->offsets[i + 1]; ++e) wide_[next++] = at.scaled(i, e);
    wide_[next++] = y_[r++];
  }
  if (!factors_.factorise(wide_, wide_)) return false;
  factors_.solve(y_);
  y_.normalize();
  return y_.allFinite();
}

std::vector<Index> sparser_rows(Matrix y, std::vector<Index> dependent, Index positions) {
  constexpr double least_pivot = 0.1;
  constexpr int most_sweeps = 20;
  const auto clean = [&y](Index j) {
    const double zero = thresholds::border_rounding * y.col(j).lpNorm<Eigen::Infinity>();
    y.col(j) = (y.col(j).array().abs() > zero).select(y.col(j), 0);
  };
  for (Index j = 0; j < y.cols(); ++j) clean(j);
  std::vector<Index> support, others;
  const auto find_others = [&](Index i, Index j) {
    others.clear();
    for (Index c = 0; c < y.cols(); ++c)
      if (c != j && y(i, c) != 0) others.push_back(c);
  };
  const auto exchange = [&](Index j) {
    support.clear();
    for (Index i = 0; i < y.rows(); ++i)
      if (y(i, j) != 0) support.push_back(i);
    const double large = least_pivot * y.col(j).lpNorm<Eigen::Infinity>();
    Index best = -1;
    long most = 0;
    const bool of_velocities = dependent[static_cast<std::size_t>(j)] >= positions;
    for (const Index i : support) {
      if (std::abs(y(i, j)) < large || (i < positions && of_velocities)) continue;
      find_others(i, j);
      long gone = 0;
      for (const Index c : others) {
        const double factor = y(i, c) / y(i, j);
        for (const Index r : support) {
          const double before = y(r, c), change = factor * y(r, j), after = before - change;
          const bool stays =
              std::abs(after) > thresholds::border_rounding * std::max(std::abs(before), std::abs(change));
          gone += static_cast<long>(before != 0) - static_cast<long>(stays);
        }
      }
      if (gone > most) {
        most = gone;
        best = i;
      }
    }
    if (best < 0) return false;
    find_others(best, j);
    y.col(j) /= y(best, j);
    for (const Index c : others) {
      y.col(c) -= y(best, c) * y.col(j);
      clean(c);
    }
    dependent[static_cast<std::size_t>(j)] = best;
    return true;
  };
  bool any = true;
  for (int sweep = 0; any && sweep < most_sweeps; ++sweep) {
    any = false;
    for (Index j = 0; j < y.cols(); ++j) any = exchange(j) || any;
  }
  return dependent;
}

std::vector<Index> dependent_rows(Matrix y, Index positions) {
  std::vector<Index> rows(static_cast<std::size_t>(y.cols()), -1);
  const double size = y.cwiseAbs().maxCoeff();
  for (const bool of_velocities : {true, false}) {
    const Index first = of_velocities ? positions : 0, count = of_velocities ? y.rows() - positions : positions;
    for (bool more = true; more;) {
      more = false;
      Index row = -1, column = -1;
      double largest = thresholds::rank * size;
      for (Index c = 0; c < y.cols(); ++c)
        for (Index i = first; rows[static_cast<std::size_t>(c)] < 0 && i < first + count; ++i)
          if (std::abs(y(i, c)) > largest) {
            largest = std::abs(y(i, c));
            row = i;
            column = c;
            more = true;
          }
      if (!more) break;
      rows[static_cast<std::size_t>(column)] = row;
      y.col(column) /= y(row, column);
      for (Index c = 0; c < y.cols(); ++c)
        if (c != column) y.col(c) -= y(row, c) * Vector(y.col(column));
    }
    if (of_velocities)
      for (Index c = 0; c < y.cols(); ++c)
        if (rows[static_cast<std::size_t>(c)] < 0) y.col(c).tail(y.rows() - positions).setZero();
  }
  return rows;
}

}  // namespace gnomon
