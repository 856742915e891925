#pragma once
/// \file
/// A mass M(q) in rattle (rattle_equations.hpp). The unknowns are x = [dq | dp | lambda] and [dp | mu], dp = p_h - p0
/// and p1 - p_h, and the rows
///
///     rate       dq - h/2 (T_p(q0,p_h) + T_p(q1,p_h))
///     balance    dp + h/2 (T_q(q0,p_h) + grad U(q0) + ...)      dp + h/2 (T_q(q1,p_h) + grad U(q1) + ...)
///     velocity   T_p(q1, p_h + dp)
///
/// M is dense, and so are the blocks of the matrix that have second derivatives of T = p.M(q)^-1 p/2.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/rattle_frame.hpp"

namespace gnomon::kernels {

/// p_h
class HalfMomentum {
 public:
  explicit HalfMomentum(const System& system) : value_(Vector::Zero(system.n())), extended_(system.n()) {}
  void begin(const Compensated& p) {
    value_ = p.value();
    extended_ = p.value().cast<Extended>() + p.tail().cast<Extended>();
  }
  template <class S>
  const auto& at() const {
    if constexpr (std::is_same_v<S, Extended>)
      return extended_;
    else
      return value_;
  }

 private:
  Vector value_;
  VectorOf<Extended> extended_;
};

class ConfigurationRattlePositions {
 public:
  using Frame = RattleFrame<HalfMomentum>;

  explicit ConfigurationRattlePositions(const System& system) : system_(&system), at_(system), n_(system.n()) {
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.q0, &b.q1, &b.p, &b.t_q, &b.t_p, &b.v}) v->setZero(n_);
    });
    for (Vector* v : {&p_, &unit_, &zero_, &out_q_, &out_p_}) v->setZero(n_);
    for (Vector* v : {&rate_by_q_, &rate_by_p_, &balance_by_p_}) v->setZero(n_ * n_);
  }

  /// First row of the balance.
  Index balance() const { return n_; }
  void lay_out_unknowns(Layout& layout) { dp_ = layout.unknown("dp", n_); }
  /// The balance, after the rates.
  Block lay_out_rows(Layout& layout, const Block& dq) {
    const Block rate = layout.rows(n_), balance = layout.rows(n_);
    const SparsityPattern dense = SparsityPattern::dense(n_, n_);
    layout.place(rate_q_, rate, dq, dense);
    layout.place(rate_p_, rate, dp_, dense);
    layout.place(balance_p_, balance, dp_, dense);
    return balance;
  }
  /// out = T_p
  void velocity(const Vector& q, const Vector& p, Vector& out) { mass().kinetic_gradient(q, p, out_q_, out); }
  /// out += T_q
  void add_gradient(const Vector& q, const Vector& p, Vector& out) {
    mass().kinetic_gradient(q, p, out_q_, out_p_);
    out += out_q_;
  }

  void scales(const StepScales& scales, VectorRef columns, VectorRef rows) const {
    columns.segment(n_, n_) = rows.segment(n_, n_) = scales.dp();
    rows.head(n_) = scales.dq();
  }

  template <class S>
  void rows(const ConstVectorRefOf<S>& x, const VectorOf<S>& dq, const Frame& step, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    const double h = step.h;
    const State& z0 = *step.z0;
    b.q0 = z0.q.value().cast<S>() + z0.q.tail().cast<S>();
    b.q1 = (dq + z0.q.tail().cast<S>()) + z0.q.value().cast<S>();
    b.p = (x.segment(n_, n_) + z0.p.tail().cast<S>()) + z0.p.value().cast<S>();
    at_.kinetic_gradient(b.q1, b.p, b.t_q, b.v);
    at_.kinetic_gradient(b.q0, b.p, b.t_q, b.t_p);
    for (Index j = 0; j < n_; ++j) {
      f[j] = dq[j] - (b.t_p[j] + b.v[j]) * S(0.5 * h);
      f[n_ + j] = x[n_ + j] + (b.t_q[j] + S(step.kick0[j])) * S(0.5 * h);
    }
  }
  /// Column by column, of [1 - h/2 T_pq(q1), -h/2 (T_pp(q0) + T_pp(q1))], [0, 1 + h/2 T_qp(q0)].
  void add_jacobian(const ConstVectorRef& x, const Vector& q1, const Frame& step, VectorRef values) {
    const Vector& q0 = step.z0->q.value();
    const double half = 0.5 * step.h;
    p_ = (x.segment(n_, n_) + step.z0->p.tail()) + step.z0->p.value();
    for (Index j = 0; j < n_; ++j) {
      unit_[j] = 1;
      mass().kinetic_hessian_times(q1, p_, unit_, zero_, out_q_, out_p_);
      for (Index i = 0; i < n_; ++i) rate_by_q_[i * n_ + j] = (i == j ? 1 : 0) - half * out_p_[i];
      mass().kinetic_hessian_times(q1, p_, zero_, unit_, out_q_, out_p_);
      for (Index i = 0; i < n_; ++i) rate_by_p_[i * n_ + j] = -half * out_p_[i];
      mass().kinetic_hessian_times(q0, p_, zero_, unit_, out_q_, out_p_);
      for (Index i = 0; i < n_; ++i) {
        rate_by_p_[i * n_ + j] -= half * out_p_[i];
        balance_by_p_[i * n_ + j] = (i == j ? 1 : 0) + half * out_q_[i];
      }
      unit_[j] = 0;
    }
    rate_q_.add(values, rate_by_q_, 1);
    rate_p_.add(values, rate_by_p_, 1);
    balance_p_.add(values, balance_by_p_, 1);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> q0, q1, p, t_q, t_p, v;
  };
  const gnomon::ConfigurationMass& mass() const { return *system_->parts().mass; }

  const System* system_;
  SystemAt at_;
  Index n_;
  Block dp_;
  BlockMap rate_q_, rate_p_, balance_p_;
  Vector p_, unit_, zero_, out_q_, out_p_, rate_by_q_, rate_by_p_, balance_by_p_;
  ForAllScalars<Buffers> buffers_;
};

