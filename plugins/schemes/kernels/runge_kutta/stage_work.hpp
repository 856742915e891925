#pragma once
/// \file
/// The power of what works on a system beside its Hamiltonian, at a stage, and the work of a step by the quadrature of
/// the method, of the order of the method itself:
///
///     dH/dt = F.v + U_t + lambda.g_t,      work of a step = h sum_i b_i [F_i.V_i + U_t(Q_i,t_i) + Lambda_i.g_t(Q_i,t_i)]
///
/// F_i = F(Q_i,V_i,t_i) is the force outside the potential, see rk_stages.hpp.

#include "gnomon/scheme/state.hpp"
#include "kernels/common/ledger.hpp"

namespace gnomon::kernels {

class StageWork {
 public:
  explicit StageWork(const System& system) : system_(&system), force_(system) {
    zero_.setZero(system.n());
    rate_.setZero(system.m());
  }

  /// Whether there is any.
  bool active() const { return force_.active() || system_->parts().time_dependence; }

  /// work += weight times the powers
  void add(double weight, double t, const Vector& q, const Vector& v, const Vector& lambda, Work& work) {
    const long double w = weight;
    if (force_.active()) work.force += w * force_.work(t, q, v, v);
    if (!system_->parts().time_dependence) return;
    work.potential += w * system_->parts().time_dependence->potential_rate(t, q);
    system_->constraint_velocity(t, q, zero_, rate_);
    work.position += w * lambda.dot(rate_);
  }

 private:
  const System* system_;
  AppliedForce force_;
  Vector zero_, rate_;
};

}  // namespace gnomon::kernels
