/// gnomon advise: which scheme, at which step, for a wanted error.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <optional>

#include "advice/advise_page.hpp"
#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"
#include "program/bench/advice_report.hpp"
#include "program/bench/precision_plot.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/output/gnuplot.hpp"
#include "program/pages/report_file.hpp"
#include "program/run/signals.hpp"
#include "report/json.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

struct AdviseArguments {
  std::string problem, until, error = "1e-6", budget = "60";
  Assignments set;
  std::optional<std::string> plot, json, report;
};

bench::AdviceRequest parse(const AdviseArguments& arguments, const ProblemInstance& instance) {
  bench::AdviceRequest request;
  request.problem = arguments.problem;
  if (arguments.until.empty())
    throw Error(ErrorCode::bad_value, "--until is missing: give the end time of the run, e.g. --until 10");
  request.until = parse_real(arguments.until, "--until");
  if (request.until <= instance.t0)
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} is not after the start time {}", arguments.until, number_text(instance.t0)));
  request.error = parse_real(arguments.error, "--error");
  if (!(request.error >= 1e-13 && request.error <= 0.1))
    throw Error(ErrorCode::bad_value,
                "--error = " + arguments.error + " is not between 1e-13, which double precision resolves, and 0.1");
  request.budget = parse_real(arguments.budget, "--budget");
  if (!(request.budget > 0)) throw Error(ErrorCode::bad_value, "--budget = " + arguments.budget + " is not above zero");
  return request;
}

/// With the end that the problem names for its runs.
AdviseArguments with_problem_defaults(const Registry& registry, const AdviseArguments& given) {
  AdviseArguments arguments = given;
  if (arguments.until.empty())
    for (const auto& [name, value] : registry.problem(given.problem).run_defaults())
      if (name == "until") arguments.until = value;
  return arguments;
}

int advise(const Registry& registry, const AdviseArguments& asked) {
  const AdviseArguments arguments = with_problem_defaults(registry, asked);
  const ProblemInstance instance = registry.build(arguments.problem, arguments.set);
  bench::AdviceRequest request = parse(arguments, instance);
  std::unique_ptr<tables::OutputFile> json;
  if (arguments.plot) require_picture(*arguments.plot);
  if (arguments.json) json = std::make_unique<tables::OutputFile>(*arguments.json);
  ReportFile report(arguments.report);

  const Signals signals;
  request.interrupt = Signals::caught();
  const auto print_reference = [&request](const bench::TrustedSolution& reference) {
    say_lines(advice::reference_text(reference, request));
    std::fflush(stdout);
  };
  const bench::Advice measured = bench::advise(registry, instance, request, print_reference);
  std::string given = shell_word(arguments.problem);
  for (const std::string& set : assignment_texts(arguments.set)) given += " --set " + shell_word(set);
  const advice::Words words = program::words(request, given);
  say_lines(advice::advice_text(measured, request, words));
  if (json) {
    fmt::print(json->stream(), "{}", validation::json_text(advice_json(measured, request, given)));
    json->commit();
  }
  if (arguments.plot && !measured.series.empty() && measured.reference.good_for(request.error))
    draw_precision({advice::advice_panel(measured, request)}, *arguments.plot);
  if (report) report.write(advice::advise_page(measured, request, words, surroundings()));
  if (measured.interrupted) return ended_by_signal;
  return measured.ours ? success : numerical_failure;
}

}  // namespace

void gnomon_add_advise(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<AdviseArguments>();
  CLI::App* command = app.add_subcommand(
      "advise", "the cheapest scheme and step, or tolerance, for a wanted error, measured beside IDA and CVODE");
  command->footer(
      "The error is the largest of q, velocities and multipliers at ten instants up to the end, against a solution of\n"
      "high order that another code confirms: |q - q_true|/|q_true|, the others by their largest size. The step or the "
      "tolerance that is advised has been run. e.g.\n"
      "gnomon advise planar-pendulum --until 10 --error 1e-8 --plot advice.svg");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add("PROBLEM", a->problem, "", "name of the problem, or a model file NAME.toml")->required();
  add("--until", a->until, "T",
      "end time, in the unit of time of the problem; that of [run] of a model file if left out");
  add("--error", a->error, "E", "wanted relative error of q, v and the multipliers")->capture_default_str();
  add("--budget", a->budget, "SECONDS", "processor time that all of it may take, about")->capture_default_str();
  add_repeatable(*command, "--set", a->set, "a parameter of the problem (repeatable)");
  add("--plot", a->plot, "FILE", "time against error as .svg, .png or .pdf, drawn by gnuplot");
  add("--report", a->report, "FILE", report_help);
  add("--json", a->json, "FILE", "write everything that was measured to this file");
  command->callback(
      [&invocation, a] { invocation.action = [a](const Registry& registry) { return advise(registry, *a); }; });
}

}  // namespace gnomon::program
