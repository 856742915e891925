#include "gnomon/scheme/requirements.hpp"

#include <cmath>

#include "gnomon/base/error.hpp"

namespace gnomon {

void refuse(const Scheme& scheme, const System& system, const std::string& why) {
  throw Error(ErrorCode::refused,
              "scheme " + scheme.name() + " does not take system \"" + system.traits().name + "\": " + why);
}

void require_constant_mass(const Scheme& scheme, const System& system) {
  if (system.parts().mass) refuse(scheme, system, "its mass depends on the configuration");
}

void require_no_friction(const Scheme& scheme, const System& system, const std::string& why) {
  if (system.parts().friction || system.parts().coulomb) refuse(scheme, system, "it has friction, and " + why);
}

namespace {

/// By evaluation of g_t and G_t at arbitrary times and positions.
bool constraints_move(const System& system) {
  if (!system.parts().time_dependence) return false;
  const Index n = system.n();
  Vector q(n), rest = Vector::Zero(n), rate(system.m()), values(system.constraint_pattern().nonzeros());
  for (int point = 0; point < 3; ++point) try {
      const double t = 0.3 + 0.7 * point;
      for (Index j = 0; j < n; ++j) q[j] = std::sin(1 + 2.3 * static_cast<double>(j) + 0.7 * point);
      system.constraint_velocity(t, q, rest, rate);
      system.parts().time_dependence->constraint_rate_jacobian(t, q, values);
      if (!rate.isZero(0) || !values.isZero(0)) return true;
    } catch (const CannotEvaluate&) {
      return true;  // nothing is known there
    }
  return false;
}

}  // namespace

void require_resting_constraints(const Scheme& scheme, const System& system) {
  require_constant_mass(scheme, system);
  require_no_friction(scheme, system, "no force of its penalty or its midpoint may depend on the multipliers");
  if (constraints_move(system))
    refuse(scheme, system,
           "its constraints depend on time, and a penalty of constraints that move does work of its own");
}

void require_closed_ledger(const Scheme& scheme, const System& system) {
  require_constant_mass(scheme, system);
  require_no_friction(scheme, system, "no force of its penalty or its midpoint may depend on the multipliers");
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
  if (system.parts().split && at_most_quadratic(system.traits().regular_degree)) return true;
  refuse(
      scheme, system,
      (system.parts().split ? "its potential has a part beside the quadratic invariants that is not at most quadratic"
                            : "its potential is neither declared to be at most quadratic nor written in quadratic "
                              "invariants") +
          (general.empty() ? "" : "; use " + general));
}

Promises ledger_promises(const System& system, Promises promises) {
  const Parts& parts = system.parts();
  if (parts.force || parts.friction || parts.coulomb || parts.time_dependence || parts.velocity_constraints)
    promises.momentum = promises.symplectic = false;
  return promises;
}

}  // namespace gnomon
