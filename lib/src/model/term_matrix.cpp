#include "model/term_matrix.hpp"

#include <cmath>
#include <utility>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

TermMatrix::TermMatrix(const OverdeterminedSystem& system, Index size, Index leading, std::vector<Part> parts)
    : system_(system), parts_(std::move(parts)), leading_(leading) {
  PatternBuilder builder(size, size);
  for (const Part& part : parts_) builder.add(system.pattern(part.term, part.argument), part.row, part.column);
  pattern_ = builder.build();
  for (const Part& part : parts_) {
    const SparsityPattern& block = system.pattern(part.term, part.argument);
    maps_.emplace_back(pattern_, block, part.row, part.column);
    part_values_.push_back(Vector::Zero(block.nonzeros()));
  }
  values_.setZero(pattern_.nonzeros());
  factored_.setConstant(pattern_.nonzeros(), std::nan(""));
  row_scale_.setOnes(size);
  root_.setOnes(leading);
  column_size_.setOnes(size);
  scaled_.setZero(size);
  if (size <= dense_term_matrix_limit) {
    dense_.setZero(size, size);
    lu_ = Eigen::PartialPivLU<Matrix>(size);
    return;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < size; ++i)
    for (Index k = pattern_.offsets[i]; k < pattern_.offsets[i + 1]; ++k)
      entries.emplace_back(static_cast<int>(i), static_cast<int>(pattern_.indices[k]), 1.0);
  sparse_.resize(size, size);
  sparse_.setFromTriplets(entries.begin(), entries.end());
  sparse_lu_ = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
  sparse_lu_->analyzePattern(sparse_);
}

TermMatrix::Outcome TermMatrix::factor(const OverdeterminedPoint& at) {
  values_.setZero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (part_values_[k].size() == 0) continue;
    system_.jacobian(parts_[k].term, parts_[k].argument, at, part_values_[k]);
    maps_[k].add(values_, part_values_[k], parts_[k].factor);
  }
  if (!values_.allFinite()) return Outcome::not_finite;
  if (values_ == factored_) return outcome_;
  factored_ = values_;
  for (Index j = 0; j < leading_; ++j) {
    const Index k = pattern_.find(j, j);
    const double w = k < 0 ? 0 : std::abs(values_[k]);
    root_[j] = w > 0 ? std::sqrt(w) : 1;
  }
  for (Index i = 0; i < pattern_.rows; ++i) {
    double largest = 0;
    for (Index k = pattern_.offsets[i]; k < pattern_.offsets[i + 1] && pattern_.indices[k] < leading_; ++k)
      largest = std::max(largest, std::abs(values_[k]) / root_[pattern_.indices[k]]);
    row_scale_[i] = largest > 0 ? 1 / largest : 1;
  }
  outcome_ = sparse_lu_ ? factor_sparse() : factor_dense();
  return outcome_;
}

TermMatrix::Outcome TermMatrix::factor_dense() {
  dense_.setZero();
  column_size_.setZero();
  for (Index i = 0; i < pattern_.rows; ++i)
    for (Index k = pattern_.offsets[i]; k < pattern_.offsets[i + 1]; ++k) {
      const Index j = pattern_.indices[k];
      dense_(i, j) = row_scale_[i] * values_[k];
      column_size_[j] = std::max(column_size_[j], std::abs(dense_(i, j)));
    }
  lu_.compute(dense_);
  Outcome outcome = Outcome::regular;
  for (Index i = 0; i < pattern_.rows; ++i) {
    const double pivot = std::abs(lu_.matrixLU()(i, i));
    if (!(pivot > 0) || !std::isfinite(pivot)) return Outcome::singular;
    if (pivot <= thresholds::suspicious_pivot * column_size_[i]) outcome = Outcome::suspicious;
  }
  return outcome;
}

TermMatrix::Outcome TermMatrix::factor_sparse() {
  for (Index i = 0; i < pattern_.rows; ++i)
    for (Index k = pattern_.offsets[i]; k < pattern_.offsets[i + 1]; ++k)
      sparse_.coeffRef(i, pattern_.indices[k]) = row_scale_[i] * values_[k];
  sparse_lu_->factorize(sparse_);
  return sparse_lu_->info() == Eigen::Success ? Outcome::regular : Outcome::singular;
}

void TermMatrix::solve(const Vector& b, Vector& x) {
  scaled_ = row_scale_.cwiseProduct(b);
  if (sparse_lu_)
    x = sparse_lu_->solve(scaled_);
  else
    x = lu_.solve(scaled_);
}

}  // namespace gnomon
