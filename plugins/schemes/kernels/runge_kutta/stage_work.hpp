#pragma once
/// \file
/// The power of what works on a system beside its Hamiltonian, at a stage, and the work of a step by the quadrature of
/// the method, of the order of the method itself:
///
///     dH/dt = F.v + U_t + lambda.g_t
///     work of a step = h sum_i b_i [F_i.V_i + U_t(Q_i,t_i) + Lambda_i.g_t(Q_i,t_i)]
///
/// F_i = F(Q_i,V_i,t_i) is the force outside the potential, see rk_stages.hpp. The Lambda_i of stages of index 3 have a
/// lower order than the method; the multipliers of index 1 at (Q_i,V_i) take their place here.

#include <optional>

#include "gnomon/scheme/state.hpp"
#include "kernels/common/index1_multipliers.hpp"
#include "kernels/common/ledger.hpp"

namespace gnomon::kernels {

class StageWork {
 public:
  StageWork(const System& system, bool index1) : system_(&system), force_(system) {
    if (!index1 && system.parts().time_dependence) multipliers_.emplace(system);
    for (Vector* v : {&zero_, &p_}) v->setZero(system.n());
    lambda_.setZero(system.m());
    rate_.setZero(system.m());
  }

  /// Whether there is any.
  bool active() const { return force_.active() || system_->parts().time_dependence; }

  /// work += weight times the powers, with a constant mass, p = M v
  void add(double weight, double t, const Vector& q, const Vector& v, const Vector& lambda, Work& work) {
    if (multipliers_) system_->mass().apply(v, p_);
    add(weight, t, q, v, p_, lambda, work);
  }
  /// The same, whatever the mass.
  void add(double weight, double t, const Vector& q, const Vector& v, const Vector& p, const Vector& lambda,
           Work& work) {
    const long double w = weight;
    if (force_.active()) work.force += w * force_.work(t, q, v, v);
    if (!system_->parts().time_dependence) return;
    work.potential += w * system_->parts().time_dependence->potential_rate(t, q);
    system_->constraint_velocity(t, q, zero_, rate_);
    lambda_ = lambda;
    if (multipliers_) multipliers_->solve(t, q, p, lambda_);
    work.position += w * lambda_.dot(rate_);
  }

 private:
  const System* system_;
  AppliedForce force_;
  std::optional<Index1Multipliers> multipliers_;
  Vector zero_, p_, rate_, lambda_;
};

}  // namespace gnomon::kernels
