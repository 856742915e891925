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
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/index1_multipliers.hpp"

namespace gnomon::kernels {

class StageWork {
 public:
  StageWork(const System& system, bool index1);

  /// Whether there is any.
  bool active() const { return force_.active() || system_->parts().time_dependence; }
  /// work += weight times the powers
  void add(double weight, double t, const Vector& q, const Vector& v, const Vector& p, const Vector& lambda,
           Work& work);

 private:
  const System* system_;
  AppliedForce force_;
  std::optional<Index1Multipliers> multipliers_;
  Vector zero_, rate_, lambda_;
};

}  // namespace gnomon::kernels
