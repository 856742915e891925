#pragma once
/// \file
/// How the velocity changes with the state: dv = T_pp dp + T_pq dq for a mass M(q), M^-1 dp for a constant one.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

class VelocityChange {
 public:
  explicit VelocityChange(const System& system) : system_(&system), at_(system), scratch_(Vector::Zero(system.n())) {
    for (auto* v : {&q_, &p_, &t_q_, &t_p_}) v->resize(system.n());
  }

  /// At the state z.
  void operator()(const State& z, const Vector& dq, const Vector& dp, Vector& dv) {
    if (!system_->parts().mass) return system_->velocity(z.q.value(), dp, scratch_, dv);
    for (Index i = 0; i < q_.size(); ++i) {
      q_[i].value = z.q.value()[i];
      p_[i].value = z.p.value()[i];
      q_[i].grad[0] = dq[i];
      p_[i].grad[0] = dp[i];
    }
    at_.kinetic_gradient(q_, p_, t_q_, t_p_);
    for (Index i = 0; i < q_.size(); ++i) dv[i] = t_p_[i].grad[0];
  }

 private:
  const System* system_;
  SystemAt at_;
  Vector scratch_;
  VectorOf<Dual1> q_, p_, t_q_, t_p_;
};

}  // namespace gnomon::kernels
