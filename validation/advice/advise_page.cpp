#include "advice/advise_page.hpp"

#include <fmt/format.h>

#include "advice/advice_text.hpp"
#include "advice/precision_chart.hpp"

namespace gnomon::advice {

using bench::Advice;
using bench::AdviceRequest;
using bench::WorkPrecisionRow;
using pages::cell_number;
using pages::Mark;
using pages::Table;

namespace {

void add_choice(pages::Page& page, const bench::Choice& choice, const AdviceRequest& request, const Words& words,
                const std::string& title) {
  const WorkPrecisionRow& run = choice.run;
  pages::Facts facts{
      title, {{"method", run.method}, {run.ours && !run.controlled ? "step" : "rtol", cell_number(run.parameter)}}};
  if (choice.contender.ours) {
    facts.rows.push_back({"solver", choice.contender.solver});
    facts.rows.push_back({"steps", std::to_string(choice.steps)});
  }
  facts.rows.push_back(
      {"error of q", {cell_number(run.largest), run.largest <= request.error ? Mark::good : Mark::bad}});
  facts.rows.push_back({"time", fmt::format("{:.4g} ms", 1e3 * run.seconds)});
  facts.rows.push_back({"energy error", cell_number(run.energy)});
  facts.rows.push_back({"max |g|", cell_number(run.constraint)});
  facts.rows.push_back({"max |G v|", cell_number(run.velocity)});
  page.add(facts);
  if (choice.contender.ours) page.add(pages::Command{"", words.run(choice)});
}

void add_advice(pages::Page& page, const Advice& advice, const AdviceRequest& request, const Words& words) {
  page.add(pages::Section{"Advice"});
  if (advice.interrupted) {
    page.add(pages::Text{"", {"Interrupted: nothing is advised."}});
    return;
  }
  if (const std::string why = distrust_text(advice, request, words); !why.empty()) {
    page.add(pages::Text{"", {why}});
    return;
  }
  if (const std::string verdict = verdict_text(advice); !verdict.empty()) page.add(pages::Text{"", {verdict}});
  if (advice.ours)
    add_choice(page, *advice.ours, request, words, "The cheapest scheme that keeps the error");
  else
    page.add(pages::Text{"",
                         {fmt::format("No scheme was seen to keep an error of {:g} within the budget of {:g} s.",
                                      request.error, request.budget)}});
  if (advice.exact_energy && (!advice.ours || advice.exact_energy->contender.label != advice.ours->contender.label))
    add_choice(page, *advice.exact_energy, request, words, "The cheapest that keeps the energy at rounding level, too");
  if (advice.theirs)
    add_choice(page, *advice.theirs, request, words, "The cheapest of IDA and CVODE");
  else
    page.add(pages::Text{"", {"IDA and CVODE were not seen to keep the error."}});
}

pages::Facts reference_facts(const Advice& advice, const AdviceRequest& request) {
  const bench::TrustedSolution& reference = advice.reference;
  pages::Facts facts{
      "What is asked, and what errors are measured against",
      {{"wanted error",
        fmt::format("{:g}, {} at ten instants", request.error, measure_text(advice.reference.truth.motion))},
       {"end", fmt::format("t = {:g}", request.until)},
       {"true solution", reference.failure.empty() ? reference.truth.source : "none: " + reference.failure}}};
  if (reference.failure.empty() && !reference.closed_form)
    facts.rows.push_back({"change by its last refinement", fmt::format("{:.1e}", reference.truth.uncertainty)});
  if (!reference.confirmed_by.empty())
    facts.rows.push_back({"distance to " + reference.confirmed_by, fmt::format("{:.1e}", reference.agreement)});
  facts.rows.push_back({"processor time of it all", fmt::format("{:.1f} s", advice.seconds)});
  return facts;
}

}  // namespace

pages::Page advise_page(const Advice& advice, const AdviceRequest& request, const Words& words,
                        pages::Facts surroundings) {
  pages::Page page(fmt::format("Which scheme, which step: {}", request.problem),
                   fmt::format("for an error of {:g} up to t = {:g}", request.error, request.until));
  add_advice(page, advice, request, words);
  if (!advice.series.empty()) {
    page.add(pages::Section{"Time against error"});
    page.add(precision_chart(advice_panel(advice, request)));
    Table runs{
        "All runs", "", {"method", "h or rtol", "time [ms]", "error of q", "energy", "|g|", "|G v|", "remark"}, {}};
    for (const bench::Series* series : by_cost(advice, request.error))
      for (const WorkPrecisionRow& row : series->rows) {
        const bool last = &row == &series->rows.back(), failed = !row.failure.empty();
        const auto number = [failed](double value) { return failed ? "" : cell_number(value); };
        runs.rows.push_back({row.method, parameter_text(row), number(1e3 * row.seconds), number(row.largest),
                             number(row.energy), number(row.constraint), number(row.velocity),
                             failed ? row.failure
                             : last ? series->end
                                    : ""});
      }
    page.add(runs);
  }
  page.add(pages::Section{"Basis"});
  page.add(reference_facts(advice, request));
  page.add(std::move(surroundings));
  if (!advice.left_out.empty()) {
    Table out{
        "Left out", "They do not take the model, or do not tend to its motion.", {"scheme or reference", "reason"}, {}};
    for (const auto& [name, reason] : advice.left_out) out.rows.push_back({name, reason});
    page.add(out);
  }
  return page;
}

}  // namespace gnomon::advice
