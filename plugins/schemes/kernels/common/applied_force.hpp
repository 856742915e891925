#pragma once
/// \file
/// A force Q(q,v,t) outside the potential in one step of a discrete-derivative scheme, and its work.
///
/// One stage: p1 - p0 = ... + h Qbar, Qbar = Q(q_m, dq/h, t_m). Multiplied by dq/h, as in the proof of each scheme's
/// energy, it gives exactly H1 - H0 = Qbar.dq, dq the whole increment of the positions. Line integrals: the force
/// enters like grad U, through its moments sum_l b_l P_j(c_l) Q_l, Q_l = Q(q_l, q'_l, t_l), and since q' = sum_j P_j
/// u_j, the same product gives H1 - H0 = h sum_l b_l Q_l.q'_l, exact where H is.
///
/// In both the velocity is that of the positions, so that a damper Q = -C v, C symmetric positive semidefinite, has
/// negative work: it takes energy in every step, for every h > 0.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/layout.hpp"

namespace gnomon::kernels {

class AppliedForce {
 public:
  explicit AppliedForce(const System& system) : system_(&system), at_(system), active_(system.traits().has_force) {
    if (!active_) return;
    force_.for_each([&](auto& v) { v.resize(system.n()); });
    by_q_.setZero(system.force_pattern(ForceArgument::q).nonzeros());
    by_v_.setZero(system.force_pattern(ForceArgument::v).nonzeros());
  }

  bool active() const { return active_; }

  /// Q(q,v,t), valid until the next call.
  template <class S>
  const VectorOf<S>& operator()(double t, const VectorOf<S>& q, const VectorOf<S>& v) {
    auto& force = force_.get<S>();
    at_.force(t, q, v, force);
    return force;
  }
  /// Q.d
  long double work(double t, const Vector& q, const Vector& v, const Vector& d) {
    const Vector& force = (*this)(t, q, v);
    long double sum = 0;
    for (Index j = 0; j < d.size(); ++j) sum += static_cast<long double>(force[j]) * d[j];
    return sum;
  }

  /// The place of its derivatives in a matrix.
  struct Place {
    BlockMap by_q, by_v;
  };
  void place(Layout& layout, Place& place, const Block& rows, const Block& unknown) const {
    if (!active_) return;
    layout.place(place.by_q, rows, unknown, system_->force_pattern(ForceArgument::q));
    layout.place(place.by_v, rows, unknown, system_->force_pattern(ForceArgument::v));
  }
  void add_pattern(PatternBuilder& builder, Index row, Index col) const {
    if (!active_) return;
    builder.add(system_->force_pattern(ForceArgument::q), row, col);
    builder.add(system_->force_pattern(ForceArgument::v), row, col);
  }
  Place place(const SparsityPattern& pattern, Index row, Index col) const {
    if (!active_) return {};
    return {BlockMap(pattern, system_->force_pattern(ForceArgument::q), row, col),
            BlockMap(pattern, system_->force_pattern(ForceArgument::v), row, col)};
  }
  void linearise(double t, const Vector& q, const Vector& v) {
    system_->force_jacobian(ForceArgument::q, t, q, v, by_q_);
    system_->force_jacobian(ForceArgument::v, t, q, v, by_v_);
  }
  /// values += a dQ/dq + b dQ/dv, as of the last linearise
  void add(const Place& place, double a, double b, VectorRef values) const {
    place.by_q.add(values, by_q_, a);
    place.by_v.add(values, by_v_, b);
  }

 private:
  const System* system_;
  SystemAt at_;
  bool active_;
  ForBothScalars<VectorOf> force_;
  Vector by_q_, by_v_;
};

}  // namespace gnomon::kernels
