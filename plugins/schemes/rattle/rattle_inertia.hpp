#pragma once
/// \file
/// The policies Inertia of rattle_equations.hpp: what both systems have from T = p.M^-1 p/2.
///
/// ConstantRattleInertia. v_h = M^-1 p_h = dq/h is no unknown, and that of the momenta is the change dv of velocity:
///
///     balance    M dq/h - p0 + h/2 grad U(q0) + ...           M dv + h/2 grad U(q1) + ...
///     velocity   v_h + dv
///
/// ConfigurationRattleInertia, M(q). The unknowns are x = [dq | dp | lambda] and [dp | mu], dp = p_h - p0 and p1 - p_h,
///
///     rate       dq - h/2 (T_p(q0,p_h) + T_p(q1,p_h))
///     balance    dp + h/2 (T_q(q0,p_h) + grad U(q0) + ...)      dp + h/2 (T_q(q1,p_h) + grad U(q1) + ...)
///     velocity   T_p(q1, p_h + dp)
///
/// M is dense, and so are the blocks of the matrix that have second derivatives of T.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/rattle_frame.hpp"

namespace gnomon::kernels {

class ConstantRattleInertia {
 public:
  static constexpr bool constant_mass = true;
  using Middle = StartVelocity;
  using Frame = RattleFrame<Middle>;

  explicit ConstantRattleInertia(const System& system) : system_(&system), at_(system), n_(system.n()) {
    for (auto* buffer : {&dv_, &weighed_}) buffer->for_each([&](auto& v) { v.setZero(n_); });
  }

  /// out = v
  void velocity(const Vector&, const Vector& p, Vector& out) const { system_->mass().solve(p, out); }
  /// out += T_q
  void add_gradient(const Vector&, const Vector&, Vector&) const {}

  void lay_out_positions(Layout& layout, const Block&, const Block& balance, const Block& dq, const Block&) {
    layout.place(mass_, balance, dq, system_->mass().pattern());
  }
  template <class S>
  void position_rows(const ConstVectorRefOf<S>&, const VectorOf<S>& dq, const Frame& step, VectorRefOf<S> f) {
    VectorOf<S>& mdq = weighed_.get<S>();
    const double h = step.h;
    const Compensated& p0 = step.z0->p;
    at_.mass_times(dq, mdq);
    for (Index j = 0; j < n_; ++j)
      f[j] = ((mdq[j] / S(h) - p0.value()[j]) - p0.tail()[j]) + S(0.5 * h) * step.gradient0[j];
  }
  void add_position_jacobian(const ConstVectorRef&, const Vector&, const Frame& step, VectorRef values) const {
    mass_.add(values, system_->mass().values(), 1 / step.h);
  }

  void lay_out_momenta(Layout& layout, const Block& balance, const Block& hidden, const Block& dv) {
    layout.place(mass_, balance, dv, system_->mass().pattern());
    layout.place(hidden_, hidden, dv, system_->constraint_pattern());
  }
  template <class S>
  void momentum_rows(const ConstVectorRefOf<S>& x, const Frame& step, const Vector& gradient, VectorRefOf<S> f) {
    VectorOf<S>&dv = dv_.get<S>(), &mdv = weighed_.get<S>();
    dv = x.head(n_);
    at_.mass_times(dv, mdv);
    for (Index j = 0; j < n_; ++j) f[j] = mdv[j] + S(0.5 * step.h) * gradient[j];
  }
  /// j -> (v1)_j, after momentum_rows().
  template <class S>
  auto end_velocity(const Frame& step) {
    return [&dv = dv_.get<S>(), &v_half = step.middle.template at<S>()](Index j) { return dv[j] + S(v_half[j]); };
  }
  void add_momentum_jacobian(const ConstVectorRef&, const Frame&, const Vector& g_values, VectorRef values) const {
    mass_.add(values, system_->mass().values(), 1);
    hidden_.add(values, g_values, 1);
  }

 private:
  const System* system_;
  SystemAt at_;
  Index n_;
  BlockMap mass_, hidden_;
  ForAllScalars<VectorOf> dv_, weighed_;
};

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

class ConfigurationRattleInertia {
 public:
  static constexpr bool constant_mass = false;
  using Middle = HalfMomentum;
  using Frame = RattleFrame<Middle>;

