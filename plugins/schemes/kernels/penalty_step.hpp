#pragma once
/// \file
/// A step that is one solve of PenaltyEquations, and what the penalty schemes share when they are bound.

#include "gnomon/options.hpp"
#include "gnomon/scheme.hpp"
#include "penalty_equations.hpp"

namespace gnomon::kernels {

inline OptionSpec penalty_parameter(double mu = 1e7) {
  return OptionSpec::real("mu", mu, 1e-12, 1e18, "energy / unit of g^2", "penalty parameter: P = mu |g|^2");
}
inline OptionSpec penalty_weight() {
  return OptionSpec::choice("weight", {"identity", "mass"}, "inner product of the discrete derivative");
}

/// The rule for this system, equivariant (no correction s) or with the general discrete derivative. Throws
/// Error(refused) where neither fits; `general` names the scheme that takes what the equivariant one does not.
inline PenaltyRule penalty_rule(const Scheme& scheme, const System& system, const Options& options,
                                PenaltyRule::Derivative derivative, const std::string& general = "") {
  require_conservative(scheme, system);
  if (!quadratic_constraints(system))
    throw refusal(scheme, system, "its constraints are not declared to be at most quadratic");
  PenaltyRule rule;
  rule.derivative = derivative;
  rule.mu = options.real("mu");
  const bool quadratic_potential = at_most_quadratic(system.traits().potential_degree);
  if (derivative == PenaltyRule::Derivative::equivariant) {
    rule.split_potential = !quadratic_potential;
    if (rule.split_potential && system.traits().n_invariants == 0)
      throw refusal(scheme, system,
                    "its potential is neither declared to be at most quadratic nor written in quadratic invariants; "
                    "use " +
                        general);
  } else {
    rule.correct_potential = !quadratic_potential;
    if (options.is("weight", "mass")) rule.weight = PenaltyRule::Weight::mass;
  }
  return rule;
}

/// One PenaltyEquations a step, lambda = 0. Conserves H + mu |g|^2.
class PenaltyStep final : public StepEquations {
 public:
  PenaltyStep(const System& system, const PenaltyRule& rule) : equations_(system, rule) {
    x_.setZero(equations_.size());
    low_.setZero(equations_.size());
    for (Vector* v : {&g_, &multiplier_}) v->setZero(system.m());
    g_values_.setZero(system.constraint_pattern().nonzeros());
  }

  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override { z.history.resize(equations_.size(), predictor_depth); }
  void begin(const State& z0, double h) override { equations_.begin(z0, h); }
  void predict(Index, VectorRef x) override { equations_.predict(x); }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    equations_.polish(x_, low_);
    return Next::advance;
  }
  void finish(State& next) override {
    const Index n = equations_.n();
    next.q.add(x_.head(n));
    next.p.add(x_.tail(n));
    next.q.add(low_.head(n));
    next.p.add(low_.tail(n));
    equations_.end_values(x_, g_, multiplier_);
    next.lambda = multiplier_;
    remember(next, equations_.h(), x_);
    next.advance_time(equations_.h());
  }

  long double added_energy(const State& z) override {
    equations_.model().constraints_compensated(z.t, z.q.value(), z.q.tail(), g_, g_values_);
    long double sum = 0;
    for (Index i = 0; i < g_.size(); ++i) sum += static_cast<long double>(g_[i]) * g_[i];
    return equations_.rule().mu * sum;
  }

 private:
  PenaltyEquations equations_;
  Vector x_, low_, g_, multiplier_, g_values_;
};

}  // namespace gnomon::kernels
