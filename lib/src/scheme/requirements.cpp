#include "gnomon/scheme/requirements.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon {

void refuse(const Scheme& scheme, const System& system, const std::string& why) {
  throw Error(ErrorCode::refused,
              "scheme " + scheme.name() + " does not take problem system \"" + system.traits().name + "\": " + why);
}

void require_ledger(const Scheme& scheme, const System& system) {
  if (system.parts().mass) refuse(scheme, system, "its mass depends on the configuration");
  if (system.parts().friction) refuse(scheme, system, "it has friction, which depends on the multipliers");
}

void require_closed_ledger(const Scheme& scheme, const System& system) {
  require_ledger(scheme, system);
  if (system.parts().time_dependence) refuse(scheme, system, "its potential or constraints depend on time");
}

void require_conservative(const Scheme& scheme, const System& system) {
  require_closed_ledger(scheme, system);
  if (system.parts().force) refuse(scheme, system, "it has a force outside the potential");
}

void require_quadratic_constraints(const Scheme& scheme, const System& system, const std::string& general) {
  if (quadratic_constraints(system)) return;
  refuse(scheme, system,
         "its constraints are not declared to be at most quadratic" + (general.empty() ? "" : "; use " + general));
}

bool require_split_potential(const Scheme& scheme, const System& system, const std::string& general) {
  if (quadratic_potential(system)) return false;
  if (!system.parts().split)
    refuse(scheme, system,
           "its potential is neither declared to be at most quadratic nor written in quadratic invariants; use " +
               general);
  return true;
}

Promises ledger_promises(const System& system, Promises promises) {
  if (system.parts().force || system.parts().time_dependence) promises.momentum = promises.symplectic = false;
  return promises;
}

}  // namespace gnomon
