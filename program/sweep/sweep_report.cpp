#include "program/sweep/sweep_report.hpp"

#include <fmt/format.h>

#include <optional>

#include "report/json.hpp"

namespace gnomon::program {

using ensembles::SweepSummary;
using validation::to_json;

namespace {

/// Where the figures begin among the columns: the variables are before them.
std::size_t variables_of(const SweepReport& report) {
  return report.definition["vary"].size();
}

struct Worst {
  long run;
  std::string why;
};

/// The first run that did not succeed, or else that with the largest of the first figure.
std::optional<Worst> worst_of(const SweepReport& report) {
  const SweepSummary& summary = report.result.summary;
  if (!summary.failures.empty()) return Worst{summary.failures.front().run, to_string(summary.failures.front().status)};
  for (std::size_t j = variables_of(report); j < summary.figures.size(); ++j) {
    const ensembles::ColumnFigures& figures = summary.figures[j];
    if (figures.count() > 0)
      return Worst{figures.run_of_largest(), fmt::format("{} = {:.3g}", summary.names[j], figures.largest())};
  }
  return std::nullopt;
}

const char* status_of(ensembles::SweepEnd end) {
  switch (end) {
    case ensembles::SweepEnd::complete:
      return "complete";
    case ensembles::SweepEnd::was_complete:
      return "was complete";
    default:
      return "interrupted";
  }
}

std::string counts_text(const SweepSummary& summary) {
  const std::vector<std::string> names = run_statuses();
  std::string text;
  for (std::size_t s = 0; s < names.size(); ++s)
    if (summary.counts[s] > 0 || s == 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", summary.counts[s], names[s]);
  return text;
}

void add_figures(std::vector<SummaryRow>& rows, const SweepReport& report) {
  constexpr std::size_t most = 10;
  const SweepSummary& summary = report.result.summary;
  const std::size_t first = variables_of(report), end = summary.figures.size();
  for (std::size_t j = first; j < std::min(end, first + most); ++j) {
    const ensembles::ColumnFigures& figures = summary.figures[j];
    rows.push_back({j == first ? "figures" : "",
                    figures.count() > 0 ? fmt::format("{:<20} min {:.3g}, median {:.3g}, max {:.3g}", summary.names[j],
                                                      figures.least(), figures.median(), figures.largest())
                                        : fmt::format("{:<20} no run has it", summary.names[j])});
  }
  if (end > first + most) rows.push_back({"", fmt::format("and {} more, which the table has", end - first - most)});
}

}  // namespace

std::vector<SummaryRow> sweep_rows(const SweepReport& report) {
  const ensembles::SweepResult& result = report.result;
  std::vector<SummaryRow> rows;
  if (result.end == ensembles::SweepEnd::was_complete) {
    rows.push_back({"complete", fmt::format("{} has all {} runs already", report.output, result.before)});
    return rows;
  }
  if (result.done > 0 || result.end == ensembles::SweepEnd::interrupted) {
    rows.push_back(
        {"done",
         fmt::format("{} runs in {:.3g} s, {:.4g} a second, by {} thread{}{}{}", result.done, result.seconds,
                     static_cast<double>(result.done) / result.seconds, report.threads, report.threads == 1 ? "" : "s",
                     report.processes > 1 ? fmt::format(" in each of {} processes", report.processes) : "",
                     result.before > 0 ? fmt::format(", and {} before", result.before) : "")});
  }
  if (result.end == ensembles::SweepEnd::interrupted) {
    rows.push_back({"STOPPED", fmt::format("interrupted; --resume goes on with \"{}.part\"", report.output)});
    return rows;
  }
  rows.push_back({"runs", fmt::format("{}: {}", result.summary.runs, counts_text(result.summary))});
  add_figures(rows, report);
  constexpr std::size_t few = 3;
  const auto& failures = result.summary.failures;
  for (std::size_t i = 0; i < std::min(failures.size(), few); ++i)
    rows.push_back({i ? "" : "FAILED", fmt::format("run {}, {}: {}", failures[i].run, to_string(failures[i].status),
                                                   failures[i].message)});
  if (const auto worst = worst_of(report)) {
    rows.push_back({"worst", fmt::format("run {}, {}", worst->run, worst->why)});
    if (report.command) rows.push_back({"", report.command(worst->run)});
  }
  rows.push_back({"table", report.output});
  return rows;
}

Json::Value sweep_json(const SweepReport& report) {
  const ensembles::SweepResult& result = report.result;
  Json::Value out;
  out["problem"] = report.problem;
  out["output"] = report.output;
  out["status"] = status_of(result.end);
  out["done_before"] = Json::Int64(result.before);
  out["done"] = Json::Int64(result.done);
  out["seconds"] = to_json(result.seconds);
  out["threads"] = report.threads;
  out["processes"] = report.processes;
  if (result.end != ensembles::SweepEnd::complete) return out;
  const SweepSummary& summary = result.summary;
  out["runs"] = Json::Int64(summary.runs);
  const std::vector<std::string> names = run_statuses();
  for (std::size_t s = 0; s < names.size(); ++s) out["counts"][names[s]] = Json::Int64(summary.counts[s]);
  out["figures"] = Json::objectValue;
  for (std::size_t j = variables_of(report); j < summary.figures.size(); ++j) {
    const ensembles::ColumnFigures& figures = summary.figures[j];
    Json::Value& one = out["figures"][summary.names[j]];
    one["min"] = to_json(figures.least());
    one["median"] = to_json(figures.median());
    one["max"] = to_json(figures.largest());
    one["run_of_max"] = Json::Int64(figures.run_of_largest());
  }
  out["failures"] = Json::arrayValue;
  for (const ensembles::FailedRun& failure : summary.failures) {
    Json::Value one;
    one["run"] = Json::Int64(failure.run);
    one["status"] = to_string(failure.status);
    one["message"] = failure.message;
    out["failures"].append(one);
  }
  if (const auto worst = worst_of(report)) {
    out["worst"]["run"] = Json::Int64(worst->run);
    if (report.command) out["worst"]["command"] = report.command(worst->run);
  }
  return out;
}

}  // namespace gnomon::program
