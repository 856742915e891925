#include "kernels/common/constraint_gram.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

ConstraintGram::ConstraintGram(const System& system, bool mass_metric)
    : system_(&system), mass_metric_(mass_metric), m_(system.m()) {
  const SparsityPattern& g = system.constraint_pattern();
  diagonal_ = !mass_metric || (!system.parts().mass && system.mass().is_diagonal());
  for (Index i = 0; i < m_; ++i)
    for (Index j = 0; j < i; ++j)
      if (!diagonal_ || share_column(g, i, j)) width_ = std::max(width_, i - j);
  for (Vector* v : {&row_, &solved_, &q_, &scratch_}) v->setZero(system.n());
  g_values_.setZero(g.nonzeros());
  factor_.setZero(width_ + 1, m_);
}

bool ConstraintGram::update(double t, const ConstVectorRef& q) {
  evaluate(t, q);
  return factorise();
}

void ConstraintGram::times(const ConstVectorRef& v, VectorRef out) const {
  multiply(system_->constraint_pattern(), g_values_, v, out);
}

void ConstraintGram::velocity(const ConstVectorRef& lambda, VectorRef out) {
  multiply_transposed(system_->constraint_pattern(), g_values_, lambda, row_);
  weigh(row_, out);
}

void ConstraintGram::solve(VectorRef x) const {
  for (Index i = 0; i < m_; ++i) {
    for (Index j = std::max<Index>(0, i - width_); j < i; ++j) x[i] -= factor_(i - j, i) * x[j];
    x[i] /= factor_(0, i);
  }
  for (Index i = m_ - 1; i >= 0; --i) {
    x[i] /= factor_(0, i);
    for (Index j = std::max<Index>(0, i - width_); j < i; ++j) x[j] -= factor_(i - j, i) * x[i];
  }
}

void ConstraintGram::evaluate(double t, const ConstVectorRef& q) {
  const SparsityPattern& g = system_->constraint_pattern();
  q_ = q;
  system_->constraint_jacobian(t, q, g_values_);
  if (!all_finite(g_values_)) throw CannotEvaluate("the constraint Jacobian G is not finite");
  // Row i of A up to the diagonal: factor(i - j, i) = A_ij.
  for (Index i = 0; i < m_; ++i) {
    scaled_row(g, i);
    for (Index j = std::max<Index>(0, i - width_); j <= i; ++j) factor_(i - j, i) = row_dot(g, j, solved_);
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) solved_[g.indices[k]] = 0;
  }
}

bool ConstraintGram::share_column(const SparsityPattern& g, Index i, Index j) {
  for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
    if (g.find(j, g.indices[k]) >= 0) return true;
  return false;
}

double ConstraintGram::row_dot(const SparsityPattern& g, Index i, const Vector& x) const {
  double sum = 0;
  for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) sum += g_values_[k] * x[g.indices[k]];
  return sum;
}

void ConstraintGram::scaled_row(const SparsityPattern& g, Index i) {
  if (!diagonal_) row_.setZero();
  for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
    const Index c = g.indices[k];
    if (diagonal_)
      solved_[c] = mass_metric_ ? g_values_[k] / system_->mass().diagonal_entries()[c] : g_values_[k];
    else
      row_[c] = g_values_[k];
  }
  if (!diagonal_) weigh(row_, solved_);
}

void ConstraintGram::weigh(const Vector& p, VectorRef out) {
  if (mass_metric_)
    system_->velocity(q_, p, scratch_, out);
  else
    out = p;
}

bool ConstraintGram::factorise() {
  for (Index i = 0; i < m_; ++i) {
    const double before = factor_(0, i);
    for (Index j = std::max<Index>(0, i - width_); j <= i; ++j) {
      double sum = factor_(i - j, i);
      for (Index k = std::max<Index>(0, i - width_); k < j; ++k)
        if (j - k <= width_) sum -= factor_(i - k, i) * factor_(j - k, j);
      if (j < i)
        factor_(i - j, i) = sum / factor_(0, j);
      else if (sum > thresholds::singular_pivot * before)
        factor_(0, i) = std::sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

}  // namespace gnomon::kernels
