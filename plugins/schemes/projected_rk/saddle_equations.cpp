#include "projected_rk/saddle_equations.hpp"

#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

SaddleEquations::SaddleEquations(const System& system, bool mass_metric)
    : system_(&system),
      at_(system),
      mass_metric_(mass_metric),
      of_q_(mass_metric ? system.parts().mass : nullptr),
      n_(system.n()),
      m_(system.m()),
      gram_(system, mass_metric) {
  const SparsityPattern& g = system.constraint_pattern();
  const SparsityPattern metric = of_q_         ? SparsityPattern::dense(n_, n_)
                                 : mass_metric ? system.mass().pattern()
                                               : SparsityPattern::diagonal(n_);
  if (of_q_) mass_matrix_.setZero(n_, n_);
  const Block dw = layout_.unknown("dw", n_), dz = layout_.unknown("dz", m_);
  const Block motion = layout_.rows(n_), acceleration = layout_.rows(m_);
  layout_.place(metric_, motion, dw, metric);
  layout_.place(force_, motion, dz, g, Layout::transposed);
  layout_.place(constraint_, acceleration, dw, g);
  finish_layout();
  metric_values_ = of_q_         ? Vector(Vector::Zero(n_ * n_))
                   : mass_metric ? Vector(system.mass().values())
                                 : Vector(Vector::Ones(n_));
  weight_ = mass_metric ? system.mass().diagonal_entries() : Vector::Ones(n_);
  for (Vector* v : {&residual_w_, &q_, &load_}) v->setZero(n_);
  for (Vector* v : {&bias_, &row_, &residual_z_}) v->setZero(m_);
  g_values_.setZero(g.nonzeros());
  buffers_.for_each([&](auto& b) {
    for (auto* v : {&b.w, &b.weighed}) v->setZero(n_);
  });
}

void SaddleEquations::begin(double t, const Vector& q, const Vector& v, const Vector& right, const Vector& w_hat,
                            const Vector& z_hat) {
  t_ = t;
  q_ = q;
  system_->constraint_jacobian(t, q, g_values_);
  system_->constraint_bias(t, q, v, bias_);
  if (of_q_) {
    of_q_->mass_matrix(q, mass_matrix_);
    for (Index j = 0; j < n_; ++j)
      for (Index k = 0; k < n_; ++k) metric_values_[j * n_ + k] = mass_matrix_(j, k);
  }
  const SparsityPattern& g = system_->constraint_pattern();
  double full2 = (right.array().square() / weight_.array()).sum();
  weigh(w_hat, residual_w_);
  residual_w_ -= right;
  for (Index i = 0; i < m_; ++i) {
    double a = 0;
    long double sum = bias_[i];
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
      const Index j = g.indices[k];
      a += g_values_[k] * g_values_[k] / weight_[j];
      sum += static_cast<long double>(g_values_[k]) * w_hat[j];
      residual_w_[j] += g_values_[k] * z_hat[i];
    }
    row_[i] = a > 0 ? std::sqrt(a) : 1;
    full2 += (bias_[i] / row_[i]) * (bias_[i] / row_[i]);
    residual_z_[i] = static_cast<double>(sum);
  }
  const double now2 =
      (residual_w_.array().square() / weight_.array()).sum() + residual_z_.cwiseQuotient(row_).squaredNorm();
  size_ = now2 > 0 ? std::sqrt(now2) : 1;
  floor_ = thresholds::residual_rounding + thresholds::spacing_of_doubles * std::sqrt(full2) / size_;
}

void SaddleEquations::scales(VectorRef columns, VectorRef rows) const {
  columns.head(n_) = size_ * weight_.cwiseSqrt().cwiseInverse();
  rows.head(n_) = size_ * weight_.cwiseSqrt();
  columns.tail(m_) = size_ * row_.cwiseInverse();
  rows.tail(m_) = size_ * row_;
}

void SaddleEquations::solve(const ConstVectorRef& f, VectorRef d) {
  load_ = f.head(n_);
  gram_.solve_saddle(load_, f.tail(m_), d.head(n_), d.tail(m_));
}

void SaddleEquations::jacobian(const ConstVectorRef&, VectorRef values) {
  values.setZero();
  metric_.add(values, metric_values_, 1);
  force_.add(values, g_values_, 1);
  constraint_.add(values, g_values_, 1);
}

}  // namespace gnomon::kernels
