#pragma once
/// \file
/// gnomon bench sensitivities: its table, its figures, its CSV file.

#include <optional>
#include <string>

#include "bench/sensitivity/sensitivities_bench.hpp"
#include "program/bench/result.hpp"

namespace gnomon::program {

/// Throws Error(bad_file) for an output that cannot be written, before the first run.
BenchResult bench_sensitivities(const Registry& registry, const bench::SensitivitiesBench& bench,
                                const std::optional<std::string>& output);

}  // namespace gnomon::program
