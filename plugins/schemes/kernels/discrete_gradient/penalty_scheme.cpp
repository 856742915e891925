#include "kernels/discrete_gradient/penalty_scheme.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/momentum_maps.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"
#include "kernels/discrete_gradient/penalty_multiplier.hpp"

namespace gnomon::kernels {

OptionSpec penalty_parameter(double mu) {
  return OptionSpec::real("mu", mu, 1e-300, 1e300, "energy / unit of R", "penalty parameter: P = mu R(g)");
}

namespace {

/// P = mu R(g), R of the options. Throws Error where R is not convex, or the model has none.
PenaltyMultiplier::Rule penalty_rule(const Scheme& scheme, const System& system, const Options& options,
                                     PenaltyDerivative derivative) {
  PenaltyMultiplier::Rule penalty{derivative, options.real("mu")};
  if (options.is("penalty", "quartic")) {
    const double a = options.real("quartic");
    if (a < 0)
      throw Error(ErrorCode::bad_value, "scheme " + scheme.name() + ": R = sum g_i^2 + a g_i^4 with quartic a = " +
                                            number_text(a) + " is not convex; a penalty needs a >= 0");
    penalty.r = PenaltyFunction::polynomial(a);
  }
  if (options.is("penalty", "model")) {
    const ModelPenalty* own = system.parts().penalty;
    if (!own) refuse(scheme, system, "penalty=model, but the model declares no penalty function");
    if (!own->penalty_is_convex())
      refuse(scheme, system, "its penalty function is not declared convex, and a penalty must be");
    penalty.r = PenaltyFunction::of_model(*own);
  }
  return penalty;
}

}  // namespace

OptionSpecs PenaltyScheme::options() const {
  OptionSpecs specs{
      penalty_parameter(method_.mu),
      OptionSpec::choice("penalty", {"quadratic", "quartic", "model"},
                         "R = sum g_i^2, or sum g_i^2 + a g_i^4, or the model's own"),
      OptionSpec::real("quartic", 1, -1e18, 1e18, "1 / unit of g^2", "a in penalty=quartic, not negative")};
  if (method_.derivative != PenaltyDerivative::equivariant) specs.push_back(weight_option());
  return specs;
}

Promises PenaltyScheme::promises() const {
  Promises p;
  p.order = method_.derivative == PenaltyDerivative::d_hat ? 1 : 2;
  p.constrained_limit = false;
  p.energy = true;
  p.momentum = method_.derivative == PenaltyDerivative::equivariant;
  p.symmetric = method_.derivative != PenaltyDerivative::d_hat;
  return p;
}

Binding PenaltyScheme::bind(const System& system, const Options& options) const {
  require_resting_constraints(*this, system);
  const bool equivariant = method_.derivative == PenaltyDerivative::equivariant;
  Promises promised = promises();
  // |g|^2 keeps a symmetry that turns the constraints among themselves; sum r(g_i) keeps it where each g_i does.
  promised.momentum = equivariant && quadratic_constraints(system) &&
                      (options.is("penalty", "quadratic") || symmetries_keep_constraints(system));
  const MidpointRule rule =
      equivariant ? equivariant_rule(*this, system, "penalty-general") : general_rule(system, options);
  return {std::make_unique<MidpointStep<PenaltyMultiplier>>(system, rule,
                                                            penalty_rule(*this, system, options, method_.derivative)),
          ledger_promises(system, promised)};
}

template class MidpointEquations<PenaltyMultiplier>;

}  // namespace gnomon::kernels

template class gnomon::TemplatedEquations<gnomon::kernels::MidpointEquations<gnomon::kernels::PenaltyMultiplier>, true>;
