#pragma once
/// \file
/// Times of several pieces of work beside each other: they are done in turns, so that what slows the machine for a
/// while slows them all.

#include <limits>
#include <vector>

#include "bench/work.hpp"

namespace gnomon::bench {

struct TurnsRule {
  int least = 3, most = 15;  ///< rounds
  double seconds = 2;        ///< of processor time: no round after the least begins later
  /// In processor time: a first round that takes longer is the only one, and has no times.
  double longest_round = std::numeric_limits<double>::infinity();
};

/// Processor times of one piece, in seconds, one a round.
struct TurnTimes {
  std::vector<double> seconds;
  double least() const;
  double median() const;
  /// Half of what the middle half of them spans.
  double spread() const;
};

struct Turns {
  int rounds = 0;             ///< with times; 0: the first one took too long
  double first_round = 0;     ///< processor time of it all, with what is not timed
  std::vector<TurnTimes> of;  ///< of each piece; empty of one that failed, and where there are no times
};

/// A piece that fails is not done again. What one of them throws is thrown.
Turns time_in_turns(const std::vector<Work*>& pieces, const TurnsRule& rule);

}  // namespace gnomon::bench
