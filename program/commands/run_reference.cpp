#include "program/commands/run_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistency.hpp"
#include "program/arguments.hpp"
#include "program/commands/commands.hpp"
#include "program/run/output_times.hpp"
#include "program/run/progress.hpp"
#include "program/run/provenance.hpp"
#include "program/run/run_files.hpp"
#include "program/summary/run_report.hpp"
#include "report/json.hpp"
#include "tables/state_columns.hpp"

namespace gnomon::program {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Flags that speak of the steps of a scheme.
void refuse_flags(const RunArguments& a) {
  const std::pair<bool, const char*> flags[] = {{!a.step.empty(), "--step"},
                                                {!a.steps.empty(), "--steps"},
                                                {a.solver_named, "--solver"},
                                                {!a.solver_options.empty(), "--solver-option"},
                                                {a.fallback, "--fallback"},
                                                {!a.max_halvings.empty(), "--max-halvings"},
                                                {a.checkpoint.has_value(), "--checkpoint"},
                                                {a.restart.has_value(), "--restart"},
                                                {a.estimate_error, "--estimate-error"},
                                                {a.strict, "--strict"},
                                                {a.dependent_constraints, "--dependent-constraints"}};
  for (const auto& [given, flag] : flags)
    if (given)
      throw Error(ErrorCode::bad_value,
                  fmt::format("{} is given with --scheme {}, which is a reference: it chooses its steps itself, by "
                              "--rtol and --atol, and has no solver of its own",
                              flag, a.scheme));
}

/// Rows of the steps that a reference takes, or those at given times.
class ReferenceTable final : public Observer {
 public:
  /// `beside` is the reference a second time, asked for the given times, so that they do not shorten the steps of the
  /// first one; null: rows of its steps.
  ReferenceTable(const RunArguments& arguments, const ProblemInstance& instance, long every,
                 std::unique_ptr<ReferenceRun> beside, std::vector<double> times)
      : columns_(instance),
        every_(every),
        values_(columns_.size()),
        beside_(std::move(beside)),
        times_(std::move(times)) {
    tables::Head head;
    head.columns = columns_.columns();
    head.provenance = run_provenance(arguments);
    table_ = tables::open_table(*arguments.output, head);
  }
  bool observe(const State& z, long step) override {
    if (beside_) return true;
    at_.t = z.t;
    at_.q = z.q.value();
    at_.p = z.p.value();
    at_.lambda = z.lambda;
    due_ = step % every_ != 0;
    if (!due_) write();
    return true;
  }
  /// t_end: where the run got to.
  void finish(double t_end) {
    if (beside_)
      for (const double t : times_) {
        if (t > t_end) break;
        at_ = beside_->advance_to(t, nullptr, {});
        if (!at_.success) break;
        write();
      }
    if (due_) write();
    table_->commit();
  }

 private:
  void write() {
    columns_.fill(at_, values_.data());
    table_->row(values_.data());
  }
  tables::StateColumns columns_;
  long every_;
  bool due_ = false;
  std::vector<double> values_;
  ReferenceReport at_;
  std::unique_ptr<ReferenceRun> beside_;
  std::vector<double> times_;
  std::unique_ptr<tables::Writer> table_;
};

/// Several, one after the other.
class Observers final : public Observer {
 public:
  void add(Observer* one) {
    if (one) all_.push_back(one);
  }
  bool observe(const State& z, long step) override {
    for (Observer* one : all_)
      if (!one->observe(z, step)) return false;
    return true;
  }
  bool empty() const { return all_.empty(); }

