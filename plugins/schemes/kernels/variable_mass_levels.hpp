#pragma once
/// \file
/// energy-momentum-ggl for a mass that depends on q: both constraint levels and H exact, by Gonzalez' derivative in
/// z = (q,p) of H, g and Psi together (variable_mass_equations.hpp, levels), weight=mass.

#include "variable_mass_multipliers.hpp"
#include "variable_mass_step.hpp"

namespace gnomon::kernels {

/// State::lambda: index-1 multipliers of the state, or those of the step, which belong to its midpoint.
class VariableMassLevelsStep final : public StepEquations {
 public:
  VariableMassLevelsStep(const System& system, const VariableMassRule& rule, bool end_multipliers)
      : equations_(system, rule), multipliers_(system), end_multipliers_(end_multipliers) {
    x_.setZero(equations_.size());
  }

  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override {
    require_still(equations_.model(), z);
    z.history.resize(equations_.size(), predictor_depth);
  }
  void begin(const State& z0, double h) override { equations_.begin(z0, h); }
  void predict(Index, VectorRef x) override { equations_.predict(x); }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    return Next::advance;
  }
  void finish(State& next) override {
    VariableMassStep::advance(equations_, x_, next);
    if (end_multipliers_) multipliers_.solve(next.t, next.q.value(), next.p.value(), next.lambda);
  }
  long double added_energy(const State& z) override { return -z.work; }

 private:
  VariableMassEquations equations_;
  VariableMassMultipliers multipliers_;
  bool end_multipliers_;
  Vector x_;
};

inline Binding variable_mass_levels(const System& system, bool end_multipliers) {
  VariableMassRule rule;
  rule.exact = true;
  rule.weight = GeneralQuotient::Weight::mass;
  rule.constraint = VariableMassRule::Constraint::levels;
  return {std::make_unique<VariableMassLevelsStep>(system, rule, end_multipliers), promises_of(system, rule)};
}

}  // namespace gnomon::kernels
