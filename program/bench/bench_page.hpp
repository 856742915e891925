#pragma once
/// \file
/// The page of `gnomon bench`, and blocks for it.

#include <string>
#include <vector>

#include "bench/chain_bench.hpp"
#include "bench/precision/tolerance_bench.hpp"
#include "bench/precision/work_precision.hpp"
#include "bench/sensitivity/sensitivities_bench.hpp"
#include "bench/small/small_bench.hpp"
#include "bench/strings_bench.hpp"
#include "pages/page.hpp"
#include "program/bench/precision_plot.hpp"
#include "program/bench/result.hpp"

namespace gnomon::program {

/// The figures with their gates, then the blocks of the result.
pages::Page bench_page(const BenchResult& result, const std::string& what);

/// A section, charts and tables of one bench.
using Blocks = std::vector<pages::Block>;
Blocks chain_blocks(const std::vector<bench::ChainRow>& rows);
Blocks small_blocks(const std::vector<bench::SmallRow>& rows);
Blocks sensitivities_blocks(const std::vector<bench::SensitivitiesRow>& rows);
Blocks strings_blocks(bench::Field field, const std::vector<bench::StringsRow>& rows);
Blocks tolerance_blocks(const std::vector<bench::ToleranceRow>& rows, const std::vector<bench::SuitedCost>& costs);
Blocks work_precision_blocks(const std::vector<bench::WorkPrecisionRow>& rows,
                             const std::vector<PrecisionPanel>& panels, const std::vector<bench::Duel>& duels);

}  // namespace gnomon::program
