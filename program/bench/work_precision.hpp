#pragma once
/// \file
/// gnomon bench work-precision: its table, its verdicts, its CSV file and its plot.

#include <optional>
#include <string>

#include "bench/precision/work_precision.hpp"
#include "program/bench/result.hpp"

namespace gnomon::program {

/// Throws Error(bad_file) for outputs that cannot be written, before the first run.
BenchResult bench_work_precision(const Registry& registry, const bench::WorkPrecisionBench& bench,
                                 const std::optional<std::string>& output, const std::optional<std::string>& plot);

}  // namespace gnomon::program
