#pragma once
/// \file
/// Accelerations at the end of a step, x = [w | z]:
///
///     W w + G(q)^T z = r        G(q) w = -v^T (Hess g) v
///
/// With W = M and r = -grad U(q) these are the accelerations and multipliers of the equations of motion; with
/// r = W w^ and any metric W, w is the projection of w^ onto the acceleration constraint. Linear.

#include <cmath>

#include "gnomon/system_at.hpp"
#include "step_scales.hpp"

namespace gnomon::kernels {

class SaddleEquations final : public TemplatedEquations<SaddleEquations> {
 public:
  SaddleEquations(const System& system, bool mass_metric)
      : system_(&system), at_(system), mass_metric_(mass_metric), n_(system.n()), m_(system.m()) {
    const SparsityPattern& g = system.constraint_pattern();
    const SparsityPattern metric = mass_metric ? system.mass().pattern() : SparsityPattern::diagonal(n_);
    blocks_ = {{"w", 0, n_}, {"z", n_, m_}};
    PatternBuilder builder(n_ + m_, n_ + m_);
    builder.add(metric, 0, 0);
    builder.add(g, 0, n_, true);
    builder.add(g, n_, 0);
    pattern_ = builder.build();
    metric_ = BlockMap(pattern_, metric, 0, 0);
    force_ = BlockMap(pattern_, g, 0, n_, true);
    constraint_ = BlockMap(pattern_, g, n_, 0);
    metric_values_ = mass_metric ? system.mass().values() : Vector::Ones(n_);
    weight_ = mass_metric ? system.mass().diagonal_entries() : Vector::Ones(n_);
    allocate(n_ + m_);
    right_.setZero(n_);
    for (Vector* v : {&bias_, &row_}) v->setZero(m_);
    g_values_.setZero(g.nonzeros());
    for (Vector* v : {&double_.w, &double_.weighed}) v->setZero(n_);
    for (auto* v : {&dual_.w, &dual_.weighed}) v->resize(n_);
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }

  void begin(double t, const Vector& q, const Vector& v, const Vector& right) {
    right_ = right;
    system_->constraint_jacobian(t, q, g_values_);
    system_->constraint_bias(t, q, v, bias_);
    const SparsityPattern& g = system_->constraint_pattern();
    double size2 = (right_.array().square() / weight_.array()).sum();
    for (Index i = 0; i < m_; ++i) {
      double a = 0;
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k)
        a += g_values_[k] * g_values_[k] / weight_[g.indices[at(k)]];
      row_[i] = a > 0 ? std::sqrt(a) : 1;
      size2 += (bias_[i] / row_[i]) * (bias_[i] / row_[i]);
    }
    size_ = size2 > 0 ? std::sqrt(size2) : 1;
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = size_ * weight_.cwiseSqrt().cwiseInverse();
    rows.head(n_) = size_ * weight_.cwiseSqrt();
    columns.tail(m_) = size_ * row_.cwiseInverse();
    rows.tail(m_) = size_ * row_;
  }

  template <class S>
  void evaluate(const VectorOf<S>& x, VectorOf<S>& f) {
    auto& b = buffers<S>();
    const SparsityPattern& g = system_->constraint_pattern();
    b.w = x.head(n_);
    if (mass_metric_)
      at_.mass_times(b.w, b.weighed);
    else
      b.weighed = b.w;
    for (Index j = 0; j < n_; ++j) f[j] = b.weighed[j] - S(right_[j]);
    for (Index i = 0; i < m_; ++i) {
      f[n_ + i] = S(bias_[i]);
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) {
        f[g.indices[at(k)]] += x[n_ + i] * g_values_[k];
        f[n_ + i] += b.w[g.indices[at(k)]] * g_values_[k];
      }
    }
  }

  void jacobian(const ConstVectorRef&, VectorRef values) override {
    values.setZero();
    metric_.add(values, metric_values_, 1);
    force_.add(values, g_values_, 1);
    constraint_.add(values, g_values_, 1);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> w, weighed;
  };
  template <class S>
  Buffers<S>& buffers() {
    if constexpr (std::is_same_v<S, double>)
      return double_;
    else
      return dual_;
  }
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  const System* system_;
  SystemAt at_;
  bool mass_metric_;
  Index n_, m_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  BlockMap metric_, force_, constraint_;
  double size_ = 1;
  Vector metric_values_, weight_, right_, bias_, row_, g_values_;
  Buffers<double> double_;
  Buffers<Dual1> dual_;
};

}  // namespace gnomon::kernels
