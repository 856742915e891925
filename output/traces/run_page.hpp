#pragma once
/// \file
/// The page of one or several runs of a problem: who drifts, and what the motion looks like.

#include <vector>

#include "pages/blocks.hpp"
#include "traces/run_trace.hpp"

namespace gnomon::traces {

/// Charts over time (energy error, both constraint levels, distance from references, invariants, energies, steps), the
/// motion, and coordinates with their phase plots. The run with index i has the colour of group i. The runs are of one
/// model; a trace outlives nothing: the blocks have copies.
std::vector<pages::Block> run_blocks(const std::vector<const RunTrace*>& runs);

/// A table of the largest errors, one row a run.
pages::Table drift_table(const std::vector<const RunTrace*>& runs);

}  // namespace gnomon::traces
