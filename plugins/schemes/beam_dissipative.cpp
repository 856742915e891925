/// \file
/// beam-dissipative: the two-step scheme for inextensible beams as Glowinski and Holmstroem print it, (97),
///
///     M (x^{n+1} - 2 x^n + x^{n-1})/h^2 + A [alpha x^{n+1} + (1 - 2 alpha) x^n + alpha x^{n-1}] - f
///         + G(x^{n+1})^T lambda = 0,      g(x^{n+1}) = 0
///
/// for constraints |p_j| = 1, p = B x. `alpha` with the constraint force at x^{n+1} in place of the middle of x^{n+1}
/// and x^{n-1}, where it does no work: here it does, at first order in h and of one sign, since g(x^{n-1}) = 0 gives
///
///     lambda.G(x^{n+1}) (x^{n+1} - x^{n-1}) = sum_i lambda_i (x^{n+1} - x^{n-1})^T Hess g_i (x^{n+1} - x^{n-1})/2
///
/// which is positive for stretched beams. (A beam of 16838 J loses 7384 J in 10 s at h = .01, see erratum to (97).) The
/// energy at n+1/2 is named and measured, not promised. Each step is a minimisation, so that Algorithm 2 (solver uzawa)
/// serves it. Start as (94).

#include "gnomon/registry/plugin.hpp"
#include "kernels/alpha/alpha_scheme.hpp"

namespace {

using namespace gnomon;

class BeamDissipative final : public MechanicalScheme {
 public:
  std::string name() const override { return "beam-dissipative"; }
  std::string description() const override {
    return "two-step alpha-scheme with the constraint force at the end of the step, which loses energy";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "(94), (97)";
  }
  OptionSpecs options() const override { return {kernels::alpha_option()}; }
  Promises promises() const override {
    Promises p;
    p.order = 1;
    p.position = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    if (system.parts().time_dependence && system.m() > 0)
      refuse(*this, system, "it has constraints and something that depends on time");
    require_no_friction(*this, system, "its forces do not depend on the multipliers");
    kernels::AlphaRule rule = kernels::alpha_rule(*this, system, options);
    rule.multiplier.kind = kernels::AlphaRule::Kind::end;
    if (!system.parts().unit_vectors)
      refuse(*this, system, "its constraints are not declared to be |p_j| = 1, p = B x, those of a beam");
    return {kernels::alpha_step(system, nullptr, rule), promises()};
  }
};

}  // namespace

GNOMON_PLUGIN(beam_dissipative) {
  registrar.add(std::make_unique<BeamDissipative>());
}