 private:
  std::vector<Observer*> all_;
};

std::vector<SummaryRow> rows_of(const ReferenceRun& run, const ReferenceReport& end, const RunReport& report,
                                double t0) {
  std::vector<SummaryRow> rows;
  rows.push_back({"steps", end.steps > 0 ? fmt::format("{}, t = {:g} .. {:g}", end.steps, t0, end.t)
                                         : fmt::format("none, t = {:g} .. {:g}", t0, end.t)});
  add_levels(rows, end);
  add_outputs(rows, report.outputs, report.output_values);
  if (!end.events.empty()) rows.push_back({"contact", fmt::format("{} events", end.events.size())});
  rows.push_back({"effort", fmt::format("{} residuals, {} Jacobians, {:.3g} s", end.residual_evaluations,
                                        end.jacobian_evaluations, run.wall_s())});
  add_references(rows, report.references, end.q);
  if (!end.warning.empty()) rows.push_back({"WARNING", end.warning, true});
  if (!end.message.empty()) rows.push_back({"STOPPED", end.message, true});
  return rows;
}

Json::Value json_of(const ReferenceRun& run, const ReferenceReport& end, const RunReport& report,
                    const ProblemInstance& instance) {
  using validation::to_json;
  Json::Value out = end.levels ? levels_json(*end.levels) : Json::Value(Json::objectValue);
  out["problem"] = report.problem;
  out["scheme"] = report.scheme;
  out["scheme_options"] = Json::Value(Json::arrayValue);
  for (const std::string& option : report.scheme_options) out["scheme_options"].append(option);
  out["status"] = report.status;
  out["steps"] = Json::Int64(end.steps);
  out["t"] = to_json(end.t);
  if (!end.message.empty()) out["message"] = end.message;
  if (!end.warning.empty()) out["warning"] = end.warning;
  const auto& names = instance.model->traits().state_names;
  out["state"][names[0]] = to_json(end.q);
  out["state"]["p"] = to_json(end.p);
  out["state"][names[2]] = to_json(end.lambda);
  for (std::size_t i = 0; i < report.outputs.size(); ++i)
    out["outputs"][report.outputs[i].name] = to_json(report.output_values[static_cast<Index>(i)]);
  for (const ReferenceOutcome& other : report.references) out["references"].append(reference_json(other, end.q));
  out["counters"]["residual_evaluations"] = Json::Int64(end.residual_evaluations);
  out["counters"]["jacobian_evaluations"] = Json::Int64(end.jacobian_evaluations);
  out["wall_s"] = run.wall_s();
  return out;
}

State end_state(const ReferenceReport& end, const ProblemInstance& instance) {
  State z;
  z.t = end.t;
  z.q.set(end.q);
  z.p.set(end.p);
  z.lambda = end.lambda;
  if (!instance.model->mechanical()) z.scheme_data = instance.p0;
  return z;
}

}  // namespace

bool is_reference(const Registry& registry, const std::string& name) {
  if (name.empty()) return false;
  try {
    registry.scheme(name);
    return false;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unknown_name) throw;
  }
  const std::vector<std::string> references = registry.references();
  if (contains(references, name)) return true;
  std::vector<std::string> names = registry.schemes();
  names.insert(names.end(), references.begin(), references.end());
  throw unknown_name("scheme", name, names);
}

