#pragma once
/// \file
/// How often a step with contacts is cut and solved, and multiples of the tolerance of a gap. What counts as zero is in
/// gnomon/base/thresholds.hpp. Private to the core.

#include <cstddef>

namespace gnomon::contact_tolerances {

constexpr int most_cuts = 10000;        // of one step by events
constexpr std::size_t many_events = 5;  // in one step, so that a failure may be a Zeno sequence
constexpr long most_solves = 5000;      // of one step, to locate its events, and
constexpr long solves_an_event = 20;    // more for each event that was found
constexpr long most_refusals = 60;      // of pieces of one step that are cut
constexpr double rebound_gaps = 10;     // gap tolerances that a rebound must rise by for a reference to see it
constexpr double opened = 1e3;          // gap tolerances: a gap that has opened

}  // namespace gnomon::contact_tolerances
