#include "kernels/discrete_gradient/penalty_options.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"
#include "kernels/discrete_gradient/penalty_multiplier.hpp"

namespace gnomon::kernels {

OptionSpec penalty_parameter(double mu) {
  return OptionSpec::real("mu", mu, 1e-12, 1e18, "energy / unit of R", "penalty parameter: P = mu R(g)");
}

OptionSpecs penalty_options(double mu) {
  return {penalty_parameter(mu),
          OptionSpec::choice("penalty", {"quadratic", "quartic", "model"},
                             "R = sum g_i^2, or sum g_i^2 + a g_i^4, or the model's own"),
          OptionSpec::real("quartic", 1, -1e18, 1e18, "1 / unit of g^2", "a in penalty=quartic, not negative")};
}

std::unique_ptr<StepEquations> penalty_step(const Scheme& scheme, const System& system, const Options& options,
                                            const MidpointRule& rule, PenaltyDerivative derivative) {
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
  return std::make_unique<MidpointStep<PenaltyMultiplier>>(system, rule, penalty);
}

template class MidpointEquations<PenaltyMultiplier>;

}  // namespace gnomon::kernels

template class gnomon::TemplatedEquations<gnomon::kernels::MidpointEquations<gnomon::kernels::PenaltyMultiplier>, true>;
