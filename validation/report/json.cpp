#include "report/json.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "gnomon/base/error.hpp"

namespace gnomon::validation {

Json::Value to_json(double value) {
  return std::isfinite(value) ? Json::Value(value) : Json::Value();
}

Json::Value to_json(const ConstVectorRef& vector) {
  Json::Value array(Json::arrayValue);
  for (Index i = 0; i < vector.size(); ++i) array.append(to_json(vector[i]));
  return array;
}

namespace {

std::string verdict_name(Verdict verdict) {
  return verdict == Verdict::information ? "information" : to_string(verdict);
}

std::optional<double> number(const Json::Value& object, const char* key) {
  if (!object.isMember(key)) return std::nullopt;
  return object[key].isNull() ? std::numeric_limits<double>::quiet_NaN() : object[key].asDouble();
}

Gate gate_from(const Json::Value& object) {
  Gate gate;
  gate.min = number(object, "min");
  gate.max = number(object, "max");
  gate.near = number(object, "near");
  gate.within = number(object, "within").value_or(0);
  const std::string better = object.get("better", "").asString();
  if (!better.empty()) gate.better = better == "above" ? Gate::Better::above : Gate::Better::below;
  return gate;
}

Row row_from(const Json::Value& object) {
  const auto text = [&object](const char* key) { return object.get(key, "").asString(); };
  Row row;
  row.case_name = text("case");
  row.former_name = text("formerly");
  row.quantity.name = text("quantity");
  row.quantity.value = number(object, "measured").value();
  row.quantity.printed = number(object, "printed");
  row.quantity.at = text("at");
  if (object.isMember("gate")) row.quantity.gate = gate_from(object["gate"]);
  row.quantity.note = text("note");
  row.reason = text("reason");
  row.note = text("case_note");
  row.source = text("source");
  row.scheme = text("scheme");
  row.problem = text("problem");
  row.measure = text("measure");
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::known_failure, Verdict::unexpected_pass,
                                Verdict::better, Verdict::information}) {
    row.verdict = verdict;
    if (text("verdict") == verdict_name(verdict)) return row;
  }
  throw std::runtime_error("\"" + text("verdict") + "\" is no verdict");
}

}  // namespace

Json::Value to_json(const Row& row) {
  Json::Value object;
  object["case"] = row.case_name;
  if (!row.former_name.empty()) object["formerly"] = row.former_name;
  object["quantity"] = row.quantity.name;
  object["measured"] = to_json(row.quantity.value);
  if (row.quantity.printed) object["printed"] = to_json(*row.quantity.printed);
  if (!row.quantity.at.empty()) object["at"] = row.quantity.at;
  if (row.quantity.gate) {
    const Gate& gate = *row.quantity.gate;
    Json::Value& out = object["gate"];
    if (gate.min) out["min"] = to_json(*gate.min);
    if (gate.max) out["max"] = to_json(*gate.max);
    if (gate.near) {
      out["near"] = to_json(*gate.near);
      out["within"] = to_json(gate.within);
    }
    if (gate.better != Gate::Better::none) out["better"] = gate.better == Gate::Better::above ? "above" : "below";
  }
  object["verdict"] = verdict_name(row.verdict);
  if (!row.quantity.note.empty()) object["note"] = row.quantity.note;
  if (!row.reason.empty()) object["reason"] = row.reason;
  if (!row.note.empty()) object["case_note"] = row.note;
  if (!row.source.empty()) object["source"] = row.source;
  object["scheme"] = row.scheme;
  object["problem"] = row.problem;
  object["measure"] = row.measure;
  return object;
}

Json::Value report_json(const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  Json::Value report;
  report["tier"] = to_string(outcome.tier);
  report["cases"] = Json::Int64(outcome.cases);
  report["seconds"] = to_json(outcome.seconds);
  Json::Value& counts = report["counts"];
  counts["pass"] = Json::Int64(tally.pass);
  counts["fail"] = Json::Int64(tally.fail);
  counts["known_failure"] = Json::Int64(tally.known_failure);
  counts["unexpected_pass"] = Json::Int64(tally.unexpected_pass);
  counts["better"] = Json::Int64(tally.better);
  counts["information"] = Json::Int64(tally.information);
  report["rows"] = Json::Value(Json::arrayValue);
  for (const Row& row : outcome.rows) report["rows"].append(to_json(row));
  return report;
}

void read_report(const std::string& path, Outcome& outcome) {
  try {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("it cannot be read");
    Json::Value report;
    in >> report;
    outcome.tier = tier_named(report["tier"].asString());
    outcome.cases += report["cases"].asInt64();
    outcome.seconds += report["seconds"].asDouble();
    for (const Json::Value& row : report["rows"]) outcome.add(row_from(row));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::bad_file, "\"" + path + "\" is no report of validate --json: " + error.what());
  }
}

std::string json_text(const Json::Value& value) {
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "  ";
  builder["precision"] = 17;
  builder["precisionType"] = "significant";
  return Json::writeString(builder, value) + "\n";
}

}  // namespace gnomon::validation
