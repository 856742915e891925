#include "hbvm/hbvm_inverse.hpp"

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

HbvmInverse::HbvmInverse(const System& system, LineIntegralFrame& frame)
    : system_(&system),
      frame_(&frame),
      n_(system.n()),
      m_(system.m()),
      s_(frame.table.s),
      r_(frame.r()),
      w_(frame.table.row_weights()),
      lu_(r_ * m_) {
  for (Vector* v : {&q_, &force_, &velocity_}) v->setZero(n_);
  for (Vector* v : {&lambda_, &rate_}) v->setZero(m_);
  d_.setZero(s_ * n_);
  e_.setZero(r_ * m_);
  right_.setZero(r_ * m_);
  schur_.setZero(r_ * m_, r_ * m_);
  g_.setZero(system.constraint_pattern().nonzeros(), frame.table.k);
}

bool HbvmInverse::update(const ConstVectorRef& x) {
  if (r_ == 0) return true;
  for (Index l = 0; l < frame_->table.k; ++l) {
    frame_->position(x, l, q_);
    system_->constraint_jacobian(frame_->time(l), q_, g_.col(l));
  }
  for (Index c = 0; c < e_.size(); ++c) {
    d_.setZero();
    e_.setZero();
    e_[c] = 1;
    subtract_response();
    right_.setZero();
    add_rates(right_);
    schur_.col(c) = -right_;
  }
  lu_.compute(schur_);
  return lu_.matrixLU().diagonal().cwiseAbs().minCoeff() >
         thresholds::singular_pivot * lu_.matrixLU().diagonal().cwiseAbs().maxCoeff();
}

void HbvmInverse::solve(const ConstVectorRef& f, VectorRef d) {
  for (Index j = 0; j < s_; ++j) {
    force_ = f.segment(j * n_, n_);
    system_->mass().solve(force_, velocity_);
    d_.segment(j * n_, n_) = velocity_;
  }
  if (r_ > 0) {
    right_ = -f.tail(r_ * m_);
    add_rates(right_);
    e_ = lu_.solve(right_);
    subtract_response();
    d.tail(r_ * m_) = e_ / frame_->h();
  }
  d.head(s_ * n_) = d_;
}

void HbvmInverse::subtract_response() {
  const LegendreTable& table = frame_->table;
  for (Index j = 0; j < s_; ++j) {
    force_.setZero();
    for (Index l = 0; l < table.k; ++l) {
      LineIntegralFrame::combine(e_, 0, table.P, l, r_, lambda_);
      multiply_transposed(system_->constraint_pattern(), g_.col(l), lambda_, velocity_);
      force_ += w_(j, l) * velocity_;
    }
    system_->mass().solve(force_, velocity_);
    d_.segment(j * n_, n_) -= velocity_;
  }
}

void HbvmInverse::add_rates(Vector& out) {
  const LegendreTable& table = frame_->table;
  for (Index l = 0; l < table.k; ++l) {
    frame_->velocity(d_, l, velocity_);
    multiply(system_->constraint_pattern(), g_.col(l), velocity_, rate_);
    frame_->add_moments(l, 1, rate_, 0, 0, r_, out);
  }
}

}  // namespace gnomon::kernels
