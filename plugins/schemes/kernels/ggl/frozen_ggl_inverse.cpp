#include "kernels/ggl/frozen_ggl_inverse.hpp"

namespace gnomon::kernels {

FrozenGglInverse::FrozenGglInverse(const System& system, const Matrix& X, Index r, Rows rows)
    : system_(&system),
      gram_(system),
      X_(X),
      n_(system.n()),
      m_(system.m()),
      s_(X.rows()),
      r_(r),
      of_momenta_(rows == momenta) {
  for (Vector* v : {&q_, &force_, &w_, &jump_, &scratch_}) v->setZero(n_);
  multiplier_.setZero(m_);
}

bool FrozenGglInverse::update(const ConstVectorRef& x) {
  q_ = z0_->q.value() + 0.5 * h_ * x.head(n_);
  return gram_.update(z0_->t + 0.5 * h_, q_);
}

void FrozenGglInverse::solve(const ConstVectorRef& f, VectorRef d) {
  const Index y = s_ * n_, mu = 2 * s_ * n_, gamma = mu + r_ * m_;
  const double unit = of_momenta_ ? h_ : 1;  // mu counts unit times, and so does f3_0
  for (Index j = 0; j < s_; ++j) {
    auto yj = d.segment(y + j * n_, n_);
    force_ = f.segment(y + j * n_, n_);
    system_->velocity(q_, force_, scratch_, jump_);
    yj = of_momenta_ ? force_ : jump_;
    if (j >= r_) continue;
    gram_.times(jump_, multiplier_);
    multiplier_ -= f.segment(gamma + j * m_, m_);
    gram_.solve(multiplier_);
    d.segment(mu + j * m_, m_) = multiplier_ / unit;
    if (of_momenta_)
      multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), multiplier_, jump_);
    else
      gram_.velocity(multiplier_, jump_);
    yj -= jump_;
  }
  const auto add_stages = [&](Vector& out, Index j) {
    for (Index i = 0; i < s_; ++i)
      if (X_(j, i) != 0) out += X_(j, i) * d.segment(y + i * n_, n_);
  };
  for (Index j = 0; j < s_; ++j) {
    const auto f1 = f.segment(j * n_, n_);
    if (of_momenta_) {
      force_.setZero();
      add_stages(force_, j);
      system_->velocity(q_, force_, scratch_, w_);
      w_ += f1;
    } else {
      force_ = f1;
      system_->velocity(q_, force_, scratch_, w_);
      add_stages(w_, j);
    }
    if (j < r_) {
      gram_.times(w_, multiplier_);
      multiplier_ = f.segment(mu + j * m_, m_) / (j == 0 ? unit : 1) - multiplier_;
      gram_.solve(multiplier_);
      d.segment(gamma + j * m_, m_) = multiplier_;
      gram_.velocity(multiplier_, jump_);
      w_ += jump_;
    }
    d.segment(j * n_, n_) = w_;
  }
}

}  // namespace gnomon::kernels
