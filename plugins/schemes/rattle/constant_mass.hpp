#pragma once
/// \file
/// A constant mass in rattle (rattle_equations.hpp). v_h = M^-1 p_h = dq/h is no unknown, and that of the momenta is
/// the change dv of the velocity:
///
///     balance    M dq/h - p0 + h/2 grad U(q0) + ...           M dv + ...
///     velocity   v_h + dv

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/rattle_frame.hpp"

namespace gnomon::kernels {

class ConstantRattlePositions {
 public:
  using Frame = RattleFrame<StartVelocity>;

  explicit ConstantRattlePositions(const System& system) : system_(&system), at_(system), n_(system.n()) {
    mdq_.for_each([&](auto& v) { v.setZero(n_); });
  }

  /// First row of the balance.
  static constexpr Index balance() { return 0; }
  void lay_out_unknowns(Layout&) const {}
  /// The balance.
  Block lay_out_rows(Layout& layout, const Block& dq) {
    const Block balance = layout.rows(n_);
    layout.place(mass_, balance, dq, system_->mass().pattern());
    return balance;
  }
  /// out = v
  void velocity(const Vector&, const Vector& p, Vector& out) const { system_->mass().solve(p, out); }
  /// out += T_q
  void add_gradient(const Vector&, const Vector&, Vector&) const {}

  void scales(const StepScales& scales, VectorRef, VectorRef rows) const { rows.head(n_) = scales.dp(); }

  template <class S>
  void rows(const ConstVectorRefOf<S>&, const VectorOf<S>& dq, const Frame& step, VectorRefOf<S> f) {
    VectorOf<S>& mdq = mdq_.get<S>();
    const double h = step.h;
    const Compensated& p0 = step.z0->p;
    at_.mass_times(dq, mdq);
    for (Index j = 0; j < n_; ++j) f[j] = ((mdq[j] / S(h) - p0.value()[j]) - p0.tail()[j]) + S(0.5 * h) * step.kick0[j];
  }
  void add_jacobian(const ConstVectorRef&, const Vector&, const Frame& step, VectorRef values) const {
    mass_.add(values, system_->mass().values(), 1 / step.h);
  }

 private:
  const System* system_;
  SystemAt at_;
  Index n_;
  BlockMap mass_;
  ForAllScalars<VectorOf> mdq_;
};

class ConstantRattleMomenta {
 public:
  using Frame = RattleFrame<StartVelocity>;

  explicit ConstantRattleMomenta(const System& system) : system_(&system), at_(system), n_(system.n()) {
    for (auto* buffer : {&dv_, &mdv_}) buffer->for_each([&](auto& v) { v.resize(n_); });
  }

  static constexpr const char* unknown() { return "dv"; }
  auto scale(const StepScales& scales) const { return scales.velocity(); }
  void lay_out(Layout& layout, const Block& balance, const Block& hidden, const Block& dv) {
    layout.place(mass_, balance, dv, system_->mass().pattern());
    layout.place(hidden_, hidden, dv, system_->constraint_pattern());
  }
  void add_kick(const Frame&, Vector&) const {}

  template <class S>
  void rows(const ConstVectorRefOf<S>& x, const Frame& step, const Vector& kick, VectorRefOf<S> f) {
    VectorOf<S>&dv = dv_.get<S>(), &mdv = mdv_.get<S>();
    dv = x.head(n_);
    at_.mass_times(dv, mdv);
    for (Index j = 0; j < n_; ++j) f[j] = mdv[j] + S(0.5 * step.h) * kick[j];
  }
  /// j -> (v1)_j, after rows().
  template <class S>
  auto velocity(const Frame& step) {
    return [&dv = dv_.get<S>(), &v_half = step.middle.template at<S>()](Index j) { return dv[j] + S(v_half[j]); };
  }
  void add_jacobian(const ConstVectorRef&, const Frame&, const Vector& g_values, VectorRef values) const {
    mass_.add(values, system_->mass().values(), 1);
    hidden_.add(values, g_values, 1);
  }

 private:
  const System* system_;
  SystemAt at_;
  Index n_;
  BlockMap mass_, hidden_;
  ForAllScalars<VectorOf> dv_, mdv_;
};

struct ConstantRattleMass {
  using Positions = ConstantRattlePositions;
  using Momenta = ConstantRattleMomenta;
  using Middle = StartVelocity;
  static constexpr bool solves_momenta = false;  ///< p_h and p1 are the sums of what they are kicked by
};

}  // namespace gnomon::kernels
