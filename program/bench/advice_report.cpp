#include "program/bench/advice_report.hpp"

#include <fmt/format.h>

#include "program/arguments.hpp"
#include "report/json.hpp"

namespace gnomon::program {

using bench::Advice;
using bench::AdviceRequest;
using bench::Choice;
using bench::WorkPrecisionRow;
using validation::to_json;

namespace {

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

std::string command_line(const Choice& choice, const AdviceRequest& request, const std::string& given) {
  std::string line = "gnomon run " + given + " --scheme " + choice.contender.name;
  for (const auto& [name, value] : choice.contender.options) line += " --option " + shell_word(name + "=" + value);
  return line + fmt::format(" --solver {} --{} {} --until {}", choice.contender.solver,
                            choice.contender.controlled ? "rtol" : "step", choice.parameter, request.until);
}

advice::Words words(const AdviceRequest& request, const std::string& given) {
  return {[&request, given](const Choice& choice) { return command_line(choice, request, given); },
          [](double t) { return fmt::format("--until {:g}", t); }};
}

Json::Value advice_json(const Advice& measured, const AdviceRequest& request, const std::string& given) {
  Json::Value out;
  out["problem"] = request.problem;
  out["until"] = to_json(request.until);
  out["error"] = to_json(request.error);
  Json::Value& reference = out["reference"];
  reference["source"] = measured.reference.truth.source;
  reference["uncertainty"] = to_json(measured.reference.truth.uncertainty);
  reference["confirmed_by"] =
      measured.reference.confirmed_by.empty() ? Json::Value() : Json::Value(measured.reference.confirmed_by);
  reference["agreement"] =
      measured.reference.confirmed_by.empty() ? Json::Value() : to_json(measured.reference.agreement);
  reference["good"] = measured.reference.good_for(request.error);
  reference["agreed_until"] = to_json(measured.reference.agreed_until);
  if (!measured.reference.failure.empty()) reference["message"] = measured.reference.failure;
  out["methods"] = Json::Value(Json::arrayValue);
  for (const bench::Series* series : advice::by_cost(measured, request.error)) {
    Json::Value one;
    put_contender(series->contender, one);
    if (series->contender.ours) one["order"] = series->order;
    one["end"] = series->end;
    one["runs"] = Json::Value(Json::arrayValue);
    for (const WorkPrecisionRow& row : series->rows) one["runs"].append(run_json(row));
    out["methods"].append(one);
  }
  out["left_out"] = Json::Value(Json::arrayValue);
  for (const auto& [name, reason] : measured.left_out) {
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
  out["advice"] = choice(measured.ours);
  out["exact_energy"] = choice(measured.exact_energy);
  out["best_reference"] = choice(measured.theirs);
  out["interrupted"] = measured.interrupted;
  out["processor_s"] = to_json(measured.seconds);
  return out;
}

}  // namespace gnomon::program
