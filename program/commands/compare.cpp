/// gnomon compare: one problem, one scheme, every strategy; or two tables, see compare_tables.hpp.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "bench/turns.hpp"
#include "gnomon/base/error.hpp"
#include "measures/solver/strategies.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/commands/compare_tables.hpp"
#include "program/output/chart_plot.hpp"
#include "program/pages/report_file.hpp"
#include "program/run/run_arguments.hpp"
#include "program/summary/run_report.hpp"
#include "report/json.hpp"
#include "tables/table.hpp"

namespace gnomon::program {

namespace {

using validation::Strategy;

struct ComparedRun {
  Strategy strategy;
  std::string status;  ///< "success", "refused" or what a solve ended with
  std::string message;
  RunCounters counters;
  std::optional<double> us, spread;  ///< processor time a step; none of one that does not get to the end
  double residual = 0;
  std::optional<double> energy;  ///< largest error; none where the model declares no energy
  std::optional<double> gap;     ///< largest |g|; none without constraints
  std::vector<BrokenPromise> broken;
  std::optional<Vector> end;  ///< q and p

  double a_step(long count) const {
    return static_cast<double>(count) / static_cast<double>(std::max(counters.steps, 1L));
  }
};

Integrator make(const Registry& registry, const ProblemInstance& instance, const RunArguments& arguments,
                const Strategy& strategy) {
  return registry.integrator(instance, arguments.scheme, strategy.solver, arguments.options, strategy.options,
                             parse_integrator_options(registry, arguments));
}

/// The arguments that all strategies share, and the one integrator that there is at a time.
struct SharedRun {
  const Registry& registry;
  const ProblemInstance& instance;
  const RunArguments& arguments;
  Span span;
  std::optional<Integrator> integrator;
};

/// The steps by one strategy. What is told of them is that of the first time.
class StrategyRun final : public bench::Work {
 public:
  StrategyRun(SharedRun& all, const Strategy& strategy) : all_(&all) { outcome_.strategy = strategy; }

  void rewind() override {
    all_->integrator.reset();
    try {
      all_->integrator.emplace(make(all_->registry, all_->instance, all_->arguments, outcome_.strategy));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      outcome_.status = "refused";
      outcome_.message = error.what();
    }
  }
  std::string run() override {
    if (outcome_.status == "refused") return outcome_.status;
    try {
      const StepReport report = advance(*all_->integrator, all_->span);
      if (outcome_.status.empty()) take(report);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      outcome_.status = "refused";
      outcome_.message = error.what();
    }
    return outcome_.end ? "" : outcome_.status;
  }
  ComparedRun outcome(const bench::TurnTimes& times) const {
    ComparedRun out = outcome_;
    if (times.seconds.empty()) return out;
    out.us = 1e6 * out.a_step(1) * times.median();
    out.spread = 1e6 * out.a_step(1) * times.spread();
    return out;
  }

 private:
  void take(const StepReport& report) {
    const Integrator& integrator = *all_->integrator;
    outcome_.status = report.success() ? "success" : to_string(report.status);
    outcome_.message = report.message;
    outcome_.counters = integrator.counters();
    outcome_.residual = report.last.residual_norm;
    outcome_.broken = integrator.broken_promises();
    if (integrator.model().has_energy()) outcome_.energy = integrator.monitor().energy().max_abs_error();
    if (integrator.model().m() > 0) outcome_.gap = integrator.monitor().position_max();
    if (!report.success()) return;
    const State& z = integrator.state();
    outcome_.end.emplace(z.q.value().size() + z.p.value().size());
    *outcome_.end << z.q.value(), z.p.value();
  }

