#pragma once
/// \file
/// A step that is one solve of VariableMassEquations. It books the work Q.dq of forces, exactly what H + P gains where
/// the discrete derivative is used. State::lambda are what the equations have for the end of the step (mu of
/// augmented), the multipliers of the step, or what the penalty pushes with; or, with end_multipliers, the index-1
/// multipliers of the state (where G has lost rank the step's).

#include <memory>

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/variable_mass/variable_mass_equations.hpp"
#include "kernels/variable_mass/variable_mass_multipliers.hpp"

namespace gnomon::kernels {

class VariableMassStep final : public OneSolveStep<VariableMassEquations> {
 public:
  VariableMassStep(const System& system, const VariableMassRule& rule, bool end_multipliers = false)
      : OneSolveStep(system, rule), multipliers_(system), end_multipliers_(end_multipliers) {
    y_.setZero(equations_.m());
  }

  void predict(Index k, VectorRef x) override {
    OneSolveStep::predict(k, x);
    equations_.set_floor(x);
  }
  void finish(State& next) override {
    OneSolveStep::finish(next);
    if (end_multipliers_) multipliers_.solve(next.t, next.q.value(), next.p.value(), next.lambda);
  }

  /// P of a penalty.
  long double added_energy(const State& z) override {
    if (equations_.rule().constraint != VariableMassRule::Constraint::penalty || equations_.m() == 0) return 0;
    equations_.frame().constraints_at(z, y_);
    return equations_.penalty().value(y_);
  }

 private:
  VariableMassMultipliers multipliers_;
  bool end_multipliers_;
  Vector y_;
};

inline GeneralQuotient::Weight weight_of(const Options& options) {
  return options.is("weight", "mass") ? GeneralQuotient::Weight::mass : GeneralQuotient::Weight::identity;
}

/// alpha: (40), with kicks at the ends that keep both constraint levels.
inline Binding variable_mass_alpha(const Scheme& scheme, const System& system, const Options& options) {
  require_variable_mass(scheme, system);
  require_quarter(scheme, system, options);
  VariableMassRule rule;
  rule.constraint = VariableMassRule::Constraint::ends;
  return {std::make_unique<VariableMassStep>(system, rule, true), promises_of(system, rule)};
}

/// alpha-penalty
inline Binding variable_mass_penalty(const Scheme& scheme, const System& system, const Options& options) {
  require_variable_mass(scheme, system);
  require_quarter(scheme, system, options);
  VariableMassRule rule;
  rule.constraint = VariableMassRule::Constraint::penalty;
  rule.eps = options.real("eps");
  rule.exact = options.is("derivative", "exact");
  rule.weight = weight_of(options);
  return {std::make_unique<VariableMassStep>(system, rule), promises_of(system, rule)};
}

/// The exact scheme with multipliers: energy-momentum-general, alpha-exact.
inline Binding variable_mass_exact(const Scheme& scheme, const System& system, const Options& options) {
  require_variable_mass(scheme, system);
  VariableMassRule rule;
  rule.exact = true;
  rule.weight = weight_of(options);
  return {std::make_unique<VariableMassStep>(system, rule), promises_of(system, rule)};
}

/// The exact scheme with both constraint levels, weight=mass: energy-momentum-ggl.
inline Binding variable_mass_levels(const Scheme& scheme, const System& system, bool end_multipliers) {
  require_variable_mass(scheme, system);
  VariableMassRule rule;
  rule.exact = true;
  rule.weight = GeneralQuotient::Weight::mass;
  rule.constraint = VariableMassRule::Constraint::levels;
  return {std::make_unique<VariableMassStep>(system, rule, end_multipliers), promises_of(system, rule)};
}

}  // namespace gnomon::kernels
