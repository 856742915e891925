#pragma once
/// \file
/// Refusals that schemes share, when they are bound to a system. All of them throw Error(refused) with a sentence that
/// names the scheme, the system and the reason.

#include <string>

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/scheme.hpp"

namespace gnomon {

[[noreturn]] GNOMON_EXPORT void refuse(const Scheme& scheme, const System& system, const std::string& why);

/// A force Q(q,v,t), friction R(q,v,lambda), U(q,t) and g(q,t) are taken.
GNOMON_EXPORT void require_constant_mass(const Scheme& scheme, const System& system);
/// No friction; why not, as the end of a sentence that begins with "it has friction, and".
GNOMON_EXPORT void require_no_friction(const Scheme& scheme, const System& system, const std::string& why);
/// Constant mass, no friction, and g does not depend on time, as a penalty needs it: U may.
GNOMON_EXPORT void require_resting_constraints(const Scheme& scheme, const System& system);
/// The same, but U and g do not depend on time.
GNOMON_EXPORT void require_closed_ledger(const Scheme& scheme, const System& system);
/// The same, and no force outside the potential.
GNOMON_EXPORT void require_conservative(const Scheme& scheme, const System& system);
/// g at most quadratic; `general`, where there is one, names the scheme that takes other constraints.
GNOMON_EXPORT void require_quadratic_constraints(const Scheme& scheme, const System& system,
                                                 const std::string& general = "");
/// U at most quadratic (false), or written in quadratic invariants and a part U2 of degree <= 2 (true): what the
/// equivariant discrete derivative needs. `general`, where there is one, names the scheme that takes any U.
GNOMON_EXPORT bool require_split_potential(const Scheme& scheme, const System& system, const std::string& general = "");

/// The promises without those that forces, moving constraints or constraints of velocities break: momentum maps and
/// phase volume change.
GNOMON_EXPORT Promises ledger_promises(const System& system, Promises promises);

inline bool at_most_quadratic(int degree) {
  return degree != SystemTraits::not_polynomial && degree <= 2;
}
inline bool quadratic_potential(const System& system) {
  return at_most_quadratic(system.traits().potential_degree);
}
inline bool quadratic_constraints(const System& system) {
  return system.m() == 0 || at_most_quadratic(system.traits().constraint_degree);
}

}  // namespace gnomon
