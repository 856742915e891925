#pragma once
/// \file
/// Accelerations at the end of a step, w = w^ + dw, z = z^ + dz, x = [dw | dz]:
///
///     W w + G(q)^T z = r        G(q) w = -b,  b = v^T (Hess g) v + 2 G_t v + g_tt
///
/// With W = M and r = Q(q,v) - grad U(q), with M(q) + M T_pq v - T_q, these are the accelerations and multipliers of
/// the equations of motion; with r = W w^, z^ = 0 and any metric W, w is the projection of w^ onto the acceleration
/// constraint. Linear: the residual at (w^, z^) is found once, its sums in extended precision, and the increments are
/// scaled by it, so that one step of Newton's method leaves no more than the rounding of w.

#include <cmath>

#include "gnomon/model/system_at.hpp"
#include "kernels/common/step_scales.hpp"

namespace gnomon::kernels {

class SaddleEquations final : public TemplatedEquations<SaddleEquations> {
 public:
  SaddleEquations(const System& system, bool mass_metric)
      : system_(&system),
        at_(system),
        mass_metric_(mass_metric),
        of_q_(mass_metric ? system.parts().mass : nullptr),
        n_(system.n()),
        m_(system.m()) {
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
    residual_w_.setZero(n_);
    for (Vector* v : {&bias_, &row_, &residual_z_}) v->setZero(m_);
    g_values_.setZero(g.nonzeros());
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.w, &b.weighed}) v->setZero(n_);
    });
  }

  void begin(double t, const Vector& q, const Vector& v, const Vector& right, const Vector& w_hat,
             const Vector& z_hat) {
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
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) {
        const Index j = g.indices[at(k)];
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
    floor_ = 1e-15 + 2.3e-16 * std::sqrt(full2) / size_;
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = size_ * weight_.cwiseSqrt().cwiseInverse();
    rows.head(n_) = size_ * weight_.cwiseSqrt();
    columns.tail(m_) = size_ * row_.cwiseInverse();
    rows.tail(m_) = size_ * row_;
  }
  double rounding_floor() const override { return floor_; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    const SparsityPattern& g = system_->constraint_pattern();
    b.w = x.head(n_);
    weigh(b.w, b.weighed);
    for (Index j = 0; j < n_; ++j) f[j] = b.weighed[j] + S(residual_w_[j]);
    for (Index i = 0; i < m_; ++i) {
      f[n_ + i] = S(residual_z_[i]);
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
  void weigh(const VectorOf<S>& w, VectorOf<S>& out) {
    if (of_q_) {
      for (Index j = 0; j < n_; ++j) {
        out[j] = S(0.0);
        for (Index k = 0; k < n_; ++k) out[j] += w[k] * mass_matrix_(j, k);
      }
    } else if (mass_metric_)
      at_.mass_times(w, out);
    else
      out = w;
  }
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  const System* system_;
  SystemAt at_;
  bool mass_metric_;
  const ConfigurationMass* of_q_;  ///< M(q) where it is the metric
  Index n_, m_;
  Matrix mass_matrix_;
  BlockMap metric_, force_, constraint_;
  double size_ = 1, floor_ = 1e-15;
  Vector metric_values_, weight_, residual_w_, residual_z_, bias_, row_, g_values_;
  ForBothScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
