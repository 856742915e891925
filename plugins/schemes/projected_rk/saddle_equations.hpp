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

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

class SaddleEquations final : public TemplatedEquations<SaddleEquations>, private ApproximateInverse {
 public:
  SaddleEquations(const System& system, bool mass_metric);

  void begin(double t, const Vector& q, const Vector& v, const Vector& right, const Vector& w_hat, const Vector& z_hat);

  void scales(VectorRef columns, VectorRef rows) const override;
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
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        f[g.indices[k]] += x[n_ + i] * g_values_[k];
        f[n_ + i] += b.w[g.indices[k]] * g_values_[k];
      }
    }
  }

  void jacobian(const ConstVectorRef&, VectorRef values) override;
  ApproximateInverse* simplified_newton() override { return this; }

 private:
  /// \name The exact inverse: A dz = G W^-1 f_w - f_z, dw = W^-1 (f_w - G^T dz), A = G W^-1 G^T
  ///@{
  bool is_leading() const override { return true; }
  bool update(const ConstVectorRef&) override { return gram_.update(t_, q_); }
  void solve(const ConstVectorRef& f, VectorRef d) override;
  ///@}
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

  const System* system_;
  SystemAt at_;
  bool mass_metric_;
  const ConfigurationMass* of_q_;  ///< M(q) where it is the metric
  Index n_, m_;
  Matrix mass_matrix_;
  BlockMap metric_, force_, constraint_;
  ConstraintGram gram_;
  double t_ = 0;
  Vector q_, load_;
  double size_ = 1, floor_ = thresholds::residual_rounding;
  Vector metric_values_, weight_, residual_w_, residual_z_, bias_, row_, g_values_;
  ForBothScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
