/// gnomon run: one problem, one scheme, one solver, steps of one size or of a tolerance.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"
#include "program/commands/commands.hpp"
#include "program/commands/run_reference.hpp"
#include "program/output/trajectory_writer.hpp"
#include "program/run/output_times.hpp"
#include "program/run/progress.hpp"
#include "program/run/provenance.hpp"
#include "program/run/run_arguments.hpp"
#include "program/run/run_checkpoint.hpp"
#include "program/run/run_files.hpp"
#include "program/run/state_blocks.hpp"
#include "program/summary/contact_report.hpp"
#include "program/summary/run_report.hpp"
#include "report/json.hpp"

namespace gnomon::program {

namespace {

/// The references, started where the integrator starts.
std::vector<ReferenceRun> references_of(const Registry& registry, const RunArguments& arguments,
                                        ProblemInstance instance, const Integrator& integrator) {
  const StateBlocks start = state_blocks(integrator);
  instance.q0 = *start.values[0];
  instance.p0 = *start.values[1];
  return start_references(registry, arguments.references, instance, arguments.reference_options, arguments.contact);
}

/// The run with halved steps beside this one, or none.
std::unique_ptr<validation::StepHalving> start_halving(const Registry& registry, const RunArguments& arguments,
                                                       const ProblemInstance& instance,
                                                       const IntegratorOptions& options, double h,
                                                       const Integrator& integrator) {
  if (!arguments.estimate_error) return nullptr;
  if (!arguments.rtol.empty())
    throw Error(ErrorCode::bad_value,
                "--estimate-error is given with --rtol: it compares steps of one size with their halves");
  if (arguments.restart)
    throw Error(ErrorCode::bad_value,
                "--estimate-error is given with --restart: the run with halved steps must begin where this one did");
  return std::make_unique<validation::StepHalving>(
      integrator,
      registry.integrator(instance, arguments.scheme, arguments.solver,
                          parse_assignments(arguments.options, "--option"),
                          parse_assignments(arguments.solver_options, "--solver-option"), options),
      h);
}

/// What is left of the span after a restart.
void shorten(Span& span, const RunArguments& arguments, const Integrator& integrator) {
  const long done = integrator.counters().steps;
  const double t = integrator.state().t;
  if (span.by_time ? !(span.t_end > t) : span.steps <= done)
    throw Error(ErrorCode::bad_value,
                fmt::format("checkpoint \"{}\" is at step {}, t = {}: there is nothing left to do, {} must be larger",
                            *arguments.restart, done, number_text(t), span.by_time ? "--until" : "--steps"));
  if (!span.by_time) span.steps -= done;
}

/// The run before wrote the rows up to the checkpoint, perhaps to the same file.
void refuse_replacing(const std::string& output) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(output, ignored) && std::filesystem::file_size(output, ignored) > 0)
    throw Error(ErrorCode::bad_file, "output file \"" + output +
                                         "\" exists, and --restart would replace it by the rest of the run: give "
                                         "--output another name");
}

/// What --output asks for, with the first state in it, or none.
std::unique_ptr<TrajectoryWriter> trajectory_of(const Registry& registry, const RunArguments& arguments,
                                                const ProblemInstance& instance, const IntegratorOptions& options,
                                                const Span& span, const Integrator& integrator, long every) {
  if (!arguments.output) {
    if (arguments.times) throw Error(ErrorCode::bad_value, "--times is given without --output");
    return nullptr;
  }
  if (arguments.json && arguments.output == "-")
    throw Error(ErrorCode::bad_value, "both --output - and --json are given: only one of them can be standard output");
  if (arguments.restart) refuse_replacing(*arguments.output);
  Rows rows;
  rows.every = every;
  if (arguments.times) {
    if (every != 1) throw Error(ErrorCode::bad_value, "both --times and --every are given: only one of them can hold");
    rows.times = parse_times(*arguments.times, integrator.state().t, span.t_end);
    rows.side = [&registry, &arguments, &instance, options] {
      return registry.integrator(instance, arguments.scheme, arguments.solver,
                                 parse_assignments(arguments.options, "--option"),
                                 parse_assignments(arguments.solver_options, "--solver-option"), options);
    };
  }
  auto writer = std::make_unique<TrajectoryWriter>(*arguments.output, instance, run_provenance(arguments), integrator,
                                                   std::move(rows));
  writer->observe(integrator.state(), integrator.counters().steps);
  return writer;
}

/// Ends the run where a promise is seen broken.
class Strict final : public Observer {
 public:
  explicit Strict(const Integrator& integrator) : integrator_(&integrator) {}
  bool observe(const State&, long) override { return integrator_->broken_promises().empty(); }

 private:
  const Integrator* integrator_;
};

