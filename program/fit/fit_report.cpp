#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/fit/fit_arguments.hpp"
#include "program/run/provenance.hpp"
#include "report/json.hpp"
#include "tables/table.hpp"

namespace gnomon::program {

using validation::to_json;

namespace {

std::string interval_of(const FittedParameter& one) {
  switch (one.state) {
    case FittedParameter::State::at_minimum:
      return "at its least value";
    case FittedParameter::State::at_maximum:
      return "at its largest value";
    case FittedParameter::State::not_determined:
      return "not determined";
    case FittedParameter::State::determined:
      break;
  }
  return fmt::format("{:.7g} to {:.7g}", one.lower, one.upper);
}

const char* word_of(FittedParameter::State state) {
  constexpr const char* words[] = {"determined", "not determined", "at minimum", "at maximum"};
  return words[static_cast<std::size_t>(state)];
}

/// The run of the fitted model, where no entry of a start is among what was sought.
std::string command_of_fitted(const FitArguments& a, const FitResult& result) {
  std::string command = "gnomon run " + shell_word(a.run.problem);
  for (const FittedParameter& one : result.parameters) {
    if (one.name.find('.') != std::string::npos) return {};
    command += " --set " + shell_word(fmt::format("{}={:.10g}", one.name, one.value));
  }
  return command;
}

Json::Value matrix_of(const Matrix& matrix) {
  Json::Value rows(Json::arrayValue);
  for (Index i = 0; i < matrix.rows(); ++i) rows.append(to_json(Vector(matrix.row(i))));
  return rows;
}

}  // namespace

void print_fit(std::FILE* out, const FitArguments& a, const FitResult& result, const std::vector<std::string>& notes) {
  const std::size_t records = result.records.size();
  say(out, "{}, {} parameter{} of {} values in {} record{}\n", a.run.problem, result.parameters.size(),
      result.parameters.size() == 1 ? "" : "s", result.values, records, records == 1 ? "" : "s");
  std::size_t width = 9;
  for (const FittedParameter& one : result.parameters) width = std::max(width, one.name.size());
  say(out, "  {:<{}}  {:>16}  {:>14}  {:<26}  {}\n", "parameter", width, "value", "standard error", "95 % interval",
      "unit");
  for (const FittedParameter& one : result.parameters)
    say(out, "  {:<{}}  {:>16.9g}  {:>14}  {:<26}  {}\n", one.name, width, one.value,
        std::isfinite(one.error) ? fmt::format("{:.3g}", one.error) : "", interval_of(one), one.unit);
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    const FittedColumn& one = result.columns[c];
    say(out, "  {:<12} {}: rms {:.4g}{}, sigma {:.4g} {}, {} values\n", c ? "" : "left", one.column, one.rms,
        one.unit.empty() ? "" : " " + one.unit, one.sigma, one.sigma_given ? "given" : "estimated", one.count);
  }
  say(out, "  chi^2        {:.6g} with {} degrees of freedom\n", result.chi_squared, result.degrees_of_freedom());
  say(out, "  search       {} iterations, {} runs and {} with derivatives, by {}, {}\n", result.iterations, result.runs,
      result.runs_with_derivatives, a.run.scheme, a.run.rtol.empty() ? "step " + a.run.step : "rtol " + a.run.rtol);
  for (const std::string& note : notes) say(out, "  note         {}\n", note);
  for (const std::string& warning : result.warnings) say(out, "  WARNING      {}\n", warning);
  if (const std::string command = command_of_fitted(a, result); result.converged && !command.empty())
    say(out, "  run          {}\n", command);
}

Json::Value fit_json(const FitArguments& a, const FitSetup& setup, const FitResult& result) {
  Json::Value out;
  out["problem"] = a.run.problem;
  out["status"] = result.converged ? "success" : "stopped";
  out["message"] = result.message;
  for (const FittedParameter& one : result.parameters) {
    Json::Value& to = out["parameters"][one.name];
    to["value"] = to_json(one.value);
    to["error"] = to_json(one.error);
    to["interval"].append(to_json(one.lower));
    to["interval"].append(to_json(one.upper));
    to["began"] = to_json(one.began);
    to["unit"] = one.unit;
    to["state"] = word_of(one.state);
    out["names"].append(one.name);
  }
  out["correlation"] = matrix_of(result.correlation);
  out["covariance"] = matrix_of(result.covariance);
  out["singular_values"] = to_json(result.singular_values);
  for (const FittedColumn& one : result.columns) {
    Json::Value to;
    to["column"] = one.column;
    to["quantity"] = one.quantity;
    to["unit"] = one.unit;
    to["rms"] = to_json(one.rms);
    to["sigma"] = to_json(one.sigma);
    to["sigma_given"] = one.sigma_given;
    to["values"] = Json::Int64(one.count);
    out["columns"].append(to);
  }
  for (const FittedRecord& one : result.records) {
    Json::Value to;
    to["name"] = one.name;
    to["t0"] = to_json(one.t0);
    to["q0"] = to_json(one.q0);
    to["v0"] = to_json(one.v0);
    to["growth"] = to_json(one.growth);
    out["records"].append(to);
  }
  out["chi_squared"] = to_json(result.chi_squared);
  out["degrees_of_freedom"] = Json::Int64(result.degrees_of_freedom());
  out["iterations"] = result.iterations;
  out["runs"] = Json::Int64(result.runs);
  out["runs_with_derivatives"] = Json::Int64(result.runs_with_derivatives);
  out["warnings"] = Json::Value(Json::arrayValue);
  for (const std::string& warning : result.warnings) out["warnings"].append(warning);
  out["scheme"] = a.run.scheme;
  out["set"] = texts_json(setup.set);
  return out;
}

void write_residuals(const std::string& path, const FitArguments& a, const FitResult& result) {
  tables::Head head;
  head.columns = {{"record", "", tables::Kind::other}, {"t", "", tables::Kind::time}};
  for (const FittedColumn& one : result.columns)
    for (const std::string& name : {one.column, one.column + ".fitted", one.column + ".left"})
      head.columns.push_back({name, one.unit, tables::Kind::other});
  head.provenance["problem"] = a.run.problem;
  head.provenance["data"] = Json::Value(Json::arrayValue);
  for (const std::string& file : a.data) head.provenance["data"].append(file);
  for (const FittedParameter& one : result.parameters) head.provenance["fitted"][one.name] = to_json(one.value);
  const std::unique_ptr<tables::Writer> writer = tables::open_table(path, head);
  std::vector<double> row(head.columns.size());
  for (std::size_t r = 0; r < result.records.size(); ++r) {
    const FittedRecord& record = result.records[r];
    for (Index i = 0; i < record.measured.rows(); ++i) {
      row[0] = static_cast<double>(r + 1);
      row[1] = record.times[static_cast<std::size_t>(i)];
      for (Index c = 0; c < record.measured.cols(); ++c) {
        double* const to = row.data() + 2 + 3 * c;
        to[0] = record.measured(i, c);
        to[1] = record.fitted(i, c);
        to[2] = to[0] - to[1];
      }
      writer->row(row.data());
    }
  }
  writer->commit();
}

}  // namespace gnomon::program