class ConfigurationRattleMomenta {
 public:
  using Frame = RattleFrame<HalfMomentum>;

  explicit ConfigurationRattleMomenta(const System& system)
      : system_(&system), at_(system), n_(system.n()), m_(system.m()) {
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.q, &b.p, &b.t_q, &b.v}) v->setZero(n_);
    });
    for (Vector* v : {&p_, &unit_, &zero_, &out_q_, &out_p_}) v->setZero(n_);
    product_.setZero(m_);
    hidden_values_.setZero(m_ * n_);
  }

  static constexpr const char* unknown() { return "dp"; }
  auto scale(const StepScales& scales) const { return scales.dp(); }
  void lay_out(Layout& layout, const Block& balance, const Block& hidden, const Block& dp) {
    layout.place(one_, balance, dp, SparsityPattern::diagonal(n_));
    layout.place(hidden_, hidden, dp, SparsityPattern::dense(m_, n_));
  }
  /// kick += T_q(q1,p_h)
  void add_kick(const Frame& step, Vector& kick) {
    mass().kinetic_gradient(step.q1(), step.middle.at<double>(), out_q_, out_p_);
    kick += out_q_;
  }

  template <class S>
  void rows(const ConstVectorRefOf<S>& x, const Frame& step, const Vector& kick, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    b.q = step.q1().cast<S>();
    b.p = x.head(n_) + step.middle.at<S>().template cast<S>();
    at_.kinetic_gradient(b.q, b.p, b.t_q, b.v);
    for (Index j = 0; j < n_; ++j) f[j] = x[j] + S(0.5 * step.h) * kick[j];
  }
  /// j -> (v1)_j, after rows().
  template <class S>
  auto velocity(const Frame&) {
    return [&v = buffers_.get<S>().v](Index j) { return v[j]; };
  }
  /// 1 and, column by column, G T_pp(q1), which does not depend on p.
  void add_jacobian(const ConstVectorRef& x, const Frame& step, const Vector& g_values, VectorRef values) {
    one_.add(values, 1);
    p_ = x.head(n_) + step.middle.at<double>();
    for (Index j = 0; j < n_; ++j) {
      unit_[j] = 1;
      mass().kinetic_hessian_times(step.q1(), p_, zero_, unit_, out_q_, out_p_);
      unit_[j] = 0;
      multiply(system_->constraint_pattern(), g_values, out_p_, product_);
      for (Index i = 0; i < m_; ++i) hidden_values_[i * n_ + j] = product_[i];
    }
    hidden_.add(values, hidden_values_, 1);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> q, p, t_q, v;
  };
  const gnomon::ConfigurationMass& mass() const { return *system_->parts().mass; }

  const System* system_;
  SystemAt at_;
  Index n_, m_;
  BlockMap one_, hidden_;
  Vector p_, unit_, zero_, out_q_, out_p_, product_, hidden_values_;
  ForAllScalars<Buffers> buffers_;
};

struct ConfigurationRattleMass {
  using Positions = ConfigurationRattlePositions;
  using Momenta = ConfigurationRattleMomenta;
  using Middle = HalfMomentum;
  static constexpr bool solves_momenta = true;
};

}  // namespace gnomon::kernels
