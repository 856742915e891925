#pragma once
/// \file
/// Constant factors of a tape, gathered.

#include "gnomon/formula/tape.hpp"

namespace gnomon {

/// The same function with one constant factor in front of what has several, k (a x^2 + b y) as (k a) x^2 + (k b) y with
/// k a and k b rounded once. Derivatives are multiples of k a rounded, and a constraint whose value were k times a x^2
/// would be moved along by the difference, in one direction for ever. A tape with angles or switches, one that would
/// double, and one without such factors stay as they are.
Tape with_one_factor(const Tape& tape);

}  // namespace gnomon
