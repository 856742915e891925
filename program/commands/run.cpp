/// gnomon run: one problem, and one scheme with its solver and its steps, or one reference.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/case_folder.hpp"
#include "program/commands/commands.hpp"
#include "program/output/snapshots.hpp"
#include "program/output/trajectory_writer.hpp"
#include "program/run/output_times.hpp"
#include "program/run/progress.hpp"
#include "program/run/provenance.hpp"
#include "program/run/reference_trajectory.hpp"
#include "program/run/run_checkpoint.hpp"
#include "program/run/signals.hpp"
#include "program/summary/contact_report.hpp"
#include "report/json.hpp"

namespace gnomon::program {

namespace {

/// The run and the references beside it.
struct Setup {
  RunArguments arguments;
  std::string description;  ///< of the problem
  std::unique_ptr<Trajectory> run;
  std::vector<std::unique_ptr<ReferenceTrajectory>> references;
};

/// Everything that can be misuse comes first.
Setup set_up(const Registry& registry, const RunArguments& given, CommandPaths paths) {
  Setup setup;
  RunArguments& arguments = setup.arguments;
  arguments = given.restart ? with_checkpoint(given) : given;
  require_problem(arguments, "the name of a problem or of a model file, or --restart FILE");
  if (given.restart) paths.reads("PROBLEM of --restart", model_path(arguments.problem));
  if (!given.restart) take_run_defaults(registry, arguments);
  setup.description = registry.problem(arguments.problem).description();
  setup.run = start_trajectory(registry, registry.build(arguments.problem, arguments.set), arguments);
  setup.references = start_references(registry, arguments, setup.run->instance());
  return setup;
}

/// The run before wrote the rows up to the checkpoint, perhaps to the same file.
void refuse_replacing(const std::string& output) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(output, ignored) && std::filesystem::file_size(output, ignored) > 0)
    throw Error(ErrorCode::bad_file, "output file \"" + output +
                                         "\" exists, and --restart would replace it by the rest of the run: give "
                                         "--output another name");
}

/// The writer of rows that --output asks for, or none.
std::unique_ptr<TrajectoryWriter> rows_of(const RunArguments& a, Trajectory& run) {
  const long every = parse_count(a.every, "--every", 1);
  if (a.times && !a.output) throw Error(ErrorCode::bad_value, "--times is given without --output");
  if (a.times && every != 1)
    throw Error(ErrorCode::bad_value, "both --times and --every are given: only one of them can hold");
  if (!a.output) return nullptr;
  if (is_motion_file(a.output)) {
    if (a.times || every != 1)
      throw Error(ErrorCode::bad_value, std::string(a.times ? "--times" : "--every") + " is given with --output " +
                                            *a.output + ", which is a motion and has no rows");
    if (!run.instance().solids)
      throw Error(ErrorCode::refused, "--output " + *a.output + ": model " + run.instance().model->name() +
                                          " has no bodies in space, which the motion in it would be of");
    return nullptr;
  }
  if (a.json && a.output == "-")
    throw Error(ErrorCode::bad_value, "both --output - and --json are given: only one of them can be standard output");
  if (a.restart) refuse_replacing(*a.output);
  std::vector<double> times;
  if (a.times) times = parse_times(*a.times, run.state().t, run.t_end());
  return std::make_unique<TrajectoryWriter>(*a.output, run_provenance(a), run, every, times);
}

/// The snapshots that --snapshots and --plot ask for, or none.
std::unique_ptr<Snapshots> snapshots_of(const RunArguments& a, const Trajectory& run) {
  const double usual_count = a.snapshots ? 50 : 200;  // of a picture some are chosen
  if (!a.snapshots && !a.plot) {
    if (a.snapshot_every) throw Error(ErrorCode::bad_value, "--snapshot-every is given without --snapshots or --plot");
    return nullptr;
  }
  const double t = run.state().t, way = run.t_end() - t;
  const double every = a.snapshot_every ? parse_real(*a.snapshot_every, "--snapshot-every") : way / usual_count;
  if (!(every > 0)) throw Error(ErrorCode::bad_value, "--snapshot-every = " + *a.snapshot_every + " is not above zero");
  if (!(way / every <= 1e15))
    throw Error(ErrorCode::bad_value,
                fmt::format("--snapshot-every = {} asks for {:g} snapshots, at most 1e15 are possible",
                            *a.snapshot_every, way / every));
  return std::make_unique<Snapshots>(run.instance(), t, every, a.snapshots, a.plot);
}

/// What a run shows and writes while it goes on, and at its end.
class Outputs {
 public:
  explicit Outputs(const Setup& setup)
      : arguments_(setup.arguments),
        description_(setup.description),
        run_(*setup.run),
        progress_(run_),
        rows_(rows_of(arguments_, run_)),
        snapshots_(snapshots_of(arguments_, run_)) {
    if (rows_) run_.observe(*rows_);
    if (snapshots_) run_.observe(*snapshots_);
    const bool motion = is_motion_file(arguments_.output);
    if (!arguments_.report && !motion) return;
    page_.emplace(arguments_.report, motion ? arguments_.output : std::nullopt, run_.instance(), run_.t_end(),
                  1 + setup.references.size());
    trace_ = run_.trace(*page_);
    run_.observe(*trace_);
  }

