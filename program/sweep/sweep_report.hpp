#pragma once
/// \file
/// What a sweep ended with: the summary for people, the JSON object for programs.

#include <json/json.h>

#include <functional>
#include <string>
#include <vector>

#include "ensembles/sweep.hpp"
#include "program/summary/summary_row.hpp"

namespace gnomon::program {

struct SweepReport {
  std::string problem, output;
  ensembles::SweepResult result;
  Json::Value definition;  ///< null of shards that are put together
  int threads = 0, processes = 1;
  std::function<std::string(long)> command;  ///< that does a run again; empty: not known
};

std::vector<SummaryRow> sweep_rows(const SweepReport& report);
/// Keys: problem, output, status (complete, was complete, interrupted), runs, done_before, done, seconds, threads,
/// processes; where it is complete counts {status: runs}, figures {name: {min, median, max, run_of_max}}, failures
/// [{run, status, message}] (the first 1000), and worst {run, command}.
Json::Value sweep_json(const SweepReport& report);

}  // namespace gnomon::program
