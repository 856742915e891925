#pragma once
/// \file
/// The approximate inverse of hbvm: its Newton matrix without second derivatives, G at the nodes of the given x,
///
///     M d_i + sum_l W_il G_l^T e(c_l) = f1_i                         i < s,   e(c) = sum_{t<r} P_t(c) e_t
///     sum_l b_l P_i(c_l) G_l sum_j P_j(c_l) d_j = f2_i               i < r
///
/// with d and e/h the corrections of gamma and lambda. Updated in every iteration, x - A^-1 F(x) is the fixed-point
/// iteration of the report: gamma from the forces at the last gamma, with the lambda for which it meets the constraint
/// (51) with the last G. Updated once a step it is a simplified Newton iteration. The matrix of the e_t,
///
///     (S e)_i = sum_l b_l P_i(c_l) G_l sum_j P_j(c_l) M^-1 sum_k W_jk G_k^T e(c_k),     S = A/2 + O(h) for r = 1,
///
/// is not symmetric for m > 1, s > 1: LU.

#include <Eigen/LU>

#include "kernels/line_integral/line_integral_frame.hpp"

namespace gnomon::kernels {

class HbvmInverse final : public ApproximateInverse {
 public:
  HbvmInverse(const System& system, LineIntegralFrame& frame)
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

  bool update(const ConstVectorRef& x) override {
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
    return lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 1e-14 * lu_.matrixLU().diagonal().cwiseAbs().maxCoeff();
  }

  void solve(const ConstVectorRef& f, VectorRef d) override {
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

 private:
  /// d_j -= M^-1 sum_l W_jl G_l^T e(c_l)
  void subtract_response() {
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
  /// out_i += sum_l b_l P_i(c_l) G_l sum_j P_j(c_l) d_j
  void add_rates(Vector& out) {
    const LegendreTable& table = frame_->table;
    for (Index l = 0; l < table.k; ++l) {
      frame_->velocity(d_, l, velocity_);
      multiply(system_->constraint_pattern(), g_.col(l), velocity_, rate_);
      frame_->add_moments(l, 1, rate_, 0, 0, r_, out);
    }
  }

  const System* system_;
  LineIntegralFrame* frame_;
  Index n_, m_, s_, r_;
  Matrix w_, g_, schur_;
  Eigen::PartialPivLU<Matrix> lu_;
  Vector q_, force_, velocity_, lambda_, rate_, d_, e_, right_;
};

}  // namespace gnomon::kernels
