/// \file
/// alpha: the two-step alpha-schemes of Glowinski and Holmstroem, for constant mass
///
///     M (x^{n+1} - 2 x^n + x^{n-1})/h^2 + A [alpha x^{n+1} + (1 - 2 alpha) x^n + alpha x^{n-1}] + DV(m-, m+)
///         + G((x^{n+1} + x^{n-1})/2)^T lambda = Q(x^n, (x^{n+1} - x^{n-1})/(2h), t_n),      g(x^{n+1}) = 0
///
/// with U = x^T A x/2 + b.x + V(x), V = sum_k V_k(pi_k(x)), pi_k at most quadratic (x_k itself, for one), and its
/// divided differences between the middles m-, m+ of the steps; g at most quadratic. Damping is part of Q. Start:
/// (x^1 - x^{-1})/(2h) = v^0. Conserved for every h: the energy (19) at n+1/2 with V(m+); what Q does is booked,
/// exactly. U(q,t) is taken at t_n and g(q,t) averaged over t_{n-1} and t_{n+1}; what they do is booked exactly, too
/// (alpha_equations.hpp, alpha_multiplier.hpp). Order 2 (4 in x for alpha = 1/12, U quadratic, starts from rest).
/// Stable for alpha >= 1/4; below that for h < 2/[lambda_max(M^-1 A) (1 - 4 alpha)]^(1/2), (23), and the step's report
/// warns. The state's p is M v with the central v; with constraints G v = O(h^2). Source: Glowinski, Holmstroem, (16),
/// (19), (23), (31) with the errata that alpha_potential.hpp and alpha_step.hpp describe.
///
/// For a mass that depends on the configuration, (40), which in (q,p) is the implicit midpoint rule
///
///     q1 - q0 = h H_p(q_m, p_m),    p1 - p0 = -h (H_q(q_m, p_m) - Q(q_m, (q1 - q0)/h, t_m))
///
/// with constraints as impulses at both ends that keep both levels (impulse_multiplier.hpp). Symplectic and
/// symmetric (U(q,t) averaged over both ends of the step; without U(q,t) and g(q,t) symplectic); the energy is kept up
/// to O(h^2) only, alpha-exact keeps it. The work of forces is booked. State::lambda are the index-1 multipliers of the
/// state, which is consistent at both levels. The start is (q0, p0) itself; with start=printed that of (40),
/// (printed_start.hpp), which differs by O(h^2) unless v0 = 0.

#include "gnomon/registry/plugin.hpp"
#include "kernels/alpha/alpha_scheme.hpp"
#include "kernels/discrete_gradient/configuration_schemes.hpp"
#include "kernels/discrete_gradient/printed_start.hpp"

namespace {

using namespace gnomon;

class Alpha final : public MechanicalScheme {
 public:
  std::string name() const override { return "alpha"; }
  std::string description() const override {
    return "two-step alpha-scheme with Lagrange multipliers; conserves an energy at n+1/2, or is symplectic where the "
           "mass depends on q";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "(16), (23), (31), (40)";
  }
  OptionSpecs options() const override {
    return {
        kernels::alpha_option(),
        OptionSpec::choice("start", {"state", "printed"},
                           "where the mass depends on q: (40) from p0, or from (q^1 - q^{-1})/(2h) = v0 as printed, "
                           "without constraints and forces")};
  }
  Promises promises() const override {
    Promises p = kernels::alpha_promises();
    p.hidden = p.symplectic = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    if (system.parts().mass) {
      kernels::require_quarter(*this, system, options);
      if (options.is("start", "printed")) return printed(system);
      return {kernels::impulse_step(system), kernels::configuration_promises(system, false, true)};
    }
    if (options.is("start", "printed"))
      refuse(*this, system, "its mass is constant, where the scheme always starts as printed: leave out start");
    kernels::AlphaRule rule = kernels::alpha_rule(*this, system, options);
    Promises promised = kernels::alpha_promises();
    promised.position = system.m() > 0;
    return {kernels::alpha_step(system, nullptr, rule), promised};
  }

 private:
  /// The first step is another map than the others.
  Binding printed(const System& system) const {
    if (system.m() > 0 || system.parts().force || system.parts().time_dependence)
      refuse(*this, system, "start=printed is for (40) without constraints, forces and time; use start=state");
    Promises promised = kernels::configuration_promises(system, false, true);
    promised.symmetric = promised.symplectic = false;
    return {std::make_unique<kernels::PrintedStart>(system, kernels::impulse_step(system)), promised};
  }
};

}  // namespace

GNOMON_PLUGIN(alpha) {
  registrar.add(std::make_unique<Alpha>());
}
