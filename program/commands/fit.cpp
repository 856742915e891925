/// gnomon fit: parameters of a model, and entries of its start, from measured motions.
#include "gnomon/fit/fit.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/fit/fit_arguments.hpp"
#include "program/output/chart_plot.hpp"
#include "program/pages/report_file.hpp"
#include "program/run/signals.hpp"
#include "report/json.hpp"
#include "traces/fit_blocks.hpp"

namespace gnomon::program {

namespace {

/// The scheme and the steps of all runs, by the first record.
Span choose_runs(const Registry& registry, ProblemInstance instance, const FitSetup& setup, FitArguments& a) {
  const Record& first = setup.records.front();
  if (first.times.empty()) throw Error(ErrorCode::bad_value, "record " + first.name + " has no rows");
  instance.t0 = first.start_time.value_or(first.times.front());
  take_run_defaults(registry, a.run);
  a.run.until = fmt::format("{:.17g}", std::max(first.times.back(), instance.t0 + 1));
  a.run.steps.clear();
  IntegratorOptions options = parse_integrator_options(registry, a.run);
  options.project_start = true;
  return choose_steps(registry, instance, options, a.run);
}

FitSetup set_up(const Registry& registry, FitArguments& a, std::vector<std::string>& notes) {
  if (a.run.problem.empty())
    throw Error(ErrorCode::bad_value, "PROBLEM is missing: give the name of a problem or of a model file");
  FitSetup setup;
  setup.problem = &registry.problem(a.run.problem);
  read_parameters(a, *setup.problem, setup);
  a.run.set = setup.set;
  const ProblemInstance instance = registry.build(a.run.problem, setup.set);
  read_records(a, instance, setup, notes);
  const Span span = choose_runs(registry, instance, setup, a);
  setup.step = span.tolerances ? 0 : span.h;
  if (span.tolerances) setup.tolerance = span.tolerances->relative;
  IntegratorOptions options = parse_integrator_options(registry, a.run);
  options.project_start = true;
  options.interrupt = Signals::caught();
  setup.run = [&registry, run = a.run, options, tolerances = span.tolerances](const ProblemInstance& of) {
    Integrator integrator = registry.integrator(of, run.scheme, run.solver, run.options, run.solver_options, options);
    if (tolerances) integrator.set_tolerances(*tolerances);
    return integrator;
  };
  setup.stop = [] { return Signals::interrupted(); };
  setup.least_squares = &ceres_least_squares();
  return setup;
}

pages::Page page_of(const FitArguments& a, const FitResult& result) {
  pages::Page page(a.run.problem + ", fitted", "parameters from measured motions");
  for (pages::Block& block : traces::fit_blocks(result)) page.add(std::move(block));
  page.add(surroundings());
  return page;
}

int fit_problem(const Registry& registry, FitArguments a) {
  const Signals signals;
  const PlotFile plot(a.plot);
  ReportFile report(a.report);
  if (a.json && a.output == "-")
    throw Error(ErrorCode::bad_value, "both --output - and --json are given: only one of them can be standard output");
  std::vector<std::string> notes;
  const FitSetup setup = set_up(registry, a, notes);
  FitResult result;
  try {
    result = fit(setup);
  } catch (const Error&) {
    if (!Signals::interrupted()) throw;
    say(stderr, "gnomon: interrupted before there was a fit\n");
    return ended_by_signal;
  }
  print_fit(a.json || a.output == "-" ? stderr : stdout, a, result, notes);
  if (a.json) say_lines(validation::json_text(fit_json(a, setup, result)));
  if (a.output) write_residuals(*a.output, a, result);
  if (plot) {
    pages::Page residuals(a.run.problem + ", what is left", "");
    for (pages::Chart& chart : traces::residual_charts(result)) residuals.add(std::move(chart));
    plot.draw(residuals);
  }
  if (report) report.write(page_of(a, result));
  if (Signals::interrupted()) return ended_by_signal;
  return result.converged ? success : numerical_failure;
}

}  // namespace

void add_fit(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<FitArguments>();
  CLI::App* command = app.add_subcommand("fit", "parameters of a model, and its start, from measured motions");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add("PROBLEM", a->run.problem, "", "name of the problem, or a model file NAME.toml");
  add("DATA", a->data, "",
      "tables of measured motions (.csv, .h5, .jsonl), one a record: a column t, and columns by the names of "
      "coordinates "
      "X, der(X), multipliers lambda.G and outputs; an empty entry or nan is a gap, \"theta [deg]\" has a unit");
  add_repeatable(
      *command, "--vary", a->vary, "NAMES",
      "what is sought: parameters and entries start.X, start.der(X) of the start, e.g. k,start.x=0.1 with where "
      "the search begins; of several records R.start.X is that of record R, shared.start.X one for all "
      "(repeatable)");
  add_repeatable(*command, "--set", a->run.set,
                 "a parameter of the problem, start.X, R.k or R.start.X that is held, or where its search begins "
                 "(repeatable)");
  add_repeatable(
      *command, "--columns", a->columns, "NAMES",
      "the columns that are fitted, QUANTITY or QUANTITY=COLUMN where it has another name, e.g. theta=encoder "
      "[all that are called like a quantity of the model] (repeatable)");
  add_repeatable(*command, "--unit", a->units, "the unit of a column, COLUMN=UNIT, e.g. theta=deg (repeatable)");
  add_repeatable(
      *command, "--sigma", a->sigma, "S",
      "standard deviation of the errors of the data, or COLUMN=S of one column [estimated from what is left] "
      "(repeatable)");
  add("--start-time", a->start_time, "T", "the time of the start [the first one of each record]");
  CLI::Option* scheme = add("--scheme", a->run.scheme, "NAME",
                            "the scheme of the runs [energy-momentum with --step, else one that suits the tolerance]");
  add_repeatable(*command, "--option", a->run.options, "an option of the scheme (repeatable)");
  CLI::Option* solver = add("--solver", a->run.solver, "NAME", "the solver")->capture_default_str();
  add_repeatable(*command, "--solver-option", a->run.solver_options, "an option of the solver (repeatable)");
  add("--step", a->run.step, "H", "step size of the runs");
  add_tolerance_flags(*command, a->run);
  add("--output", a->output, "FILE", "write what was measured, what was fitted and what is left to this table");
  add("--plot", a->plot, "FILE", "draw what is left (.svg, .png or .pdf)");
  add("--report", a->report, "FILE", report_help);
  command->add_flag("--json", a->json, "one JSON object on standard output, the summary on standard error");
  command->callback([&invocation, a, scheme, solver] {
    a->run.scheme_named = scheme->count() > 0;
    a->run.solver_named = solver->count() > 0;
    invocation.action = [a](const Registry& registry) { return fit_problem(registry, *a); };
  });
}

}  // namespace gnomon::program
