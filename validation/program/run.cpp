/// gnomon run: one problem, one scheme, one solver, steps of one size.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "../report/json.hpp"
#include "arguments.hpp"
#include "commands.hpp"
#include "contact_report.hpp"
#include "gnomon/error.hpp"
#include "progress.hpp"
#include "run_report.hpp"
#include "state_blocks.hpp"
#include "trajectory_writer.hpp"

namespace gnomon::program {

namespace {

constexpr int interrupted_status = 130;  // as shells report SIGINT

struct Arguments {
  std::string problem, scheme = "energy-momentum", solver = "kinsol-newton";
  std::string step, until, steps, every = "1", max_halvings = "0";
  std::vector<std::string> set, options, solver_options, reference_options, contact;
  std::string jacobian = "analytic";
  std::optional<std::string> output, reference;
  bool json = false, project_start = false, dependent_constraints = false, events = false;
};

/// How far to go: to a time, or a number of steps.
struct Span {
  double h = 0, t_end = 0;
  long steps = 0;
  bool by_time = false;
};

Span parse_span(const Arguments& arguments, double t0) {
  Span span;
  if (arguments.step.empty())
    throw Error(ErrorCode::bad_value, "--step is missing: give the step size, e.g. --step 1e-3");
  span.h = parse_real(arguments.step, "--step");
  if (span.h <= 0) throw Error(ErrorCode::bad_value, "--step = " + arguments.step + " is not above zero");
  if (arguments.until.empty() == arguments.steps.empty())
    throw Error(ErrorCode::bad_value, arguments.until.empty()
                                          ? "neither --until nor --steps is given: one of them says how far to go"
                                          : "both --until and --steps are given: only one of them can hold");
  if (!arguments.steps.empty()) {
    span.steps = parse_count(arguments.steps, "--steps", 1);
    span.t_end = t0 + static_cast<double>(span.steps) * span.h;
    if (!std::isfinite(span.t_end))
      throw Error(ErrorCode::bad_value, fmt::format("--steps = {} of --step = {} end beyond the range of numbers",
                                                    arguments.steps, arguments.step));
    return span;
  }
  span.by_time = true;
  span.t_end = parse_real(arguments.until, "--until");
  if (span.t_end <= t0)
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} is not after the start time {}", arguments.until, number_text(t0)));
  const double count = std::ceil((span.t_end - t0) / span.h - 1e-9);
  if (count < 1)
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} is less than 1e-9 steps after the start time {}: that is "
                            "no step at all",
                            arguments.until, number_text(t0)));
  if (!(count <= 1e15))
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} with --step = {} would take {:g} steps, at most 1e15 are possible",
                            arguments.until, arguments.step, count));
  span.steps = static_cast<long>(count);
  return span;
}

IntegratorOptions parse_integrator_options(const Arguments& arguments) {
  IntegratorOptions options;
  options.project_start = arguments.project_start;
  options.dependent_constraints = arguments.dependent_constraints;
  options.contact = contact_options(parse_assignments(arguments.contact, "--contact"));
  options.max_halvings = static_cast<int>(parse_count(arguments.max_halvings, "--max-halvings", 0));
  if (options.max_halvings > 40)
    throw Error(ErrorCode::bad_value, "--max-halvings = " + arguments.max_halvings + " is above 40");
  std::vector<std::string> known;
  for (const auto source : {JacobianSource::analytic, JacobianSource::dual, JacobianSource::differences}) {
    if (arguments.jacobian == to_string(source)) {
      options.jacobian = source;
      return options;
    }
    known.emplace_back(to_string(source));
  }
  throw unknown_name("Jacobian source", arguments.jacobian, known);
}

/// A reference started where the integrator starts, or none.
std::unique_ptr<ReferenceSolution> start_reference(const Registry& registry, const Arguments& arguments,
                                                   ProblemInstance instance, const Integrator& integrator) {
  if (!arguments.reference) {
    if (!arguments.reference_options.empty())
      throw Error(ErrorCode::bad_value, "--reference-option is given without --reference");
    return nullptr;
  }
  const Reference& reference = registry.reference(*arguments.reference);
  const StateBlocks start = state_blocks(integrator);
  instance.q0 = *start.values[0];
  instance.p0 = *start.values[1];
  return reference.start(instance, Options("reference " + *arguments.reference, reference.options(),
                                           parse_assignments(arguments.reference_options, "--reference-option")));
}

