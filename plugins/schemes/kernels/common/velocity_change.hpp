#pragma once
/// \file
/// How the velocity changes with the state: dv = T_pp dp + T_pq dq for a mass M(q), M^-1 dp for a constant one.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

class VelocityChange {
 public:
  explicit VelocityChange(const System& system);

  /// At the state z.
  void operator()(const State& z, const Vector& dq, const Vector& dp, Vector& dv);

 private:
  const System* system_;
  SystemAt at_;
  Vector scratch_;
  VectorOf<Dual1> q_, p_, t_q_, t_p_;
};

}  // namespace gnomon::kernels