  /// What was computed comes first, whatever becomes of the references.
  void keep() {
    progress_.finish();
    if (rows_) attempt([&] { rows_->finish(); });
    attempt([&] { run_.finish(); });
    if (snapshots_) attempt([&] { snapshots_->finish(run_.instance().model->name()); });
  }
  /// Runs a reference to where the run is.
  ReferenceOutcome beside(ReferenceTrajectory& reference) {
    std::unique_ptr<Observer> trace;
    if (page_) {
      trace = reference.trace(*page_);
      reference.observe(*trace);
    }
    Progress progress(reference, run_.state().t);
    ReferenceOutcome outcome{reference.name(), reference.advance_to(run_.state().t), reference.wanted()};
    progress.finish();
    return outcome;
  }
  /// Throws Error(bad_file) for files that could not be written.
  void finish(const RunReport& report) {
    std::FILE* const people = arguments_.json || arguments_.output == "-" ? stderr : stdout;
    print_summary(people, report.title, report.rows);
    if (arguments_.events) print_events(people, report.events);
    if (arguments_.json) say_lines(validation::json_text(report.json));
    if (page_)
      attempt([&] {
        const std::string& model = run_.instance().model->name();
        std::vector<SummaryRow> rows{{"run", report.title}};
        rows.insert(rows.end(), report.rows.begin(), report.rows.end());
        page_->finish({model, description_, rows, report.events, run_provenance(arguments_)});
      });
    if (!unwritten_.empty()) throw Error(ErrorCode::bad_file, unwritten_);
  }

 private:
  /// A file that cannot be written takes no other with it.
  void attempt(const std::function<void()>& write) {
    try {
      write();
    } catch (const std::exception& error) {
      unwritten_ += (unwritten_.empty() ? "" : "; ") + std::string(error.what());
    }
  }

  const RunArguments& arguments_;
  const std::string& description_;
  Trajectory& run_;
  Progress progress_;
  std::unique_ptr<TrajectoryWriter> rows_;
  std::unique_ptr<Snapshots> snapshots_;
  std::optional<RunPage> page_;
  std::unique_ptr<Observer> trace_;
  std::string unwritten_;  ///< why not, sentence after sentence
};

int status_of(const RunReport& report, bool references_failed) {
  if (report.status == "interrupted" || (references_failed && Signals::interrupted())) return ended_by_signal;
  return report.status == "success" && !references_failed ? success : numerical_failure;
}

int run(const Registry& registry, const RunArguments& given, const CommandPaths& paths) {
  const Signals signals;
  const Setup setup = set_up(registry, given, paths);
  Outputs outputs(setup);
  const bool arrived = setup.run->advance();
  outputs.keep();
  std::vector<ReferenceOutcome> beside;
  if (arrived)
    for (const auto& reference : setup.references) beside.push_back(outputs.beside(*reference));
  const bool failed = std::any_of(beside.begin(), beside.end(), [](const auto& one) { return !one.end.success; });
  const RunReport report = setup.run->report(std::move(beside));
  outputs.finish(report);
  return status_of(report, failed);
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "integrate a problem and report its invariants");
  command->footer(
      "Columns of --output: t; coordinates by name, bob1.x; their velocities der(bob1.x) and momenta p(bob1.x); "
      "multipliers\nlambda.rod1; energy and energy_error; position_max and velocity_max, the largest |g| and |G v + "
      "g_t|; momentum_error.NAME,\nintegral_error.NAME; the outputs of the problem. Of an overdetermined DAE y[0], "
      "z[0], p[0] and psi.NAME.\n\n"
      "e.g. gnomon run double-spherical-pendulum --set start=spatial --step 1e-3 --until 1 --reference ida-ggl");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add_system_flags(*command, *a);
  command->get_option("--scheme")
      ->default_str("")
      ->description(
          "the scheme, or a reference, which runs like one; left out, energy-momentum with --step, else one that "
          "suits the model and the tolerance");
  add_tolerance_flags(*command, *a);
  command->get_option("--rtol")->description(
      "error of q and of the velocities that is wanted, in parts of their sizes, in place of --step; 1e-6 where "
      "neither is given and the scheme takes a tolerance");
  add("--solver", a->solver, "NAME", "the solver")->capture_default_str();
  add_repeatable(*command, "--solver-option", a->solver_options, "an option of the solver (repeatable)");
  command->add_flag("--events", a->events,
                    "list the landings, impacts, launches and turnings, and the switches of formulas");
  add_repeatable(*command, "--reference", a->references, "NAME",
                 "run this reference too, and compare (repeatable); its tolerance is 1e-4 of --rtol, 1e-10 beside "
                 "steps of one size, or the tightest above with which it comes to the end");
  add_repeatable(*command, "--reference-option", a->reference_options,
                 "an option of the references that have it (repeatable), e.g. rtol=1e-12");
  add_repeatable(
      *command, "--sensitivity", a->sensitivity, "NAMES",
      "derivatives of the motion, as it is stepped, by parameters of the problem and by entries of its start, "
      "e.g. k,start.x,start.der(x): columns d(X)/d(k) of --output (repeatable)");
  add("--output", a->output, "FILE",
      "write the trajectory to this .csv, .h5 (HDF5) or .jsonl (JSON lines) file; - is JSON lines to standard output; "
      "FILE.glb is the motion of bodies in space (glTF)");
  add("--times", a->times, "A:DT:B",
      "rows at exactly these times, or at those of a list \"0,1,2.5\": between two steps by one of the scheme's own "
      "from the first of them, beside the run, whose steps stay what they are");
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
    invocation.action = [a, &invocation](const Registry& registry) { return run(registry, *a, invocation.paths); };
  });
}

}  // namespace gnomon::program