int run(const Registry& registry, const RunArguments& given) {
  if (is_reference(registry, given.scheme)) return run_reference(registry, given);
  // Everything that can be misuse comes first.
  RunArguments arguments = given.restart ? with_checkpoint(given) : given;
  if (arguments.problem.empty())
    throw Error(ErrorCode::bad_value, "PROBLEM is missing: give the name of a problem, or --restart FILE");
  if (!given.restart) take_run_defaults(registry.problem(arguments.problem), arguments);
  IntegratorOptions options = parse_integrator_options(registry, arguments);
  options.interrupt = Signals::caught();
  const long every = parse_count(arguments.every, "--every", 1);
  const ProblemInstance instance = registry.build(arguments.problem, parse_assignments(arguments.set, "--set"));
  Span span = parse_span(arguments, instance.t0);
  const long checkpoint_every = parse_checkpoint_every(arguments);
  if (!arguments.restart) choose_scheme(registry, instance, options, arguments);
  Integrator integrator = registry.integrator(instance, arguments.scheme, arguments.solver,
                                              parse_assignments(arguments.options, "--option"),
                                              parse_assignments(arguments.solver_options, "--solver-option"), options);
  if (!has_contacts(integrator) && (arguments.events || !arguments.contact.empty()))
    throw Error(ErrorCode::bad_value,
                fmt::format("{} is given, and problem {} with these parameters has no obstacles and no friction, or "
                            "scheme {} holds them itself",
                            arguments.events ? "--events" : "--contact", arguments.problem, arguments.scheme));
  std::vector<ReferenceRun> references = references_of(registry, arguments, instance, integrator);
  if (span.tolerances && !arguments.restart) integrator.set_tolerances(*span.tolerances);
  if (arguments.restart) {
    integrator.load(*arguments.restart);
    shorten(span, arguments, integrator);
  }
  Progress progress(instance.t0, span.t_end, span.steps, integrator.monitor());
  integrator.add_observer(progress);
  const EvaluatedOutputs outputs(instance);
  const auto writer = trajectory_of(registry, arguments, instance, options, span, integrator, every);
  if (writer) integrator.add_observer(*writer);
  const auto snapshots = snapshots_of(arguments, integrator.state().t, span.t_end, instance);
  if (snapshots) {
    snapshots->observe(integrator.state(), integrator.counters().steps);
    integrator.add_observer(*snapshots);
  }
  std::unique_ptr<RunPage> page;
  std::unique_ptr<TraceObserver> traced;
  if (arguments.report) {
    page = std::make_unique<RunPage>(*arguments.report, instance, span.t_end, 1 + references.size());
    const char* const discrete = integrator.equations().discrete_energy_name();
    const std::string steps =
        span.tolerances ? fmt::format("rtol = {:g}", span.tolerances->relative) : fmt::format("h = {:g}", span.h);
    traced = std::make_unique<TraceObserver>(
        page->add(arguments.scheme + ", " + steps, false, discrete ? discrete : ""), integrator);
    traced->observe(integrator.state(), integrator.counters().steps);
    integrator.add_observer(*traced);
  }
  std::unique_ptr<CheckpointWriter> checkpoints;
  if (arguments.checkpoint) {
    checkpoints = std::make_unique<CheckpointWriter>(arguments, integrator, checkpoint_every);
    integrator.add_observer(*checkpoints);
  }
  Strict strict(integrator);
  if (arguments.strict) integrator.add_observer(strict);

  const auto halving = start_halving(registry, arguments, instance, options, span.h, integrator);
  if (halving) integrator.add_observer(*halving);

  const long steps_before = integrator.counters().steps;
  const auto begin = std::chrono::steady_clock::now();
  const StepReport end = advance(integrator, span);
  RunReport report;
  report.problem = arguments.problem;
  report.scheme = arguments.scheme;
  report.scheme_options = arguments.options;
  report.solver = arguments.solver;
  report.step = span.h;
  report.steps_before = steps_before;
  report.t0 = instance.t0;
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  progress.finish();
  report.outputs = outputs.outputs();
  report.output_values = outputs.evaluate(integrator);
  const bool promise_broken = arguments.strict && !integrator.broken_promises().empty();
  const bool interrupted = Progress::interrupted() && (end.stopped_by_observer || !end.success());
  report.status = interrupted      ? "interrupted"
                  : !end.success() ? to_string(end.status)
                  : promise_broken ? "promise broken"
                                   : "success";
  report.message = end.message;
  if (interrupted)
    report.message = "interrupted at t = " + number_text(integrator.state().t);
  else if (end.success() && promise_broken)
    report.message = "promise broken: " + integrator.broken_promises().front().text();

  // What was computed comes first, and a file that cannot be written takes no other with it.
  Unwritten unwritten;
  if (writer) unwritten.keep([&] { writer->finish(); });
  if (checkpoints) unwritten.keep([&] { checkpoints->finish(); });
  if (snapshots)
    unwritten.keep([&] {
      snapshots->finish(fmt::format("{}, {}, {}", std::filesystem::path(arguments.problem).filename().string(),
                                    arguments.scheme, step_text(report, integrator)));
    });

  if (end.success() && !end.stopped_by_observer)
    for (ReferenceRun& reference : references)
      report.references.push_back({reference.name(), advance(reference, integrator.state().t, page.get())});
  if (halving) report.estimate = halving->estimate();
  std::FILE* const people = arguments.json || arguments.output == "-" ? stderr : stdout;
  std::vector<SummaryRow> rows = summary(report, integrator);
  for (const Index i : integrator.constraint_rank().dependent)
    rows.push_back({"dependent", "constraint: " + constraint_name(integrator.system(), i)});
  if (has_contacts(integrator)) add_contact(rows, integrator);
  print_summary(people, title(report), rows);
  if (arguments.events) print_events(people, integrator);
  if (arguments.json) fmt::print("{}", validation::json_text(run_json(report, integrator)));
  if (page)
    unwritten.keep([&] {
      page->finish({instance.model->name(), title(report), rows,
                    has_contacts(integrator) ? event_rows(integrator) : std::vector<std::array<std::string, 4>>{},
                    run_provenance(arguments)});
    });
  unwritten.say();
  if (interrupted) return ended_by_signal;
  const bool reference_failed = std::any_of(report.references.begin(), report.references.end(),
                                            [](const ReferenceOutcome& one) { return !one.end.success; });
  if (reference_failed && Progress::interrupted()) return ended_by_signal;
  return end.success() && !reference_failed && !promise_broken ? success : numerical_failure;
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "integrate a problem and report its invariants");
  command->footer(
      "Columns of --output: t; coordinates by name, bob1.x; their velocities der(bob1.x) and momenta p(bob1.x); "
      "multipliers\nlambda.rod1; energy and energy_error; position_max and velocity_max, the largest |g| and |G v + "
      "g_t|; "
      "momentum_error.NAME,\nintegral_error.NAME; the outputs of the problem. Of an overdetermined DAE y[0], z[0], "
      "p[0] "
      "and psi.NAME.\n\n"
      "e.g. gnomon run double-spherical-pendulum --set start=spatial --step 1e-3 --until 1 --reference ida-ggl");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add_system_flags(*command, *a);
  command->get_option("--scheme")->description("the scheme, or a reference, which runs like one");
  add_tolerance_flags(*command, *a);
  add("--solver", a->solver, "NAME", "the solver")->capture_default_str();
  add_repeatable(*command, "--solver-option", a->solver_options, "NAME=VALUE", "an option of the solver (repeatable)");
  command->add_flag("--events", a->events, "list the landings, impacts, launches and turnings");
  add_repeatable(*command, "--reference", a->references, "NAME", "run this reference too, and compare (repeatable)");
  add_repeatable(*command, "--reference-option", a->reference_options, "NAME=VALUE",
                 "an option of the references that have it (repeatable)");
  add("--output", a->output, "FILE",
      "write the trajectory to this .csv, .h5 (HDF5) or .jsonl (JSON lines) file; - is JSON lines to standard output");
  add("--times", a->times, "A:DT:B",
      "rows at exactly these times, or at those of a list \"0,1,2.5\": between two steps by one of the scheme's own "
      "from "
      "the first of them, beside the run, whose steps stay what they are");
  add("--snapshots", a->snapshots, "FILE",
      "write the curves of the model (rods, bodies, strings) to this .csv or .vtk file, or to a .pvd file and the .vtp "
      "files that it lists, a time series for ParaView");
  add("--snapshot-every", a->snapshot_every, "DT", "time between snapshots; a fiftieth of the run if left out");
  add("--report", a->report, "FILE",
      "a page of curves over time of the run and its references, and of the motion, as one .html file");
  add("--plot", a->plot, "FILE", "a plot of the snapshots as .svg, .png or .pdf, drawn by gnuplot");
  add("--checkpoint", a->checkpoint, "FILE", "write the complete state to this file at the end, or when interrupted");
  add("--checkpoint-every", a->checkpoint_every, "N", "and after every N-th step");
  add("--restart", a->restart, "FILE",
      "go on from this checkpoint, with everything as it was given then; --until or --steps may be given anew");
  add("--every", a->every, "K", "write every K-th state")->capture_default_str();
  command->add_flag("--estimate-error", a->estimate_error,
                    "take every step a second time as two halves, and report the error of positions, velocities and "
                    "multipliers that the difference shows");
  command->add_flag("--strict", a->strict, "end the run, with status 3, where a promise of the scheme is seen broken");
  command->add_flag("--json", a->json, "one JSON object on standard output, the summary on standard error");
  add_fallback_flags(*command, *a);
  command->callback([&invocation, a, command] {
    a->scheme_named = command->count("--scheme") > 0;
    a->solver_named = command->count("--solver") > 0;
    invocation.action = [a](const Registry& registry) { return run(registry, *a); };
  });
}

}  // namespace gnomon::program
