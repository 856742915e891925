/// gnomon sweep: many runs of one problem to one table, by threads and by processes of MPI.
#include "ensembles/sweep.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>  // with the members of what App holds: a module has its own
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "ensembles/ensemble_blocks.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/cli/terminal.hpp"
#include "program/commands/case_folder.hpp"
#include "program/commands/commands.hpp"
#include "program/pages/commit.hpp"
#include "program/pages/report_file.hpp"
#include "program/run/signals.hpp"
#include "program/summary/run_report.hpp"
#include "program/sweep/sweep_arguments.hpp"
#include "program/sweep/sweep_report.hpp"
#include "report/json.hpp"

namespace gnomon::program {

namespace {

/// The text of a model file, which the registry has found; null for a problem that is none.
Json::Value model_text(const std::string& problem) {
  std::ifstream in(model_path(problem), std::ios::binary);
  if (!in) return Json::nullValue;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Json::Value origin_of(const SweepArguments& arguments) {
  Json::Value origin(Json::objectValue);
  origin["program"] = "gnomon " GNOMON_VERSION;
  origin["commit"] = commit;
  const Json::Value text = model_text(arguments.problem);
  if (!text.isNull()) origin["model"] = text;
  return origin;
}

/// The cores that this process may use, shared with the others of this machine.
int usual_threads(int processes) {
  cpu_set_t own;
  const int allowed = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 1;
  const int all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(1, std::min(allowed, all / std::max(processes, 1)));
}

int threads_of(const SweepArguments& arguments, const ensembles::Processes& processes) {
  constexpr long most = 4096;
  if (arguments.threads.empty()) return usual_threads(processes.on_this_host());
  const long threads = parse_count(arguments.threads, "--threads", 1);
  if (threads > most)
    throw Error(ErrorCode::bad_value, fmt::format("--threads = {} is above {}", arguments.threads, most));
  return static_cast<int>(threads);
}

/// The line on a terminal.
class SweepLine {
 public:
  void show(const ensembles::SweepProgress& at) {
    const Clock::time_point now = Clock::now();
    if (!visible_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    shown_ = true;
    const double share =
        static_cast<double>(at.done - at.before) / static_cast<double>(std::max(at.runs - at.before, 1L));
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    say(stderr, "\r{:5.1f} %{}  {} of {} runs, {:.4g} a second{}\033[K",
        100 * static_cast<double>(at.done) / static_cast<double>(at.runs), left_.text(share), at.done, at.runs,
        static_cast<double>(at.done - at.before) / seconds,
        at.failed > 0 ? fmt::format(", {} did not succeed", at.failed) : "");
    std::fflush(stderr);
  }
  void finish() {
    if (shown_) say(stderr, "\r\033[K");
    shown_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool visible_ = is_terminal(stderr), shown_ = false;
  TimeLeft left_;
  Clock::time_point begin_ = Clock::now(), next_ = begin_ + std::chrono::milliseconds(500);
};

void print_report(const SweepReport& report, const std::string& title, bool json) {
  print_summary(json ? stderr : stdout, title, sweep_rows(report));
  if (json) say_lines(validation::json_text(sweep_json(report)));
}

/// The page of --report, of what is complete.
void write_page(ReportFile& file, const SweepReport& report, const std::string& title) {
  if (!file || report.result.end == ensembles::SweepEnd::interrupted) return;
  const bool was_complete = report.result.end == ensembles::SweepEnd::was_complete;
  pages::Page page("Sweep of " + std::filesystem::path(report.problem).stem().string(), title);
  for (pages::Block& block : ensembles::ensemble_blocks(
           report.definition, was_complete ? ensembles::summary_of(report.output) : report.result.summary,
           report.command))
    page.add(std::move(block));
  page.add(pages::Section{"Basis"});
  page.add(surroundings());
  file.write(page);
}

int exit_of(const ensembles::SweepResult& result) {
  if (result.end == ensembles::SweepEnd::interrupted) return ended_by_signal;
  if (result.end == ensembles::SweepEnd::was_complete) return success;
  return result.summary.counts.front() == result.summary.runs ? success : numerical_failure;
}

int merge(const SweepArguments& a) {
  if (a.files.size() < 2)
    throw Error(ErrorCode::bad_value, "sweep merge needs the name of the table, and after it the files of all shards");
  if (a.output)
    throw Error(ErrorCode::bad_value, "--output is given with sweep merge, where the name of the table comes first");
  ReportFile page(a.report);
  SweepReport report;
  report.output = a.files.front();
  report.result.summary = ensembles::merge_shards(report.output, {a.files.begin() + 1, a.files.end()});
  report.definition = ensembles::provenance_of(report.output);
  report.problem = report.definition["problem"].asString();
  const std::string title = fmt::format("{}, {} shards", report.problem, a.files.size() - 1);
  print_report(report, title, a.json);
  write_page(page, report, title);
  return exit_of(report.result);
}

/// Set where the runs are to end.
volatile std::sig_atomic_t stop = 0;

int sweep(const Registry& registry, SweepArguments a, CommandPaths paths) {
  if (a.problem == "merge") return merge(a);
  const std::unique_ptr<ensembles::Processes> processes = ensembles::join_processes();
  const bool leads = processes->rank() == 0;
  std::optional<Ensemble> ensemble;
  std::optional<ReportFile> page;
  ensembles::SweepSettings settings;
  SweepReport report;
  const auto prepare = [&] {
    if (!a.files.empty())
      throw Error(ErrorCode::bad_value, fmt::format("sweep: unexpected argument \"{}\"", a.files.front()));
    read_sweep_file(a);
    if (!a.file.empty()) paths.reads("model", model_path(a.problem));
    if (!a.output) throw Error(ErrorCode::bad_value, "--output is missing: it names the table, e.g. --output runs.h5");
    settings.output = *a.output;
    if (leads) page.emplace(a.report);
    settings.threads = threads_of(a, *processes);
    const ensembles::Shard shard = sweep_shard(a);
    const Design design = sweep_design(a);
    EnsembleSetup setup = sweep_setup(registry, a, design);
    setup.integrator.interrupt = &stop;
    ensemble.emplace(registry, std::move(setup), design);
    ensembles::SweepJob job = ensembles::sweep_job(*ensemble, shard, origin_of(a));
    report.definition = job.definition;
    return job;
  };
  settings.resume = a.resume;
  settings.caught = Signals::caught();
  settings.stop = &stop;
  SweepLine line;
  settings.progress = [&line](const ensembles::SweepProgress& at) { line.show(at); };
  stop = 0;
  const Signals signals;
  try {
    report.result = ensembles::run_sweep(*processes, prepare, settings);
  } catch (const Error&) {
    line.finish();
    if (leads) throw;
    return success;  // rank 0 says it, and has the status of all
  }
  line.finish();
  if (!leads) return success;
  report.problem = a.problem;
  report.output = settings.output;
  report.threads = settings.threads;
  report.processes = processes->size();
  report.command = [&](long run) { return command_of_run(a, ensemble->assignments(run)); };
  std::set<std::string> varies;
  for (const Variable& variable : ensemble->design().variables()) varies.insert(variable.name);
  const std::string title =
      fmt::format("{}, {} through {}, {} runs", a.problem, varies.count("scheme") ? "schemes" : a.scheme,
                  varies.count("solver") ? "solvers" : a.solver, ensemble->runs());
  print_report(report, title, a.json);
  write_page(*page, report, title);
  return exit_of(report.result);
}

}  // namespace

void gnomon_add_sweep(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<SweepArguments>();
  CLI::App* command =
      app.add_subcommand("sweep", "many runs of a problem, whose parameters, starts and methods vary, to one table");
  command->footer(
      "What varies: a parameter of the problem, start.X, start.der(X) or start.p(X) of a coordinate X, scheme, solver, "
      "step, rtol, until, option.NAME, solver-option.NAME. Its values: list(a,b,...), grid(a,b,n), log-grid(a,b,n), "
      "uniform(a,b), log-uniform(a,b), normal(mean,deviation). What is kept: max_energy_error, energy_slope, "
      "max_position_error, max_velocity_error, max_momentum_error, steps, iterations, refused_steps, events, t_end, "
      "seconds, q_end, v_end, p_end, outputs_end, one coordinate, velocity, momentum or output by its name, and "
      "max(F), "
      "min(F), mean(F) of one. Started by mpirun, all processes share the runs. gnomon sweep merge TABLE FILE... puts "
      "shards together.");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add_system_flags(*command, *a);
  command->get_option("PROBLEM")->description("name of the problem, a model file or a sweep file NAME.toml; or merge");
  add("FILES", a->files, "", "with merge: the table to write, then the files of all shards")
      ->type_size(1)
      ->expected(0, -1);
  add_tolerance_flags(*command, *a);
  add("--solver", a->solver, "NAME", "the solver")->capture_default_str();
  add_repeatable(*command, "--solver-option", a->solver_options, "an option of the solver (repeatable)");
  add_fallback_flags(*command, *a);
  add_repeatable(*command, "--vary", a->vary, "what varies, and the values it takes (repeatable)")
      ->type_name("NAME=VALUES");
  add("--runs", a->samples, "N", "how many values are drawn, for each combination of lists and grids");
  add("--sampling", a->sampling, "HOW", "how they are drawn: random, latin-hypercube or sobol [random]");
  add("--seed", a->seed, "S", "of random numbers: a run depends on it and on its own number [0]");
  add_repeatable(*command, "--keep", a->keep, "FIGURES",
                 "what is kept of a run, with commas between them (repeatable) "
                 "[max_energy_error, max_position_error, max_velocity_error, steps, q_end]");
  add("--output", a->output, "FILE",
      "the table, .h5 (HDF5), .csv or .jsonl; while it is not complete, a folder FILE.part");
  add("--threads", a->threads, "N", "threads of this process [the cores, shared with other processes of MPI]");
  add("--time-limit", a->time_limit, "SECONDS", "end a run that computes for longer");
  add("--shard", a->shard, "I/N", "the I-th of N parts of the runs alone, to put together by sweep merge");
  add("--report", a->report, "FILE", report_help);
  command->add_flag("--resume", a->resume, "go on with what is in FILE.part, after any end");
  command->add_flag("--json", a->json, "one JSON object on standard output, the summary on standard error");
  command->callback([&invocation, a, command] {
    a->scheme_named = command->count("--scheme") > 0;
    a->solver_named = command->count("--solver") > 0;
    invocation.action = [a, &invocation](const Registry& registry) { return sweep(registry, *a, invocation.paths); };
  });
}

}  // namespace gnomon::program
