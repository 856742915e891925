#pragma once
/// \file
/// What a page shows of an ensemble.

#include <functional>
#include <string>
#include <vector>

#include "ensembles/store/row_sample.hpp"
#include "ensembles/store/sweep_table.hpp"
#include "pages/blocks.hpp"

namespace gnomon::ensembles {

/// How the runs ended; of each kept figure its least, middle and largest value, its distribution and how it depends on
/// what varies; the runs with the largest errors and those that failed. `command` gives the command line that repeats a
/// run, and may be empty. A summary of no runs gives no charts.
std::vector<pages::Block> ensemble_blocks(const Json::Value& definition, const SweepSummary& summary,
                                          const std::function<std::string(long run)>& command);

}  // namespace gnomon::ensembles
