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

/// Charts first: how each kept figure depends on what varies, and its distribution; then its least, middle and largest
/// value, the runs with the largest errors and those that failed; what was run and how the runs ended at the end. Runs
/// that failed are counted at the top. `command` gives the command line that repeats a
/// run, and may be empty. A summary of no runs gives no charts.
std::vector<pages::Block> ensemble_blocks(const Json::Value& definition, const SweepSummary& summary,
                                          const std::function<std::string(long run)>& command);

}  // namespace gnomon::ensembles
