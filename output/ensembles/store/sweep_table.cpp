#include "ensembles/store/sweep_table.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include "gnomon/base/error.hpp"

namespace gnomon::ensembles {

namespace {

constexpr std::size_t most_failures = 1000;

Json::Value result_of(const SweepSummary& summary) {
  const std::vector<std::string> names = run_statuses();
  Json::Value out, counts(Json::objectValue), failures(Json::arrayValue);
  for (std::size_t s = 0; s < names.size(); ++s) counts[names[s]] = Json::Int64(summary.counts[s]);
  for (const FailedRun& one : summary.failures) {
    Json::Value failure;
    failure["run"] = Json::Int64(one.run);
    failure["status"] = to_string(one.status);
    failure["message"] = one.message;
    failures.append(failure);
  }
  out["counts"] = counts;
  out["failures"] = failures;
  return out;
}

}  // namespace

tables::Head table_head(const std::string& output, const Json::Value& definition) {
  if (!tables::is_table_name(output))
    throw Error(ErrorCode::bad_value, "--output = \"" + output + "\" ends in none of .csv, .h5 and .jsonl");
  tables::Head head;
  const Json::ArrayIndex variables = definition["vary"].size();
  const auto add = [&head](const std::string& name) { head.columns.push_back({name, "", tables::Kind::other}); };
  add("run");
  for (Json::ArrayIndex j = 0; j < definition["columns"].size(); ++j) {
    if (j == variables) add("status");
    add(definition["columns"][j].asString());
  }
  if (definition["columns"].size() == variables) add("status");
  std::set<std::string> names;
  for (const tables::Column& column : head.columns)
    if (!names.insert(column.name).second)
      throw Error(ErrorCode::bad_value, "the table would have two columns \"" + column.name + "\"");
  head.provenance = definition;
  return head;
}

Json::Value provenance_of(const std::string& table) {
  const std::string end = std::filesystem::path(table).extension().string();
  if (end == ".h5") return tables::open_rows(table)->head().provenance;
  if (end != ".jsonl") return Json::nullValue;
  std::ifstream in(table, std::ios::binary);
  std::string line;
  std::getline(in, line);
  return object_of(line, "the first line of \"" + table + "\"")["provenance"];
}

SweepSummary summarise(const Json::Value& definition, const Rows& rows,
                       const std::function<std::string(long)>& message) {
  const std::size_t width = definition["columns"].size();
  SweepSummary summary;
  for (const Json::Value& name : definition["columns"]) summary.names.push_back(name.asString());
  summary.counts.resize(run_statuses().size());
  summary.figures.resize(width);
  summary.sample = RowSample(width);
  rows([&](long run, RunStatus status, const double* values) {
    ++summary.runs;
    summary.sample.add(run, status, values);
    ++summary.counts[static_cast<std::size_t>(status)];
    if (status != RunStatus::success && summary.failures.size() < most_failures)
      summary.failures.push_back({run, status, message(run)});
    if (status == RunStatus::success)
      for (std::size_t j = 0; j < width; ++j) summary.figures[j].add(run, values[j]);
  });
  return summary;
}

SweepSummary write_table(const std::string& output, const Json::Value& definition, const Rows& rows,
                         const std::function<std::string(long)>& message) {
  tables::Head head = table_head(output, definition);
  const std::size_t width = definition["columns"].size(), variables = definition["vary"].size();
  SweepSummary summary = summarise(definition, rows, message);
  const Json::Value result = result_of(summary);
  for (const std::string& name : result.getMemberNames()) head.provenance[name] = result[name];
  head.rows = summary.runs;
  const std::unique_ptr<tables::Writer> writer = tables::open_table(output, head);
  std::vector<double> line(width + 2);
  rows([&](long run, RunStatus status, const double* values) {
    line[0] = static_cast<double>(run);
    std::copy(values, values + variables, line.begin() + 1);
    line[1 + variables] = static_cast<double>(status);
    std::copy(values + variables, values + width, line.begin() + static_cast<long>(variables) + 2);
    writer->row(line.data());
  });
  writer->commit();
  return summary;
}

}  // namespace gnomon::ensembles
