#pragma once
/// \file
/// gnomon bench small: its table, its figures, its CSV file.

#include <optional>
#include <string>

#include "bench/small/small_bench.hpp"
#include "program/bench/result.hpp"

namespace gnomon::program {

/// Throws Error(bad_file) for an output that cannot be written, before the first run.
BenchResult bench_small(const Registry& registry, const bench::SmallBench& bench,
                        const std::optional<std::string>& output);

}  // namespace gnomon::program
