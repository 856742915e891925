#include "program/summary/run_report.hpp"

#include <fmt/format.h>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/contact/gained_energy.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/scheme/step_warning.hpp"
#include "gnomon/start/consistency.hpp"
#include "program/cli/say.hpp"
#include "program/cli/terminal.hpp"
#include "program/run/provenance.hpp"
#include "program/summary/contact_report.hpp"
#include "program/summary/error_report.hpp"
#include "report/json.hpp"

namespace gnomon::program {

using validation::to_json;

namespace {

/// What the scheme has to say about the last step, or the contacts about all of them; empty: nothing.
std::string warning(const Integrator& integrator) {
  if (has_contacts(integrator)) return gained_energy(integrator);
  const auto* equations = dynamic_cast<const StepWarning*>(&integrator.equations());
  const char* const text = equations != nullptr ? equations->warning() : nullptr;
  return text != nullptr ? text : "";
}

/// Something outside H has done work.
bool works(const Work& work) {
  for (int i = 0; i < Work::terms; ++i)
    if (work.term(i) != 0) return true;
  return false;
}

std::string terms(const Work& work) {
  std::string out;
  for (int i = 0; i < Work::terms; ++i)
    if (work.term(i) != 0)
      out += fmt::format("{}{} {:.10g}", out.empty() ? "" : " + ", Work::name(i), static_cast<double>(work.term(i)));
  return out;
}

}  // namespace

std::optional<double> ReferenceOutcome::position_error(const Vector& q) const {
  if (!end.success) return std::nullopt;
  const double scale = end.q.norm();
  return (q - end.q).norm() / (scale > 0 ? scale : 1);
}

std::string step_text(double step, const Integrator& integrator) {
  const Tolerances* tolerances = integrator.tolerances();
  if (!tolerances) return fmt::format("h = {:g}", step);
  const StepEstimates& sizes = integrator.step_estimates();
  const std::string absolute = tolerances->absolute == 0 ? "" : fmt::format(", atol = {:g}", tolerances->absolute);
  // Steps that arrive at a time that was asked for do not count, unless there are no others.
  const bool others = sizes.largest > 0;
  return fmt::format("rtol = {:g}{}, h = {:.3g} .. {:.3g}", tolerances->relative, absolute,
                     others ? sizes.smallest : sizes.last, others ? sizes.largest : sizes.last);
}

std::string title(const RunFacts& facts) {
  const RunArguments& a = facts.arguments;
  std::string text = a.problem + ", " + a.scheme;
  for (const auto& [name, value] : a.options) text += " " + name + "=" + value;
  text += " through " + a.solver;
  return a.default_tolerance ? text + ", rtol = " + a.rtol + " (the default)" : text;
}

void print_summary(std::FILE* out, const std::string& title, const std::vector<SummaryRow>& rows) {
  say(out, "{}\n", title);
  for (const SummaryRow& row : rows) {
    fmt::print(out, "  {} ", row_label(out, row.label, 12));
    say(out, "{}\n", row.text);
  }
}

void add_outputs(std::vector<SummaryRow>& rows, const std::vector<Output>& outputs, const Vector& values) {
  constexpr std::size_t most = 10;
  const std::size_t count = outputs.size();
  for (std::size_t i = 0; i < std::min(count, most); ++i)
    rows.push_back({i ? "" : "outputs", fmt::format("{} = {:.10g}{}", outputs[i].name, values[static_cast<Index>(i)],
                                                    outputs[i].unit.empty() ? "" : " " + outputs[i].unit)});
  if (count > most) rows.push_back({"", fmt::format("and {} more, which --output and --json write", count - most)});
}

void add_levels(std::vector<SummaryRow>& rows, const ReferenceReport& end) {
  if (!end.levels) return;
  const ReferenceLevels& own = *end.levels;
  rows.push_back({"", fmt::format("its own run: {}max |g| {:.2e}, max |G v| {:.2e}",
                                  own.conservative ? fmt::format("energy error {:.2e}, ", own.energy) : "",
                                  own.position, own.velocity)});
}

std::string tolerance_text(const ReferenceReport& end, const ReferenceTolerance& wanted) {
  const double rtol = end.rtol > 0 ? end.rtol : wanted.rtol;
  if (!(rtol > 0)) return {};
  const bool as_wanted = rtol <= wanted.rtol * (1 + 1e-6);
  return fmt::format("rtol = {:g}, {}{}", rtol, as_wanted ? wanted.why : "the tightest with which it ends",
                     end.own_error ? fmt::format(", own error {:.1e}", *end.own_error) : "");
}

void add_references(std::vector<SummaryRow>& rows, const std::vector<ReferenceOutcome>& references, const Vector& q) {
  for (const ReferenceOutcome& reference : references) {
    const ReferenceReport& end = reference.end;
    if (const auto error = reference.position_error(q)) {
      rows.push_back(
          {"reference", fmt::format("{} at t = {:g}: relative position error {:.4e}{}{}", reference.name, end.t, *error,
                                    reference.rtol() > 0 ? "; " : "", tolerance_text(end, reference.wanted))});
      if (end.own_error && *error <= *end.own_error)
        rows.push_back({"", std::string("the run is no further from it than its own error") +
                                (reference.rtol() > thresholds::tightest_reference
                                     ? ": a smaller --reference-option rtol= tells more of the run"
                                     : ", which is as small as it gets")});
    } else
      rows.push_back({"reference", fmt::format("{} stopped at t = {:g}: {}", reference.name, end.t, end.message)});
    add_levels(rows, end);
    if (!end.warning.empty()) rows.push_back({"WARNING", end.warning, true});
  }
}

std::string moved_by(const RunArguments& arguments, const ProblemInstance& given, const Vector& q, const Vector& p) {
  const std::string by_file = moved_start(*given.model);
  const System* system = given.model->mechanical();
  if (!arguments.project_start || !system) return by_file;
  Vector v0(system->n()), v(system->n()), scratch(system->n());
  system->velocity(given.q0, given.p0, scratch, v0);
  system->velocity(q, p, scratch, v);
  const std::string here = moved_text(*system, given.q0, v0, q, v);
  return here == "nothing" && !by_file.empty() ? by_file : here;
}

void add_moved_start(std::vector<SummaryRow>& rows, const RunFacts& facts) {
  if (!facts.moved_start.empty()) rows.push_back({"start", "moved to where it fits: " + facts.moved_start});
}

std::vector<SummaryRow> summary(const RunFacts& facts, const Integrator& integrator) {
  const InvariantMonitor& monitor = integrator.monitor();
  const RunCounters& counters = integrator.counters();
  const Drift& energy = monitor.energy();
  const double constant = integrator.model().traits().energy_constant;
  const double steps = static_cast<double>(std::max(counters.steps, 1L));
  const double timed_steps = static_cast<double>(std::max(counters.steps - facts.steps_before, 1L));
  std::vector<SummaryRow> out;
  const auto row = [&out](const char* label, const std::string& text, bool alarming = false) {
    out.push_back({label, text, alarming});
  };

  add_moved_start(out, facts);
  if (const std::string repaired = repaired_inertias(integrator.model()); !repaired.empty())
    row("repaired", "the inertia of " + repaired);
  row("promises", to_string(integrator.promises()));
  row("steps",
      fmt::format(
          "{} of {}, t = {:g} .. {:g}{}{}{}", counters.steps, step_text(facts.step, integrator), facts.t0,
          integrator.state().t,
          counters.error_test_failures ? fmt::format(", {} rejected", counters.error_test_failures) : "",
          counters.fallback_solves ? fmt::format(", {} solves by the fallback", counters.fallback_solves) : "",
          (counters.refused_steps ? fmt::format(", {} refused and cut", counters.refused_steps) : "") +
              (counters.unconnected_steps
                   ? fmt::format(", {} solutions not connected with the start of the step", counters.unconnected_steps)
                   : "") +
              (counters.unrefined_solves ? fmt::format(", {} solves unrefined", counters.unrefined_solves) : "")));
  add_switches(out, integrator);
  if (integrator.model().has_energy())
    row("energy", fmt::format("H0 = {:.10g}, max error {:.2e} (relative {:.2e}), slope {:.1e} a unit of time",
                              energy.initial() + constant, energy.max_abs_error(), monitor.relative_energy_error(),
                              energy.slope()));
  if (monitor.discrete_energy().count() > 0)
    row(integrator.equations().discrete_energy_name(),
        fmt::format("{:.10g}, max error {:.2e}, slope {:.1e} a unit of time",
                    monitor.discrete_energy().initial() + constant, monitor.discrete_energy().max_abs_error(),
                    monitor.discrete_energy().slope()));
  const Work& work = integrator.state().work;
  if (works(work)) row("work", fmt::format("{:.10g} = {}", static_cast<double>(work.total()), terms(work)));
  if (integrator.state().lambda.size() > 0)
    row("constraints", fmt::format("max |g| {:.2e}, max |G v| {:.2e}", monitor.position_max(), monitor.velocity_max()));
  if (const System* system = integrator.model().mechanical();
      system && system->m() > 0 && integrator.constraint_rank().rank >= system->n())
    row("freedoms", "none: constraints and what is prescribed determine the motion");
  if (const SingularPosition& singular = integrator.singular_position(); singular.step > 0)
    row("singular",
        fmt::format("G lost rank near t = {:g}, step {}; max |G v| {:.2e} up to there{}", singular.t, singular.step,
                    singular.velocity_before,
                    integrator.promises().hidden || monitor.velocity_max() <= 100 * singular.velocity_before
                        ? ""
                        : ". The velocities have left the constraints since: take a scheme that keeps them, "
                          "energy-momentum-ggl or line-integral-ggl"));
  const auto rows = [&](const char* label, const std::vector<Drift>& drifts, auto name_of) {
    for (std::size_t a = 0; a < drifts.size(); ++a)
      row(a ? "" : label, fmt::format("{}: {:.10g}, max error {:.2e}", name_of(static_cast<Index>(a)),
                                      drifts[a].initial(), drifts[a].max_abs_error()));
  };
  rows("momentum", monitor.momentum(),
       [&](Index a) { return integrator.system().parts().symmetries->symmetry_name(a); });
  rows("integral", monitor.integrals(),
       [&](Index a) { return integrator.system().parts().integrals->integral_name(a); });
  add_outputs(out, facts.outputs, facts.output_values);
  row("effort",
      fmt::format(
          "{:.2f} iterations a step, {}{:.2f} us a step, {:.3g} s", counters.iterations / steps,
          counters.repeated_solves ? fmt::format("in {:.2f} solves, ", 1 + counters.repeated_solves / steps) : "",
          1e6 * facts.wall_s / timed_steps, facts.wall_s));
  if (facts.estimate) add_estimate(out, *facts.estimate);
  add_references(out, facts.references, integrator.state().q.value());
  for (const BrokenPromise& broken : integrator.broken_promises()) row("BROKEN", "promise " + broken.text(), true);
  if (const std::string text = warning(integrator); !text.empty()) row("WARNING", text, true);
  if (!facts.message.empty()) row("STOPPED", facts.message, true);
  return out;
}

namespace {

template <class Name>
Json::Value drifts_json(const std::vector<Drift>& drifts, Name name_of) {
  Json::Value out(Json::arrayValue);
  for (std::size_t a = 0; a < drifts.size(); ++a) {
    Json::Value one;
    one["name"] = name_of(static_cast<Index>(a));
    one["initial"] = to_json(drifts[a].initial());
    one["max_abs_error"] = to_json(drifts[a].max_abs_error());
    one["slope"] = to_json(drifts[a].slope());
    out.append(one);
  }
  return out;
}

}  // namespace

Json::Value broken_json(const std::vector<BrokenPromise>& promises) {
  Json::Value out(Json::arrayValue);
  for (const BrokenPromise& broken : promises) {
    Json::Value one;
    one["name"] = broken.measure.name();
    one["step"] = Json::Int64(broken.step);
    one["t"] = to_json(broken.t);
    one["error"] = to_json(broken.measure.error);
    one["allowed"] = to_json(broken.measure.gate);
    out.append(one);
  }
  return out;
}

Json::Value levels_json(const ReferenceLevels& own) {
  Json::Value out;
  out["energy_max_abs_error"] = own.conservative ? to_json(own.energy) : Json::Value();
  out["position_max"] = to_json(own.position);
  out["velocity_max"] = to_json(own.velocity);
  out["doubtful_from"] = own.doubtful_from ? to_json(*own.doubtful_from) : Json::Value();
  return out;
}

Json::Value reference_json(const ReferenceOutcome& reference, const Vector& q) {
  const ReferenceReport& end = reference.end;
  Json::Value out = end.levels ? levels_json(*end.levels) : Json::Value(Json::objectValue);
  out["name"] = reference.name;
  out["success"] = end.success;
  out["t"] = to_json(end.t);
  const auto error = reference.position_error(q);
  out["position_error"] = error ? to_json(*error) : Json::Value();
  if (reference.rtol() > 0) out["rtol"] = to_json(reference.rtol());
  if (end.own_error) out["own_error"] = to_json(*end.own_error);
  if (!end.message.empty()) out["message"] = end.message;
  if (!end.warning.empty()) out["warning"] = end.warning;
  return out;
}

void add_facts(Json::Value& out, const RunFacts& facts, const Vector& q) {
  out["problem"] = facts.arguments.problem;
  out["scheme"] = facts.arguments.scheme;
  out["scheme_options"] = texts_json(facts.arguments.options);
  out["status"] = facts.status;
  if (!facts.message.empty()) out["message"] = facts.message;
  for (std::size_t i = 0; i < facts.outputs.size(); ++i)
    out["outputs"][facts.outputs[i].name] = to_json(facts.output_values[static_cast<Index>(i)]);
  if (!facts.moved_start.empty()) out["moved_start"] = facts.moved_start;
  out["wall_s"] = facts.wall_s;
  for (const ReferenceOutcome& one : facts.references) out["references"].append(reference_json(one, q));
}

Json::Value run_json(const RunFacts& facts, const Integrator& integrator) {
  const InvariantMonitor& monitor = integrator.monitor();
  const RunCounters& counters = integrator.counters();
  const Drift& energy = monitor.energy();
  const double constant = integrator.model().traits().energy_constant;

  Json::Value out;
  add_facts(out, facts, integrator.state().q.value());
  out["solver"] = facts.arguments.solver;
  out["step"] = facts.step;
  if (const Tolerances* tolerances = integrator.tolerances()) {
    out["step"] = Json::Value();
    Json::Value& of = out["tolerance"];
    of["relative"] = tolerances->relative;
    of["absolute"] = tolerances->absolute > 0 ? Json::Value(tolerances->absolute) : Json::Value();
    of["smallest_step"] = integrator.step_estimates().smallest;
    of["largest_step"] = integrator.step_estimates().largest;
  }
  out["steps"] = Json::Int64(counters.steps);
  out["t"] = integrator.state().t;
  if (const std::string text = warning(integrator); !text.empty()) out["warning"] = text;
  out["promises"] = to_string(integrator.promises());
  out["broken_promises"] = broken_json(integrator.broken_promises());
  const State& z = integrator.state();
  const auto& names = integrator.model().traits().state_names;
  out["state"][names[0]] = to_json(z.q.value());
  out["state"][names[1]] = to_json(integrator.model().second_half(z.view()));
  out["state"][names[2]] = to_json(z.lambda);
  out["energy"] = Json::Value();
  if (integrator.model().has_energy()) {
    out["energy"]["initial"] = to_json(energy.initial() + constant);
    out["energy"]["max_abs_error"] = to_json(energy.max_abs_error());
    out["energy"]["max_rel_error"] = to_json(monitor.relative_energy_error());
    out["energy"]["slope"] = to_json(energy.slope());
  }
  if (monitor.discrete_energy().count() > 0) {
    Json::Value& discrete = out["discrete_energy"];
    discrete["name"] = integrator.equations().discrete_energy_name();
    discrete["initial"] = to_json(monitor.discrete_energy().initial() + constant);
    discrete["max_abs_error"] = to_json(monitor.discrete_energy().max_abs_error());
    discrete["slope"] = to_json(monitor.discrete_energy().slope());
  }
  if (const Work& work = integrator.state().work; works(work)) {
    out["work"]["total"] = to_json(static_cast<double>(work.total()));
    for (int i = 0; i < Work::terms; ++i) out["work"][Work::name(i)] = to_json(static_cast<double>(work.term(i)));
  }
  out["constraints"]["position_max"] = to_json(monitor.position_max());
  out["constraints"]["velocity_max"] = to_json(monitor.velocity_max());
  if (const SingularPosition& singular = integrator.singular_position(); singular.step > 0) {
    Json::Value& place = out["singular_position"];
    place["step"] = Json::Int64(singular.step);
    place["t"] = to_json(singular.t);
    place["pivot_ratio"] = to_json(singular.pivot_ratio);
    place["velocity_before"] = to_json(singular.velocity_before);
  }
  out["momentum"] = drifts_json(monitor.momentum(),
                                [&](Index a) { return integrator.system().parts().symmetries->symmetry_name(a); });
  out["integrals"] = drifts_json(monitor.integrals(),
                                 [&](Index a) { return integrator.system().parts().integrals->integral_name(a); });
  if (has_contacts(integrator)) out["contact"] = contact_json(integrator);
  if (has_switches(integrator)) out["switches"] = switches_json(integrator);
  out["counters"]["iterations"] = Json::Int64(counters.iterations);
  out["counters"]["residual_evaluations"] = Json::Int64(counters.residual_evaluations);
  out["counters"]["jacobian_evaluations"] = Json::Int64(counters.jacobian_evaluations);
  out["counters"]["factorisations"] = Json::Int64(counters.factorisations);
  out["counters"]["refinement_passes"] = Json::Int64(counters.refinement_passes);
  out["counters"]["unrefined_solves"] = Json::Int64(counters.unrefined_solves);
  out["counters"]["repeated_solves"] = Json::Int64(counters.repeated_solves);
  out["counters"]["fallback_solves"] = Json::Int64(counters.fallback_solves);
  out["counters"]["refused_steps"] = Json::Int64(counters.refused_steps);
  out["counters"]["followed_steps"] = Json::Int64(counters.followed_steps);
  out["counters"]["unconnected_steps"] = Json::Int64(counters.unconnected_steps);
  out["counters"]["error_test_failures"] = Json::Int64(counters.error_test_failures);
  if (facts.estimate) out["error_estimate"] = estimate_json(*facts.estimate);
  return out;
}

}  // namespace gnomon::program