  explicit ConfigurationRattleInertia(const System& system)
      : system_(&system), at_(system), n_(system.n()), m_(system.m()) {
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.q0, &b.q1, &b.p, &b.t_q, &b.t_p, &b.v}) v->setZero(n_);
    });
    for (Vector* v : {&p_, &t_q_, &t_p_}) v->setZero(n_);
    for (Matrix* a : {&at_start_, &at_end_}) a->setZero(2 * n_, 2 * n_);
    g_.setZero(m_, n_);
    block_.setZero(n_ * n_);
    hidden_block_.setZero(m_ * n_);
  }

  void velocity(const Vector& q, const Vector& p, Vector& out) { at_.kinetic_gradient(q, p, t_q_, out); }
  void add_gradient(const Vector& q, const Vector& p, Vector& out) {
    at_.kinetic_gradient(q, p, t_q_, t_p_);
    out += t_q_;
  }

  void lay_out_positions(Layout& layout, const Block& rate, const Block& balance, const Block& dq, const Block& dp) {
    const SparsityPattern dense = SparsityPattern::dense(n_, n_);
    layout.place(rate_q_, rate, dq, dense);
    layout.place(rate_p_, rate, dp, dense);
    layout.place(balance_p_, balance, dp, dense);
  }
  template <class S>
  void position_rows(const ConstVectorRefOf<S>& x, const VectorOf<S>& dq, const Frame& step, VectorRefOf<S> f) {
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
      f[n_ + j] = x[n_ + j] + (b.t_q[j] + S(step.gradient0[j])) * S(0.5 * h);
    }
  }
  /// [1 - h/2 T_pq(q1), -h/2 (T_pp(q0) + T_pp(q1))], [0, 1 + h/2 T_qp(q0)]
  void add_position_jacobian(const ConstVectorRef& x, const Vector& q1, const Frame& step, VectorRef values) {
    const double half = 0.5 * step.h;
    p_ = (x.segment(n_, n_) + step.z0->p.tail()) + step.z0->p.value();
    at_.kinetic_hessian(step.z0->q.value(), p_, at_start_);
    at_.kinetic_hessian(q1, p_, at_end_);
    add(rate_q_, 1, -half * at_end_.bottomLeftCorner(n_, n_), values);
    add(rate_p_, 0, -half * (at_start_ + at_end_).bottomRightCorner(n_, n_), values);
    add(balance_p_, 1, half * at_start_.topRightCorner(n_, n_), values);
  }

  void lay_out_momenta(Layout& layout, const Block& balance, const Block& hidden, const Block& dp) {
    layout.place(one_, balance, dp, SparsityPattern::diagonal(n_));
    layout.place(hidden_, hidden, dp, SparsityPattern::dense(m_, n_));
  }
  template <class S>
  void momentum_rows(const ConstVectorRefOf<S>& x, const Frame& step, const Vector& gradient, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    b.q1 = step.q1().cast<S>();
    b.p = x.head(n_) + step.middle.at<S>().template cast<S>();
    at_.kinetic_gradient(b.q1, b.p, b.t_q, b.v);
    for (Index j = 0; j < n_; ++j) f[j] = x[j] + S(0.5 * step.h) * gradient[j];
  }
  template <class S>
  auto end_velocity(const Frame&) {
    return [&v = buffers_.get<S>().v](Index j) { return v[j]; };
  }
  /// 1 and G T_pp(q1), which does not depend on p.
  void add_momentum_jacobian(const ConstVectorRef& x, const Frame& step, const Vector& g_values, VectorRef values) {
    one_.add(values, 1);
    p_ = x.head(n_) + step.middle.at<double>();
    at_.kinetic_hessian(step.q1(), p_, at_end_);
    g_.setZero();
    add_dense(system_->constraint_pattern(), g_values, 1, g_);
    RowMajor(hidden_block_.data(), m_, n_).noalias() = g_ * at_end_.bottomRightCorner(n_, n_);
    hidden_.add(values, hidden_block_, 1);
  }

 private:
  using RowMajor = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  template <class S>
  struct Buffers {
    VectorOf<S> q0, q1, p, t_q, t_p, v;
  };

  /// values += diagonal 1 + part in a dense place
  template <class Part>
  void add(const BlockMap& place, double diagonal, const Part& part, VectorRef values) {
    RowMajor block(block_.data(), n_, n_);
    block = part;
    block.diagonal().array() += diagonal;
    place.add(values, block_, 1);
  }

  const System* system_;
  SystemAt at_;
  Index n_, m_;
  BlockMap rate_q_, rate_p_, balance_p_, one_, hidden_;
  Vector p_, t_q_, t_p_, block_, hidden_block_;
  Matrix at_start_, at_end_, g_;
  ForAllScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
