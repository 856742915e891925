#pragma once
/// \file
/// What counts as zero in contact. Private to the core.

#include <cstddef>

namespace gnomon::contact_tolerances {

constexpr int most_cuts = 10000;        // of one step by events
constexpr std::size_t many_events = 5;  // in one step, so that a failure may be a Zeno sequence
constexpr long most_solves = 5000;      // of one step, to locate its events, and
constexpr long solves_an_event = 20;    // more for each event that was found
constexpr double gap_rounding = 1e-13;  // of the terms of a gap
constexpr double doubtful = 1e-4;       // of the terms of a gap, or of the largest multiplier: an event was missed
constexpr double rebound_gaps = 10;     // gap tolerances that a rebound must rise by for a reference to see it
constexpr double opened = 1e3;          // gap tolerances: a gap that has opened
constexpr double still = 1e-13;         // speed, of the largest so far, that is none
constexpr double direction = 0x1p-512;  // of an acceleration: a start at rest has that direction, and no speed
constexpr double slow = 1e-5;  // speed, of the largest so far, from which a stop is extrapolated: its cube is lost
constexpr double psi_rounding = 1e-12;   // of the largest contact multiplier so far
constexpr double limit_rounding = 1e-9;  // of the same: friction that is at its limit
constexpr double no_slip = 1e-10;        // slip rate, of the largest so far, that is none
constexpr double dependent = 1e-10;      // of the square of a slip's gradient: what others leave of one that they hold
constexpr double approach = 1e-12;       // of the largest speed so far: what counts as moving into a contact
constexpr double rebound_rounding = 1e-8;  // of the largest speed so far, or (2 E)^1/2: no rebound, unless given

}  // namespace gnomon::contact_tolerances
