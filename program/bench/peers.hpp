#pragma once
/// \file
/// `gnomon bench peers`: the same mechanisms in Gnomon and in other multibody programs, at equal error.

#include <optional>
#include <string>

#include "bench/peers/peers.hpp"
#include "program/bench/result.hpp"

namespace gnomon::program {

/// Prints runs, costs and longer runs, writes the runs as CSV to `output`. `bench.drivers` is set here: the folder of
/// the program itself.
BenchResult bench_peers(const Registry& registry, bench::PeersBench bench, const std::optional<std::string>& output);

}  // namespace gnomon::program
