#include "advice/advice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/precision/crossing.hpp"
#include "gnomon/base/visible_text.hpp"

namespace gnomon::advice {

using bench::Advice;
using bench::AdviceRequest;
using bench::Choice;
using bench::Series;
using bench::WorkPrecisionRow;

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

std::string row_text(const WorkPrecisionRow& row, const char* note) {
  if (!row.failure.empty()) return fmt::format("{:46} {:>9.3g} {}\n", row.method, row.parameter, row.failure);
  return fmt::format("{:46} {:>9.3g} {:>10.4g} {:>9.2e} {:>8} {:>8} {:>8} {}\n", row.method, row.parameter,
                     1e3 * row.seconds, row.largest, level(row.energy), level(row.constraint), level(row.velocity),
                     note);
}

std::string levels(const WorkPrecisionRow& run) {
  return fmt::format("energy {}, |g| {}, |G v| {}", level(run.energy), level(run.constraint), level(run.velocity));
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

std::string distrust_text(const Advice& advice, const AdviceRequest& request, const Words& words) {
  if (advice.reference.good_for(request.error)) return "";
  const bool early = advice.reference.agreed_until < request.until && !advice.reference.truth.times.empty() &&
                     advice.reference.agreed_until >= advice.reference.truth.times.front();
  return fmt::format(
      "No solution can be trusted to {:g} up to t = {:g}: {}{}.", request.error, request.until,
      advice.reference.failure.empty()
          ? "refinements and codes part, as on a chaotic motion, on which no method can be advised by its error"
          : advice.reference.failure,
      early ? "; " + words.until(advice.reference.agreed_until) + " can be answered" : "");
}

std::string measure_text(const bench::Motion& truth) {
  return std::string("largest relative error of ") + (truth.v.empty()        ? "q"
                                                      : truth.lambda.empty() ? "q and v"
                                                                             : "q, v and the multipliers");
}

std::string reference_text(const bench::TrustedSolution& reference, const AdviceRequest& request) {
  std::string text =
      fmt::format("{}, up to t = {:g}, for an error of {:g}: {} at ten instants\n", visible(request.problem),
                  request.until, request.error, measure_text(reference.truth.motion));
  if (!reference.failure.empty()) {
    return text + fmt::format("true solution: none; {}\n", reference.failure);
  }
  text += fmt::format("true solution: {}", reference.truth.source);
  if (!reference.closed_form)
    text += fmt::format(", which the last refinement changed by {:.1e}", reference.truth.uncertainty);
  if (reference.confirmed_by.empty())
    text += fmt::format("; there is no second code beside it\n");
  else
    text += fmt::format("; {} at rtol = 1e-12 is within {:.1e} of it\n", reference.confirmed_by, reference.agreement);
  if (reference.freedom == 0)
    text += "nothing is free to move: the constraints alone determine q and v at any time, whatever the step\n";
  return text;
}

std::string advice_text(const Advice& advice, const AdviceRequest& request, const Words& words) {
  if (advice.interrupted && advice.reference.truth.motion.q.empty()) {
    return fmt::format("{}: interrupted before a true solution was known\n", visible(request.problem));
  }
  if (const std::string why = distrust_text(advice, request, words); !why.empty()) {
    return why + "\n";
  }
  constexpr double dear = 10;  // of what costs more there is one row only, its last
  double best = std::numeric_limits<double>::infinity();
  for (const Series& series : advice.series)
    if (series.contender.ours) best = std::min(best, seconds_at(series, request.error));
  std::string text = fmt::format("\n{:46} {:>9} {:>10} {:>9} {:>8} {:>8} {:>8}\n", "method", "h or rtol", "ms", "error",
                                 "energy", "|g|", "|G v|");
  for (const Series* series : by_cost(advice, request.error)) {
    const bool near = !series->contender.ours || seconds_at(*series, request.error) < dear * best;
    for (const WorkPrecisionRow& row : series->rows) {
      const bool last = &row == &series->rows.back();
      if (near || last) text += row_text(row, last && series->end != "accurate enough" ? series->end.c_str() : "");
    }
  }
  std::size_t refused = advice.left_out.size();
  if (refused > 0)
    text += fmt::format(
        "\n{} schemes and references are left out: they do not take the model or do not tend to its motion\n", refused);
  text += "\n";
  if (advice.interrupted) {
    return text + "Interrupted: nothing is advised.\n";
  }
  if (advice.ours) {
    const WorkPrecisionRow& run = advice.ours->run;
    text += fmt::format("Advice: {} through {}, {} steps of {}: error {:.2e} in {:.4g} ms; {}\n    {}\n", run.method,
                        advice.ours->contender.solver, advice.ours->steps, parameter_text(run), run.largest,
                        1e3 * run.seconds, levels(run), words.run(*advice.ours));
  } else {
    text += fmt::format("No scheme was seen to keep an error of {:g} within the budget of {:g} s.\n", request.error,
                        request.budget);
  }
  if (advice.exact_energy && (!advice.ours || advice.exact_energy->contender.label != advice.ours->contender.label)) {
    const WorkPrecisionRow& run = advice.exact_energy->run;
    text += fmt::format(
        "The cheapest that keeps the energy at rounding level: {}, {}: error {:.2e} in {:.4g} ms; {}\n    {}\n",
        run.method, parameter_text(run), run.largest, 1e3 * run.seconds, levels(run), words.run(*advice.exact_energy));
  }
  if (advice.theirs) {
    const WorkPrecisionRow& run = advice.theirs->run;
    text += fmt::format("Best of IDA and CVODE: {} at rtol = {:.3g}: error {:.2e} in {:.4g} ms; {}\n", run.method,
                        run.parameter, run.largest, 1e3 * run.seconds, levels(run));
  } else {
    text += fmt::format("IDA and CVODE were not seen to keep it.\n");
  }
  if (const std::string verdict = verdict_text(advice); !verdict.empty()) text += verdict + "\n";
  return text;
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

}  // namespace gnomon::advice