int run_reference(const Registry& registry, RunArguments a) {
  if (a.problem.empty()) throw Error(ErrorCode::bad_value, "PROBLEM is missing: give the name of a problem");
  refuse_flags(a);
  a.solver.clear();  // it has its own
  for (const auto& [name, value] : registry.problem(a.problem).run_defaults()) {
    if (name == "until" && a.until.empty()) a.until = value;
    if (name == "contact" && a.contact.empty()) a.contact.push_back(value);
  }
  if (a.until.empty()) throw Error(ErrorCode::bad_value, "--until is missing: of a reference it says how far to go");
  const long every = parse_count(a.every, "--every", 1);
  ProblemInstance instance = registry.build(a.problem, parse_assignments(a.set, "--set"));
  const double t_end = parse_real(a.until, "--until");
  if (!(t_end > instance.t0))
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} is not after the start time {}", a.until, number_text(instance.t0)));
  if (a.project_start && !instance.model->mechanical())
    throw Error(ErrorCode::refused, "--project-start is for mechanical systems, and " + instance.model->name() +
                                        " is an overdetermined DAE");
  if (a.project_start)
    project_start(*instance.model->mechanical(), instance.t0, instance.q0, instance.p0, instance.dependent_constraints);
  Assignments options = parse_assignments(a.options, "--option");
  if (!a.rtol.empty()) {
    options.emplace_back("rtol", number_text(parse_real(a.rtol, "--rtol")));
    // atol of a reference is in parts of the sizes at the start, and below rtol so that what is small is resolved.
    options.emplace_back("atol", a.atol.empty() ? number_text(parse_real(a.rtol, "--rtol") / 10)
                                                : number_text(parse_real(a.atol, "--atol")));
  } else if (!a.atol.empty()) {
    options.emplace_back("atol", number_text(parse_real(a.atol, "--atol")));
  }
  ReferenceRun run(registry, a.scheme, instance, options, a.contact);
  if (contains(a.references, a.scheme))
    throw Error(ErrorCode::bad_value, "--reference " + a.scheme + " is the run itself");
  std::vector<ReferenceRun> others = start_references(registry, a.references, instance, a.reference_options, a.contact);

  const Signals signals;
  Observers observers;
  std::unique_ptr<ReferenceTable> table;
  if (a.times && !a.output) throw Error(ErrorCode::bad_value, "--times is given without --output");
  if (a.times && every != 1)
    throw Error(ErrorCode::bad_value, "both --times and --every are given: only one of them can hold");
  if (a.json && a.output == "-")
    throw Error(ErrorCode::bad_value, "both --output - and --json are given: only one of them can be standard output");
  if (a.output) {
    std::unique_ptr<ReferenceRun> beside;
    if (a.times) beside = std::make_unique<ReferenceRun>(registry, a.scheme, instance, options, a.contact);
    table =
        std::make_unique<ReferenceTable>(a, instance, every, std::move(beside),
                                         a.times ? parse_times(*a.times, instance.t0, t_end) : std::vector<double>{});
  }
  const auto snapshots = snapshots_of(a, instance.t0, t_end, instance);
  std::unique_ptr<RunPage> page;
  std::unique_ptr<ReferenceObserver> traced;
  std::vector<double> times;
  if (a.report) {
    page = std::make_unique<RunPage>(*a.report, instance, t_end, 1 + others.size());
    traced = std::make_unique<ReferenceObserver>(page->add(run.label(), false));
    times = page->times();
  }
  observers.add(table.get());
  observers.add(snapshots.get());
  observers.add(traced.get());

  const ReferenceReport end = run.advance_to(t_end, observers.empty() ? nullptr : &observers, times);
  RunReport report;
  report.problem = a.problem;
  report.scheme = a.scheme;
  report.scheme_options = a.options;
  const bool interrupted = !end.success && Progress::interrupted();
  report.status = end.success ? "success" : interrupted ? "interrupted" : "failed";
  const EvaluatedOutputs outputs(instance);
  report.outputs = outputs.outputs();
  if (!report.outputs.empty()) report.output_values = outputs.evaluate(end_state(end, instance));
  if (end.success)
    for (ReferenceRun& other : others) report.references.push_back({other.name(), advance(other, end.t, page.get())});

  const std::string title = fmt::format("{}, reference {}", a.problem, run.label());
  const std::vector<SummaryRow> rows = rows_of(run, end, report, instance.t0);
  Unwritten unwritten;
  if (table) unwritten.keep([&] { table->finish(end.t); });
  if (snapshots)
    unwritten.keep([&] {
      snapshots->finish(fmt::format("{}, {}", std::filesystem::path(a.problem).filename().string(), run.label()));
    });
  if (page) unwritten.keep([&] { page->finish({instance.model->name(), title, rows, {}, run_provenance(a)}); });
  print_summary(a.json || a.output == "-" ? stderr : stdout, title, rows);
  if (a.json) fmt::print("{}", validation::json_text(json_of(run, end, report, instance)));
  unwritten.say();
  if (interrupted) return ended_by_signal;
  const bool failed = std::any_of(report.references.begin(), report.references.end(),
                                  [](const ReferenceOutcome& one) { return !one.end.success; });
  return end.success && !failed ? success : numerical_failure;
}

}  // namespace gnomon::program
