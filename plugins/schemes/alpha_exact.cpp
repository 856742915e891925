/// \file
/// alpha-exact: the energy-exact counterpart of alpha.
///
/// For a mass that depends on the configuration, Gonzalez' discrete derivative of H in z = (q,p) takes the place of the
/// gradient at the midpoint in (40), with multipliers that act through the midpoint and g = 0 at the end
/// (kernels/discrete_gradient/configuration_inertia.hpp): H1 - H0 is the work of the forces for every step size. Not
/// symplectic.

#include "gnomon/registry/plugin.hpp"
#include "kernels/discrete_gradient/configuration_schemes.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace {

using namespace gnomon;

class AlphaExact final : public MechanicalScheme {
 public:
  std::string name() const override { return "alpha-exact"; }
  std::string description() const override {
    return "alpha-scheme with a discrete derivative: keeps the energy where alpha keeps it up to O(h^2)";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Surv. Math. Ind. (1995), (40), with the discrete derivative of Gonzalez, J. "
           "Nonlinear Sci. 6 (1996)";
  }
  OptionSpecs options() const override { return {kernels::weight_option()}; }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.energy = p.position = p.symmetric = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    return kernels::configuration_exact(*this, system, options);
  }
};

}  // namespace

GNOMON_PLUGIN(alpha_exact) {
  registrar.add(std::make_unique<AlphaExact>());
}
