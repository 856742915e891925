#pragma once
/// \file
/// gnomon bench tolerance: what steps of a tolerance cost by each scheme, and the table that the library ships with.

#include <optional>
#include <string>

#include "bench/precision/tolerance_bench.hpp"
#include "program/bench/result.hpp"

namespace gnomon::program {

/// Writes the table to `output`, lib/src/registry/suited_schemes.inc. Throws Error(bad_file) before the first run.
BenchResult bench_tolerance(const Registry& registry, const bench::ToleranceBench& bench,
                            const std::optional<std::string>& output);

}  // namespace gnomon::program
