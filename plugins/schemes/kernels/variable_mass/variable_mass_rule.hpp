#pragma once
/// \file
/// What the schemes in (q,p) for a mass that depends on q differ in, see variable_mass_equations.hpp.

#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/discrete_gradient/general_quotient.hpp"

namespace gnomon::kernels {

struct VariableMassRule {
  /// How constraints act: through the midpoint with g = 0 at the end; the same with the hidden constraint as well; in
  /// kicks at both ends of the step, which keep both levels too; as a penalty, constraints and obstacles; in kicks
  /// whose multipliers are iterated.
  enum class Constraint { middle, levels, ends, penalty, augmented };

  bool exact = false;  ///< a discrete derivative of H, instead of its gradient at the midpoint
  GeneralQuotient::Weight weight = GeneralQuotient::Weight::identity;
  Constraint constraint = Constraint::middle;
  double eps = 1;  ///< of a penalty: P = sum w_i r(y_i)/(2 eps)
};

/// Mass M(q), no friction, U and g that do not depend on time.
inline void require_variable_mass(const Scheme& scheme, const System& system) {
  if (!system.parts().mass) refuse(scheme, system, "its mass does not depend on the configuration");
  if (system.parts().friction) refuse(scheme, system, "it has friction, which depends on the multipliers");
  if (system.parts().time_dependence) refuse(scheme, system, "its potential or constraints depend on time");
}

/// Throws Error(refused) for the option alpha other than 1/4, which has a meaning for a constant mass only.
inline void require_quarter(const Scheme& scheme, const System& system, const Options& options) {
  if (options.real("alpha") != 0.25)
    refuse(scheme, system,
           "its mass depends on the configuration, for which alpha = " + number_text(options.real("alpha")) +
               " has no meaning: (40) is for alpha = 1/4");
}
/// The same without forces.
inline void require_conservative_variable_mass(const Scheme& scheme, const System& system) {
  require_variable_mass(scheme, system);
  if (system.parts().force) refuse(scheme, system, "it has a force outside the potential");
}

/// The promises of a scheme in (q,p) for a mass that depends on q.
inline Promises promises_of(const System& system, const VariableMassRule& rule) {
  using Constraint = VariableMassRule::Constraint;
  const bool constrained = system.m() > 0, conservative = !system.parts().force;
  const bool tangent = rule.constraint == Constraint::ends || rule.constraint == Constraint::augmented;
  const bool iterated = rule.constraint == Constraint::augmented, penalty = rule.constraint == Constraint::penalty;
  Promises p;
  p.order = 2;
  p.constrained_limit = !penalty;
  p.energy = rule.exact;
  p.position = constrained && !penalty && !iterated;
  p.hidden = constrained && (tangent || rule.constraint == Constraint::levels);
  p.symmetric = !iterated;
  p.symplectic = conservative && !rule.exact && (tangent || penalty || !constrained) && p.symmetric;
  return p;
}

}  // namespace gnomon::kernels
