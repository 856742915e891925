#pragma once
/// \file
/// The penalty schemes, and their parameter, which those of augmented Lagrange have, too.

#include <string>
#include <utility>

#include "gnomon/base/options.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace gnomon::kernels {

OptionSpec penalty_parameter(double mu = 1e7);

/// A penalty scheme, as its file describes it; with d_hat the scheme is of order 1, and not symmetric.
struct PenaltyMethod {
  std::string name, description, source;
  PenaltyDerivative derivative;
  double mu = 1e7;  ///< where the option is left out
};

class PenaltyScheme final : public MechanicalScheme {
 public:
  explicit PenaltyScheme(PenaltyMethod method) : method_(std::move(method)) {}

  std::string name() const override { return method_.name; }
  std::string description() const override { return method_.description; }
  std::string source() const override { return method_.source; }
  OptionSpecs options() const override;
  Promises promises() const override;
  std::string refuses_velocity_constraints() const override { return "and a quadratic penalty of them is a damper"; }
  Binding bind(const System& system, const Options& options) const override;

 private:
  PenaltyMethod method_;
};

}  // namespace gnomon::kernels
