#pragma once
/// \file
/// Options of the penalty and augmented Lagrange schemes.

#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/discrete_gradient/penalty_multiplier.hpp"

namespace gnomon::kernels {

inline OptionSpec penalty_parameter(double mu = 1e7) {
  return OptionSpec::real("mu", mu, 1e-12, 1e18, "energy / unit of R", "penalty parameter: P = mu R(g)");
}
inline OptionSpecs penalty_options(double mu = 1e7) {
  return {penalty_parameter(mu),
          OptionSpec::choice("penalty", {"quadratic", "quartic", "model"},
                             "R = sum g_i^2, or sum g_i^2 + a g_i^4, or the model's own"),
          OptionSpec::real("quartic", 1, -1e18, 1e18, "1 / unit of g^2", "a in penalty=quartic, not negative")};
}

/// P = mu |g|^2
inline PenaltyMultiplier::Rule quadratic_penalty(const Options& options, PenaltyMultiplier::Derivative derivative) {
  PenaltyMultiplier::Rule rule;
  rule.derivative = derivative;
  rule.mu = options.real("mu");
  return rule;
}
/// P = mu R(g) with the R of the options. Throws Error where R is not convex, or the model has none.
inline PenaltyMultiplier::Rule penalty_rule(const Scheme& scheme, const System& system, const Options& options,
                                            PenaltyMultiplier::Derivative derivative) {
  PenaltyMultiplier::Rule rule = quadratic_penalty(options, derivative);
  if (options.is("penalty", "quartic")) {
    const double a = options.real("quartic");
    if (a < 0)
      throw Error(ErrorCode::bad_value, "scheme " + scheme.name() + ": R = sum g_i^2 + a g_i^4 with quartic a = " +
                                            number_text(a) + " is not convex; a penalty needs a >= 0");
    rule.r = PenaltyFunction::polynomial(a);
  }
  if (options.is("penalty", "model")) {
    const ModelPenalty* own = system.parts().penalty;
    if (!own) refuse(scheme, system, "penalty=model, but the model declares no penalty function");
    if (!own->penalty_is_convex())
      refuse(scheme, system, "its penalty function is not declared convex, and a penalty must be");
    rule.r = PenaltyFunction::of_model(*own);
  }
  return rule;
}

}  // namespace gnomon::kernels
