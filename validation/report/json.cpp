#include "report/json.hpp"

#include <cmath>

namespace gnomon::validation {

Json::Value to_json(double value) {
  return std::isfinite(value) ? Json::Value(value) : Json::Value();
}

Json::Value to_json(const ConstVectorRef& vector) {
  Json::Value array(Json::arrayValue);
  for (Index i = 0; i < vector.size(); ++i) array.append(to_json(vector[i]));
  return array;
}

Json::Value to_json(const Row& row) {
  Json::Value object;
  object["case"] = row.case_name;
  if (!row.former_name.empty()) object["formerly"] = row.former_name;
  object["quantity"] = row.quantity.name;
  object["measured"] = to_json(row.quantity.value);
  if (row.quantity.gate) {
    const Gate& gate = *row.quantity.gate;
    Json::Value& out = object["gate"];
    if (gate.min) out["min"] = to_json(*gate.min);
    if (gate.max) out["max"] = to_json(*gate.max);
    if (gate.near) {
      out["near"] = to_json(*gate.near);
      out["within"] = to_json(gate.within);
    }
  }
  object["verdict"] = row.verdict == Verdict::information ? "information" : to_string(row.verdict);
  if (!row.quantity.note.empty()) object["note"] = row.quantity.note;
  if (!row.reason.empty()) object["reason"] = row.reason;
  return object;
}

Json::Value report_json(const std::vector<Row>& rows, const Tally& tally, Tier tier, double seconds) {
  Json::Value report;
  report["tier"] = to_string(tier);
  report["seconds"] = to_json(seconds);
  Json::Value& counts = report["counts"];
  counts["pass"] = Json::Int64(tally.pass);
  counts["fail"] = Json::Int64(tally.fail);
  counts["known_failure"] = Json::Int64(tally.known_failure);
  counts["unexpected_pass"] = Json::Int64(tally.unexpected_pass);
  counts["information"] = Json::Int64(tally.information);
  report["rows"] = Json::Value(Json::arrayValue);
  for (const Row& row : rows) report["rows"].append(to_json(row));
  return report;
}

std::string json_text(const Json::Value& value) {
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "  ";
  builder["precision"] = 17;
  builder["precisionType"] = "significant";
  return Json::writeString(builder, value) + "\n";
}

}  // namespace gnomon::validation
