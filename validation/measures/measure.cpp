#include "measures/measure.hpp"

#include "gnomon/base/error.hpp"
#include "measures/published/alpha_measures.hpp"

namespace gnomon::validation {

const std::vector<std::string>& tier_names() {
  static const std::vector<std::string> names{"short", "quick", "standard", "full"};
  return names;
}

const std::string& to_string(Tier tier) {
  return tier_names()[static_cast<std::size_t>(tier)];
}

Tier tier_named(const std::string& name) {
  for (const Tier tier : {Tier::brief, Tier::quick, Tier::standard, Tier::full})
    if (name == to_string(tier)) return tier;
  throw unknown_name("tier", name, tier_names());
}

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all{
      {"promises", {"step", "steps", "order-until?", "symplectic-step?"}, measure_promises},
      {"invariants", {"step", "steps"}, measure_invariants},
      {"long-run", {"step", "steps"}, measure_long_run},
      {"order", {"step", "until", "references?", "table?"}, measure_order},
      {"order-levels", {"step", "until", "other"}, measure_order_levels},
      {"trajectory-error", {"step", "until", "references?", "reference-options?"}, measure_trajectory_error},
      {"symplectic", {"symplectic-step"}, measure_symplectic},
      {"symplectic-exact", {"step", "steps"}, measure_symplectic_exact},
      {"penetration", {"step", "until"}, measure_penetration},
      {"default-references", {"references", "until"}, measure_default_references},
      {"outcome", {"step?", "tolerances?", "until"}, measure_outcome},
      {"forced-run", {"step", "until"}, measure_forced_run},
      {"same-state", {"step", "until", "other"}, measure_same_state},
      {"reference-agreement",
       {"step", "until", "references", "tolerances", "reference-options?", "table?"},
       measure_reference_agreement},
      {"reaches-start", {"until", "references", "tolerances", "reference-options?", "start"}, measure_reaches_start},
      {"completes", {"step", "until", "references?", "tolerances?", "reference-options?"}, measure_completes},
      {"baseline-drift", {"step", "until", "references", "tolerances", "reference-options?"}, measure_baseline_drift},
      {"solvers-agree", {"step", "steps?"}, measure_solvers_agree},
      {"algebras-agree", {"step"}, measure_algebras_agree},
      {"dependent-constraints", {"step", "until"}, measure_dependent_constraints},
      {"solver-effort", {"step", "steps", "other"}, measure_solver_effort},
      {"fallback", {"step", "steps", "other"}, measure_fallback},
      {"published-hbvm", {"until", "table", "steps?"}, measure_published_hbvm},
      {"published-euler", {"until", "table"}, measure_published_euler},
      {"booked-work", {"step", "until"}, measure_booked_work},
      {"ledger", {"step", "steps"}, measure_ledger},
      {"condition", {"step"}, measure_condition},
      {"integral-error", {"step", "until"}, measure_integral_error},
      {"error-growth", {"step", "steps"}, measure_error_growth},
      {"self-convergence", {"step", "until"}, measure_self_convergence},
      {"penalty-limit", {"step", "until", "mu", "other"}, measure_penalty_limit},
      {"penalty-one-step", {"step", "steps", "mu", "other"}, measure_penalty_one_step},
      {"augmented-iterations", {"step", "steps", "other"}, measure_augmented_iterations},
      {"augmented-run", {"step", "steps"}, measure_augmented_run},
      {"hidden-constraints", {"step", "until", "other"}, measure_hidden_constraints},
      {"printed-condition", {"step", "mu?", "other?"}, measure_printed_condition},
      {"jacobian", {"step"}, measure_jacobian},
      {"allocations", {"step"}, measure_allocations},
      {"checkpoint", {"step", "steps"}, measure_checkpoint},
      {"constraint-levels", {"step", "until"}, measure_constraint_levels},
      {"contact-events", {"step", "until"}, measure_contact_events},
      {"contact-order", {"step", "until", "other"}, measure_contact_order},
      {"contact-agreement",
       {"step", "until", "references", "tolerances", "reference-options?"},
       measure_contact_agreement},
      {"contact-random", {"step", "until", "steps"}, measure_contact_random},
      {"beam-tip", {"step", "until", "table?"}, measure_beam_tip},
      {"beam-elastica", {}, measure_beam_elastica},
      {"beam-static", {"equilibrium?", "table?", "other?"}, measure_beam_static},
      {"derivatives", {}, measure_derivatives},
      {"published-alpha", {"table", "steps"}, measure_published_alpha},
      {"stability-limit", {"steps"}, measure_stability_limit},
      {"colliding-strings", {"step", "table"}, measure_colliding_strings},
  };
  return all;
}

const Measure& find_measure(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& measure : measures()) {
    if (measure.name == name) return measure;
    names.push_back(measure.name);
  }
  throw unknown_name("measure", name, names);
}

}  // namespace gnomon::validation