  SharedRun* all_;
  ComparedRun outcome_;
};

/// Every strategy, and how they were timed.
struct StrategyTable {
  std::vector<ComparedRun> runs;
  int rounds = 0;      ///< with times; 0: there are none
  std::string timing;  ///< in words
};

/// A comparison takes a few seconds more than its runs, or has no times.
constexpr double longest_round = 3;

StrategyTable compare_strategies(SharedRun all) {
  std::vector<std::unique_ptr<StrategyRun>> runs;
  std::vector<bench::Work*> pieces;
  for (const Strategy& strategy : validation::strategies(all.registry)) {
    runs.push_back(std::make_unique<StrategyRun>(all, strategy));
    pieces.push_back(runs.back().get());
  }
  bench::TurnsRule rule;
  rule.longest_round = longest_round;
  const bench::Turns turns = bench::time_in_turns(pieces, rule);
  StrategyTable out;
  for (std::size_t i = 0; i < runs.size(); ++i) out.runs.push_back(runs[i]->outcome(turns.of[i]));
  out.rounds = turns.rounds;
  out.timing = turns.rounds > 0
                   ? fmt::format(
                         "times: processor time of a step in us, the median of {} runs in turns; +- half of what the "
                         "middle half of them spans",
                         turns.rounds)
                   : fmt::format(
                         "no times: the runs take {:.3g} s, and only where they take at most {:g} s they are "
                         "repeated in turns; fewer --steps give times",
                         turns.first_round, longest_round);
  return out;
}

/// |z - z_first|/|z_first| at the end, against the first strategy that gets there.
std::optional<double> apart(const ComparedRun& outcome, const std::vector<ComparedRun>& all) {
  const auto first = std::find_if(all.begin(), all.end(), [](const ComparedRun& o) { return o.end.has_value(); });
  if (!outcome.end || first == all.end()) return std::nullopt;
  const double scale = first->end->norm();
  return (*outcome.end - *first->end).norm() / (scale > 0 ? scale : 1);
}

std::string short_text(const std::optional<double>& x) {
  return x ? fmt::format("{:.1e}", *x) : "-";
}

void print_table(std::FILE* out, const RunArguments& arguments, const Span& span, const StrategyTable& all) {
  const std::vector<ComparedRun>& outcomes = all.runs;
  const auto fixed = [](const std::optional<double>& x) { return x ? fmt::format("{:.2f}", *x) : "-"; };
  std::size_t width = 8;
  for (const auto& o : outcomes) width = std::max(width, o.strategy.label().size());
  say(out, "{}, {}: {} steps of h = {:g}; iterations, factorisations and residuals a step\n{}\n", arguments.problem,
      arguments.scheme, span.steps, span.h, all.timing);
  say(out, "  {:{}}  {:>6}  {:>6}  {:>6}  {:>9}  {:>7}  {:>8}  {:>8}  {:>8}  {:>8}\n", "strategy", width, "iter",
      "fact", "resid", "us", "+-", "|F| end", "max |dH|", "max |g|", "apart");
  for (const auto& o : outcomes) {
    if (o.status == "refused") {
      say(out, "  {:{}}  refused: {}\n", o.strategy.label(), width, o.message);
      continue;
    }
    say(out, "  {:{}}  {:>6.2f}  {:>6.2f}  {:>6.2f}  {:>9}  {:>7}  {:>8.1e}  {:>8}  {:>8}  {:>8}\n", o.strategy.label(),
        width, o.a_step(o.counters.iterations), o.a_step(o.counters.factorisations),
        o.a_step(o.counters.residual_evaluations), fixed(o.us), fixed(o.spread), o.residual, short_text(o.energy),
        short_text(o.gap), short_text(apart(o, outcomes)));
    if (!o.message.empty()) say(out, "  {:{}}  {}\n", "", width, o.message);
    for (const BrokenPromise& broken : o.broken) say(out, "  {:{}}  promise broken: {}\n", "", width, broken.text());
  }
}

Json::Value compare_json(const RunArguments& arguments, const Span& span, const StrategyTable& all) {
  const std::vector<ComparedRun>& outcomes = all.runs;
  using validation::to_json;
  Json::Value out;
  out["problem"] = arguments.problem;
  out["scheme"] = arguments.scheme;
  out["step"] = span.h;
  out["rounds"] = all.rounds;
  out["timing"] = all.timing;
  out["strategies"] = Json::Value(Json::arrayValue);
  for (const auto& o : outcomes) {
    Json::Value one;
    one["solver"] = o.strategy.solver;
    one["options"] = Json::Value(Json::objectValue);
    for (const auto& [name, value] : o.strategy.options) one["options"][name] = value;
    one["status"] = o.status;
    if (!o.message.empty()) one["message"] = o.message;
    if (o.status != "refused") {
      one["steps"] = Json::Int64(o.counters.steps);
      one["iterations"] = Json::Int64(o.counters.iterations);
      one["residual_evaluations"] = Json::Int64(o.counters.residual_evaluations);
      one["jacobian_evaluations"] = Json::Int64(o.counters.jacobian_evaluations);
      one["factorisations"] = Json::Int64(o.counters.factorisations);
      one["us_a_step"] = o.us ? to_json(*o.us) : Json::Value();
      one["us_a_step_spread"] = o.spread ? to_json(*o.spread) : Json::Value();
      one["residual"] = to_json(o.residual);
      one["broken_promises"] = broken_json(o.broken);
      one["energy_max_abs_error"] = o.energy ? to_json(*o.energy) : Json::Value();
      one["position_max"] = o.gap ? to_json(*o.gap) : Json::Value();
      const auto distance = apart(o, outcomes);
      one["apart"] = distance ? to_json(*distance) : Json::Value();
    }
    out["strategies"].append(one);
  }
  return out;
}

pages::Page compare_page(const RunArguments& arguments, const Span& span, const StrategyTable& all) {
  const std::vector<ComparedRun>& outcomes = all.runs;
  pages::Page page("Strategies side by side: " + arguments.problem,
                   fmt::format("{}, {} steps of h = {:g}", arguments.scheme, span.steps, span.h));
  pages::Table table{
      "",
      "Counts are those of a step; apart is the distance to the first strategy at the end; " + all.timing + ".",
      {"strategy", "iterations", "factorisations", "residuals", "time a step [us]", "+- [us]", "|F| at the end",
       "max |dH|", "max |g|", "apart", "end"},
      {}};
  pages::Series time;
  for (const ComparedRun& o : outcomes) {
    const bool ran = o.status != "refused";
    const auto number = [ran](double value) { return ran ? cell_number(value) : ""; };
    const auto distance = apart(o, outcomes);
    std::string end = o.status + (o.message.empty() ? "" : ": " + o.message);
    for (const BrokenPromise& broken : o.broken) end += "; promise broken: " + broken.text();
    const bool good = o.status == "success" && o.broken.empty();
    table.rows.push_back({o.strategy.label(),
                          number(o.a_step(o.counters.iterations)),
                          number(o.a_step(o.counters.factorisations)),
                          number(o.a_step(o.counters.residual_evaluations)),
                          o.us ? cell_number(*o.us) : "",
                          o.spread ? cell_number(*o.spread) : "",
                          number(o.residual),
                          o.energy ? cell_number(*o.energy) : "",
                          o.gap ? cell_number(*o.gap) : "",
                          distance ? cell_number(*distance) : "",
                          {end, good  ? pages::Mark::good
                                : ran ? pages::Mark::bad
                                      : pages::Mark::none}});
    if (!o.us) continue;
    time.x.push_back(o.a_step(o.counters.residual_evaluations));
    time.y.push_back(*o.us);
    time.notes.push_back(o.strategy.label());
  }
  page.add(pages::Section{"Strategies"});
  page.add(table);
  time.name = "strategies that get to the end";
  time.style = pages::Series::Style::points;
  if (!time.x.empty())
    page.add(pages::Chart{
        "Time of a step over its residuals", "", {"residuals a step"}, {"time a step", "us", true}, {time}});
  page.add(pages::Section{"What was run"});
  pages::Facts facts{"",
                     {{"problem", arguments.problem},
                      {"scheme", arguments.scheme},
                      {"h", cell_number(span.h)},
                      {"steps", std::to_string(span.steps)}}};
  for (const std::string& set : assignment_texts(arguments.set)) facts.rows.push_back({"--set", set});
  for (const std::string& option : assignment_texts(arguments.options)) facts.rows.push_back({"--option", option});
  page.add(facts);
  page.add(surroundings());
  return page;
}

/// With the scheme and the steps that the problem names for its runs; a tolerance names none.
RunArguments with_problem_defaults(const Registry& registry, const RunArguments& given) {
  RunArguments arguments = given;
  take_run_defaults(registry, arguments);
  if (arguments.rtol.empty()) return arguments;
  for (const auto member :
       {&RunArguments::step, &RunArguments::steps, &RunArguments::until, &RunArguments::rtol, &RunArguments::atol})
    arguments.*member = given.*member;
  return arguments;
}

int compare(const Registry& registry, const RunArguments& given) {
  RunArguments arguments = with_problem_defaults(registry, given);
  if (arguments.step.empty()) arguments.step = "1e-3";
  if (arguments.steps.empty() && arguments.until.empty()) arguments.steps = "1000";
  const ProblemInstance instance = registry.build(arguments.problem, arguments.set);
  const Span span = parse_span(arguments, instance.t0);
  make(registry, instance, arguments, {arguments.solver, {}});  // misuse is one sentence, not one a strategy
  ReportFile report(given.report);
  const PlotFile plot(given.plot);
  const StrategyTable all = compare_strategies({registry, instance, arguments, span, {}});
  print_table(arguments.json ? stderr : stdout, arguments, span, all);
  if (arguments.json) say_lines(validation::json_text(compare_json(arguments, span, all)));
  if (report) report.write(compare_page(arguments, span, all));
  if (plot) plot.draw(compare_page(arguments, span, all));
  const bool any =
      std::any_of(all.runs.begin(), all.runs.end(), [](const ComparedRun& o) { return o.end.has_value(); });
  return any ? success : numerical_failure;
}

}  // namespace

void add_compare(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<RunArguments>();
  auto other = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "compare", "two trajectories, column by column; or the steps of one scheme solved with every strategy");
  command->footer(
      "Of two tables that `gnomon run --output` wrote (.csv, .h5, .jsonl): the largest differences at the times that "
      "both have, and the drift of each; status 1 where a number of one is none in the other, e.g. gnomon compare a.h5 "
      "b.csv\n\n"
      "Of a problem: without --step, steps of 1e-3; without --until and --steps, 1000 of them. Times "
      "are processor times, the median of several rounds through all strategies; where one round takes more than a few "
      "seconds there are none. The last column is the distance to the first strategy at the end. e.g. gnomon compare "
      "double-spherical-pendulum --scheme hbvm --step 1e-2 --until "
      "1");
  add_system_flags(*command, *a);
  command->get_option("PROBLEM")->required()->description("the problem, or the first of two tables");
  command->add_option("OTHER", *other, "the second table")->type_name("");
  command->add_flag("--json", a->json, "one JSON object on standard output, the table on standard error");
  command->add_option("--report", a->report, report_help)->type_name("FILE");
  command->add_option("--plot", a->plot, charts_help)->type_name("FILE");
  command->callback([&invocation, a, other, command] {
    a->scheme_named = command->count("--scheme") > 0;
    invocation.action = [a, other](const Registry& registry) {
      if (tables::is_table_name(a->problem) || !other->empty()) {
        if (other->empty())
          throw Error(ErrorCode::bad_value, "table \"" + a->problem + "\" is compared with nothing: name a second one");
        return compare_tables(a->problem, *other, {a->json, a->report, a->plot});
      }
      return compare(registry, *a);
    };
  });
}

}  // namespace gnomon::program
