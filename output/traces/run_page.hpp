#pragma once
/// \file
/// The page of one or several runs of a problem: who drifts, and what the motion looks like.

#include <vector>

#include "pages/blocks.hpp"
#include "traces/run_trace.hpp"

namespace gnomon::traces {

/// The motion with the outputs or coordinates beside it, then charts over time: energy error, both constraint levels,
/// invariants, distance from references, energies, steps. The run with index i has the colour of group i. The runs are
/// of one model; a trace outlives nothing: the blocks have copies.
std::vector<pages::Block> run_blocks(const std::vector<const RunTrace*>& runs);

}  // namespace gnomon::traces
