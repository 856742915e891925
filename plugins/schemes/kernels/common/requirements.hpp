#pragma once
/// \file
/// Refusals that several schemes share.

#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/scheme.hpp"

namespace gnomon::kernels {

inline Error refusal(const Scheme& scheme, const System& system, const std::string& why) {
  return {ErrorCode::refused,
          "scheme " + scheme.name() + " does not take problem system \"" + system.traits().name + "\": " + why};
}

/// Constant mass and no friction. A force Q(q,v,t) is taken, and U(q,t) and g(q,t).
inline void require_ledger(const Scheme& scheme, const System& system) {
  const SystemTraits& traits = system.traits();
  if (!traits.constant_mass) throw refusal(scheme, system, "its mass depends on the configuration");
  if (traits.has_friction) throw refusal(scheme, system, "it has friction, which depends on the multipliers");
}
/// The same, but U and g do not depend on time.
inline void require_closed_ledger(const Scheme& scheme, const System& system) {
  require_ledger(scheme, system);
  if (system.traits().time_dependent) throw refusal(scheme, system, "its potential or constraints depend on time");
}
/// The same, and no force outside the potential.
inline void require_conservative(const Scheme& scheme, const System& system) {
  require_closed_ledger(scheme, system);
  if (system.traits().has_force) throw refusal(scheme, system, "it has a force outside the potential");
}

/// What is left of promises where a force or moving constraints act: momentum maps change, and phase volume.
inline Promises ledger_promises(const System& system, Promises promises) {
  if (system.traits().has_force || system.traits().time_dependent) promises.momentum = promises.symplectic = false;
  return promises;
}

inline bool at_most_quadratic(int degree) {
  return degree != SystemTraits::not_polynomial && degree <= 2;
}
inline bool quadratic_constraints(const System& system) {
  return system.m() == 0 || at_most_quadratic(system.traits().constraint_degree);
}

}  // namespace gnomon::kernels