int run(const Registry& registry, const Arguments& arguments) {
  // Everything that can be misuse comes first.
  const IntegratorOptions options = parse_integrator_options(arguments);
  const long every = parse_count(arguments.every, "--every", 1);
  const ProblemInstance instance = registry.build(arguments.problem, parse_assignments(arguments.set, "--set"));
  const Span span = parse_span(arguments, instance.t0);
  Integrator integrator = registry.integrator(instance, arguments.scheme, arguments.solver,
                                              parse_assignments(arguments.options, "--option"),
                                              parse_assignments(arguments.solver_options, "--solver-option"), options);
  if (!has_contacts(integrator) && (arguments.events || !arguments.contact.empty()))
    throw Error(ErrorCode::bad_value, fmt::format("{} is given, and problem {} with these parameters has no obstacles",
                                                  arguments.events ? "--events" : "--contact", arguments.problem));
  const auto reference = start_reference(registry, arguments, instance, integrator);
  std::unique_ptr<TrajectoryWriter> writer;
  if (arguments.output) {
    writer = std::make_unique<TrajectoryWriter>(*arguments.output, integrator, every);
    writer->observe(integrator.state(), 0);
    integrator.add_observer(*writer);
  }
  Progress progress(instance.t0, span.t_end, span.steps, integrator.monitor());
  integrator.add_observer(progress);

  const auto begin = std::chrono::steady_clock::now();
  const StepReport end =
      span.by_time ? integrator.advance_to(span.t_end, span.h) : integrator.advance(span.steps, span.h);
  RunReport report;
  report.problem = arguments.problem;
  report.scheme = arguments.scheme;
  report.solver = arguments.solver;
  report.step = span.h;
  report.t0 = instance.t0;
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  progress.finish();
  report.status = !end.success() ? to_string(end.status) : end.stopped_by_observer ? "interrupted" : "success";
  report.message = end.message;
  if (end.stopped_by_observer) report.message = "interrupted at t = " + number_text(integrator.state().t);
  if (reference && end.success() && !end.stopped_by_observer) {
    report.reference = *arguments.reference;
    report.reference_end = reference->advance_to(integrator.state().t);
  }
  std::FILE* const people = arguments.json ? stderr : stdout;
  print_summary(people, report, integrator);
  for (const Index i : integrator.constraint_rank().dependent)
    fmt::print(people, "dependent constraint: {}\n", constraint_name(integrator.system(), i));
  if (has_contacts(integrator)) print_contact(people, integrator, arguments.events);
  if (arguments.json) fmt::print("{}", validation::json_text(run_json(report, integrator)));
  if (writer) writer->finish(integrator.state(), integrator.counters().steps);
  if (end.stopped_by_observer) return interrupted_status;
  const bool reference_failed = report.reference_end && !report.reference_end->success;
  return end.success() && !reference_failed ? success : numerical_failure;
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "integrate a problem and report its invariants");
  command->footer(
      "e.g. gnomon run double-spherical-pendulum --set start=spatial --step 1e-3 --until 1 --reference ida-ggl");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add("PROBLEM", a->problem, "", "name of the problem")->required();
  add("--scheme", a->scheme, "NAME", "the scheme")->capture_default_str();
  add("--solver", a->solver, "NAME", "the solver")->capture_default_str();
  add("--step", a->step, "H", "step size");
  add("--until", a->until, "T", "end time; the last step is shortened to arrive");
  add("--steps", a->steps, "N", "number of steps, instead of --until");
  const std::string pair = "NAME=VALUE";
  add_repeatable(*command, "--set", a->set, pair, "a parameter of the problem (repeatable)");
  add_repeatable(*command, "--option", a->options, pair, "an option of the scheme (repeatable)");
  add_repeatable(*command, "--solver-option", a->solver_options, pair, "an option of the solver (repeatable)");
  add_repeatable(*command, "--contact", a->contact, pair,
                 "how contacts with obstacles are treated: mode, restitution, zeno-speed (repeatable)");
  command->add_flag("--events", a->events, "list the landings, impacts, launches and turnings");
  add("--reference", a->reference, "NAME", "compare the end with this reference");
  add_repeatable(*command, "--reference-option", a->reference_options, pair, "an option of the reference (repeatable)");
  add("--output", a->output, "FILE", "write the trajectory to this CSV file");
  add("--every", a->every, "K", "write every K-th state")->capture_default_str();
  command->add_flag("--json", a->json, "one JSON object on standard output, the summary on standard error");
  add("--jacobian", a->jacobian, "SOURCE", "analytic, dual or differences")->capture_default_str();
  command->add_flag("--project-start", a->project_start, "repair an inconsistent start in the mass metric");
  command->add_flag("--dependent-constraints", a->dependent_constraints,
                    "allow constraints that repeat others, name them, and take least-norm multipliers");
  add("--max-halvings", a->max_halvings, "N", "cut a refused step into up to 2^N substeps")->capture_default_str();
  command->callback(
      [&invocation, a] { invocation.action = [a](const Registry& registry) { return run(registry, *a); }; });
}

}  // namespace gnomon::program
