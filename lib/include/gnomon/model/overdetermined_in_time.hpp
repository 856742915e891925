#pragma once
/// \file
/// A model as an overdetermined DAE at a time: U(q,t), g(q,t) and Q(q,v,t) of a System are taken at t. In
///
///     y' = v(y,z)    d/dt p(y,z) = f(y,z,t) + r(y,z,psi,t)    0 = g(y,t)    0 = h(y,z,t) = g_y v(y,z) + g_t
///
/// t is a coordinate beside y with t' = 1, so that a method takes every term at the time of its y.

#include <memory>

#include "gnomon/model/overdetermined.hpp"

namespace gnomon {

class MechanicalOverdetermined;

class GNOMON_EXPORT OverdeterminedInTime {
 public:
  /// As overdetermined_from(), but of a System that depends on time, too. Throws Error(refused) for obstacles.
  explicit OverdeterminedInTime(std::shared_ptr<const Model> model);

  const OverdeterminedSystem& system() const { return *system_; }
  /// Whether any term depends on time; if not, hold() does nothing, and copies share one system.
  bool moves() const { return moving_ != nullptr; }
  /// The time at which all terms are taken.
  void hold(double t);

 private:
  std::shared_ptr<const OverdeterminedSystem> system_;
  std::shared_ptr<MechanicalOverdetermined> moving_;
};

}  // namespace gnomon
