#pragma once
/// \file
/// Options of the penalty and augmented Lagrange schemes.

#include "gnomon/options.hpp"
#include "penalty_multiplier.hpp"

namespace gnomon::kernels {

inline OptionSpec penalty_parameter(double mu = 1e7) {
  return OptionSpec::real("mu", mu, 1e-12, 1e18, "energy / unit of g^2", "penalty parameter: P = mu |g|^2");
}
inline PenaltyMultiplier::Rule penalty_rule(const Options& options, PenaltyMultiplier::Derivative derivative) {
  PenaltyMultiplier::Rule rule;
  rule.derivative = derivative;
  rule.mu = options.real("mu");
  return rule;
}

}  // namespace gnomon::kernels
