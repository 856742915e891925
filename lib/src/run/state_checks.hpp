#pragma once
/// \file
/// What a state must be for the next step to go on from it. Private to the core.

#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// Position, momentum, multipliers and what the scheme carries, of the history the newest entry.
bool is_finite(const State& z);
/// Whether two states have what a scheme carries from step to step in the same sizes.
bool carries_the_same(const State& a, const State& b);

}  // namespace gnomon
