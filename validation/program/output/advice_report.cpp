#include "program/output/advice_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/precision/crossing.hpp"
#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"
#include "report/json.hpp"

namespace gnomon::program {

using bench::Advice;
using bench::AdviceRequest;
using bench::Choice;
using bench::Series;
using bench::WorkPrecisionRow;
using validation::to_json;

namespace {

std::string level(double value) {
  return std::isfinite(value) ? fmt::format("{:.1e}", value) : "-";
}

double seconds_at(const Series& series, double error) {
  std::vector<bench::RunPoint> points;
  for (const WorkPrecisionRow& row : series.rows)
    if (row.failure.empty()) points.push_back({row.largest, row.seconds, row.parameter});
  return bench::crossing(error, points).seconds;
}

void print_row(const WorkPrecisionRow& row, const char* note) {
  if (!row.failure.empty())
    fmt::print("{:46} {:>9.3g} {}\n", row.method, row.parameter, row.failure);
  else
    fmt::print("{:46} {:>9.3g} {:>10.4g} {:>9.2e} {:>8} {:>8} {:>8} {}\n", row.method, row.parameter, 1e3 * row.seconds,
               row.largest, level(row.energy), level(row.constraint), level(row.velocity), note);
}

std::string levels(const WorkPrecisionRow& run) {
  return fmt::format("energy {}, |g| {}, |G v| {}", level(run.energy), level(run.constraint), level(run.velocity));
}

Json::Value run_json(const WorkPrecisionRow& row) {
  Json::Value out;
  out[row.ours && !row.controlled ? "step" : "rtol"] = to_json(row.parameter);
  if (!row.failure.empty()) {
    out["message"] = row.failure;
    return out;
  }
  out["seconds"] = to_json(row.seconds);
  out["error"] = to_json(row.largest);
  out["energy"] = to_json(row.energy);
  out["position"] = to_json(row.constraint);
  out["velocity"] = to_json(row.velocity);
  return out;
}

void put_contender(const bench::Contender& contender, Json::Value& out) {
  out["method"] = contender.label;
  out[contender.ours ? "scheme" : "reference"] = contender.name;
  if (contender.ours) out["solver"] = contender.solver;
  out["options"] = Json::Value(Json::objectValue);
  for (const auto& [name, value] : contender.options) out["options"][name] = value;
}

}  // namespace

std::vector<const Series*> by_cost(const Advice& advice, double error) {
  std::vector<const Series*> all;
  for (const Series& series : advice.series) all.push_back(&series);
  std::stable_sort(all.begin(), all.end(), [error](const Series* a, const Series* b) {
    if (a->contender.ours != b->contender.ours) return a->contender.ours;
    return seconds_at(*a, error) < seconds_at(*b, error);
  });
  return all;
}

std::string parameter_text(const WorkPrecisionRow& run) {
  return fmt::format("{} = {:.6g}", run.ours && !run.controlled ? "h" : "rtol", run.parameter);
}

std::string verdict_text(const Advice& advice) {
  if (!advice.ours && advice.theirs) return fmt::format("At this error take {}.", advice.theirs->run.method);
  if (!advice.ours || !advice.theirs) return "";
  const WorkPrecisionRow &ours = advice.ours->run, &theirs = advice.theirs->run;
  if (ours.seconds <= theirs.seconds)
    return fmt::format("Gnomon is {:.1f} times as fast as {} at this error.", theirs.seconds / ours.seconds,
                       theirs.method);
  return fmt::format(
      "{} is {:.1f} times as fast as the cheapest scheme of Gnomon at this error; {}.", theirs.method,
      ours.seconds / theirs.seconds,
      std::isfinite(theirs.energy) && theirs.energy > 10 * ours.energy
          ? fmt::format("its energy is off by {}, Gnomon's by {}", level(theirs.energy), level(ours.energy))
          : "take it");
}

std::string distrust_text(const Advice& advice, const AdviceRequest& request) {
  if (advice.reference.good_for(request.error)) return "";
  const bool early = advice.reference.agreed_until < request.until && !advice.reference.truth.times.empty() &&
                     advice.reference.agreed_until >= advice.reference.truth.times.front();
  return fmt::format(
      "No solution can be trusted to {:g} up to t = {:g}: {}{}.", request.error, request.until,
      advice.reference.failure.empty()
          ? "refinements and codes part, as on a chaotic motion, on which no method can be advised by its error"
          : advice.reference.failure,
      early ? fmt::format("; --until {:g} can be answered", advice.reference.agreed_until) : "");
}

void print_reference(const bench::TrustedSolution& reference, const AdviceRequest& request) {
  fmt::print("{}, up to t = {:g}, for an error of {:g}: largest |q - q_true|/|q_true| at ten instants\n",
             request.problem, request.until, request.error);
  if (!reference.failure.empty()) {
    fmt::print("true solution: none; {}\n", reference.failure);
    return;
  }
  fmt::print("true solution: {}", reference.truth.source);
  if (!reference.closed_form) fmt::print(", which the last refinement changed by {:.1e}", reference.truth.uncertainty);
  if (reference.confirmed_by.empty())
    fmt::print("; there is no second code beside it\n");
  else
    fmt::print("; {} at rtol = 1e-12 is within {:.1e} of it\n", reference.confirmed_by, reference.agreement);
  std::fflush(stdout);
}

std::string command_line(const Choice& choice, const AdviceRequest& request, const std::string& given) {
  std::string line = "gnomon run " + given + " --scheme " + choice.contender.name;
  for (const auto& [name, value] : choice.contender.options) line += " --option " + shell_word(name + "=" + value);
  return line + fmt::format(" --solver {} --{} {} --until {}", choice.contender.solver,
                            choice.contender.controlled ? "rtol" : "step", choice.parameter, request.until);
}

void print_advice(const Advice& advice, const AdviceRequest& request, const std::string& given) {
  if (advice.interrupted && advice.reference.truth.q.empty()) {
    fmt::print("{}: interrupted before a true solution was known\n", request.problem);
    return;
  }
  if (const std::string why = distrust_text(advice, request); !why.empty()) {
    fmt::print("{}\n", why);
    return;
  }
  constexpr double dear = 10;  // of what costs more there is one row only, its last
  double best = std::numeric_limits<double>::infinity();
  for (const Series& series : advice.series)
    if (series.contender.ours) best = std::min(best, seconds_at(series, request.error));
  fmt::print("\n{:46} {:>9} {:>10} {:>9} {:>8} {:>8} {:>8}\n", "method", "h or rtol", "ms", "error", "energy", "|g|",
             "|G v|");
  for (const Series* series : by_cost(advice, request.error)) {
    const bool near = !series->contender.ours || seconds_at(*series, request.error) < dear * best;
    for (const WorkPrecisionRow& row : series->rows) {
      const bool last = &row == &series->rows.back();
      if (near || last) print_row(row, last && series->end != "accurate enough" ? series->end.c_str() : "");
    }
  }
  std::size_t refused = advice.left_out.size();
  if (refused > 0)
    fmt::print("\n{} schemes and references are left out: they do not take the model or do not tend to its motion\n",
               refused);
  fmt::print("\n");
  if (advice.interrupted) {
    fmt::print("Interrupted: nothing is advised.\n");
    return;
  }
  if (advice.ours) {
    const WorkPrecisionRow& run = advice.ours->run;
    fmt::print("Advice: {} through {}, {} steps of {}: error {:.2e} in {:.4g} ms; {}\n    {}\n", run.method,
               advice.ours->contender.solver, advice.ours->steps, parameter_text(run), run.largest, 1e3 * run.seconds,
               levels(run), command_line(*advice.ours, request, given));
  } else {
    fmt::print("No scheme was seen to keep an error of {:g} within the budget of {:g} s.\n", request.error,
               request.budget);
  }
  if (advice.exact_energy && (!advice.ours || advice.exact_energy->contender.label != advice.ours->contender.label)) {
    const WorkPrecisionRow& run = advice.exact_energy->run;
    fmt::print("The cheapest that keeps the energy at rounding level: {}, {}: error {:.2e} in {:.4g} ms; {}\n    {}\n",
               run.method, parameter_text(run), run.largest, 1e3 * run.seconds, levels(run),
               command_line(*advice.exact_energy, request, given));
  }
  if (advice.theirs) {
    const WorkPrecisionRow& run = advice.theirs->run;
    fmt::print("Best of IDA and CVODE: {} at rtol = {:.3g}: error {:.2e} in {:.4g} ms; {}\n", run.method, run.parameter,
               run.largest, 1e3 * run.seconds, levels(run));
  } else {
    fmt::print("IDA and CVODE were not seen to keep it.\n");
  }
  if (const std::string verdict = verdict_text(advice); !verdict.empty()) fmt::print("{}\n", verdict);
}

Json::Value advice_json(const Advice& advice, const AdviceRequest& request, const std::string& given) {
  Json::Value out;
  out["problem"] = request.problem;
  out["until"] = to_json(request.until);
  out["error"] = to_json(request.error);
  Json::Value& reference = out["reference"];
  reference["source"] = advice.reference.truth.source;
  reference["uncertainty"] = to_json(advice.reference.truth.uncertainty);
  reference["confirmed_by"] =
      advice.reference.confirmed_by.empty() ? Json::Value() : Json::Value(advice.reference.confirmed_by);
  reference["agreement"] = advice.reference.confirmed_by.empty() ? Json::Value() : to_json(advice.reference.agreement);
  reference["good"] = advice.reference.good_for(request.error);
  reference["agreed_until"] = to_json(advice.reference.agreed_until);
  if (!advice.reference.failure.empty()) reference["message"] = advice.reference.failure;
  out["methods"] = Json::Value(Json::arrayValue);
  for (const Series* series : by_cost(advice, request.error)) {
    Json::Value one;
    put_contender(series->contender, one);
    if (series->contender.ours) one["order"] = series->order;
    one["end"] = series->end;
    one["runs"] = Json::Value(Json::arrayValue);
    for (const WorkPrecisionRow& row : series->rows) one["runs"].append(run_json(row));
    out["methods"].append(one);
  }
  out["left_out"] = Json::Value(Json::arrayValue);
  for (const auto& [name, reason] : advice.left_out) {
    Json::Value one;
    one["name"] = name;
    one["reason"] = reason;
    out["left_out"].append(one);
  }
  const auto choice = [&](const std::optional<Choice>& of) {
    if (!of) return Json::Value();
    Json::Value one = run_json(of->run);
    put_contender(of->contender, one);
    if (!of->contender.ours) return one;
    one["steps"] = Json::Int64(of->steps);
    one["command"] = command_line(*of, request, given);
    return one;
  };
  out["advice"] = choice(advice.ours);
  out["exact_energy"] = choice(advice.exact_energy);
  out["best_reference"] = choice(advice.theirs);
  out["interrupted"] = advice.interrupted;
  out["processor_s"] = to_json(advice.seconds);
  return out;
}

PrecisionPanel advice_panel(const Advice& advice, const AdviceRequest& request) {
  constexpr int schemes = 6;
  PrecisionPanel panel;
  panel.title = fmt::format("{}, up to t = {:g}", request.problem, request.until);
  panel.x_label = "largest relative error of q";
  panel.wanted = request.error;
  int ours = 0;
  for (const Series* series : by_cost(advice, request.error)) {
    const auto chosen = [series](const std::optional<Choice>& choice) {
      return choice && choice->contender.label == series->contender.label;
    };
    if (series->contender.ours && ++ours > schemes && !chosen(advice.ours) && !chosen(advice.exact_energy)) continue;
    PrecisionLine line{series->contender.label, series->contender.ours, {}};
    for (const WorkPrecisionRow& row : series->rows)
      if (row.failure.empty() && row.largest < 1) line.points.emplace_back(row.largest, 1e3 * row.seconds);
    if (!line.points.empty()) panel.lines.push_back(line);
  }
  for (const std::optional<Choice>& choice : {advice.ours, advice.exact_energy, advice.theirs})
    if (choice) panel.marks.emplace_back(choice->run.largest, 1e3 * choice->run.seconds);
  return panel;
}

}  // namespace gnomon::program
