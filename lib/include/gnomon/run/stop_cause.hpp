#pragma once
/// \file
/// The cause that ended a run, in words that its user can act on: looked for after a step failed, in the state before
/// it and just ahead of that on a straight line.

#include <string>

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// Where it is looked for, and what it is compared with.
struct StopSearch {
  double reach = 0;            ///< how far ahead, with its sign
  bool formulas_only = false;  ///< nothing else of the model is evaluated
  Index repeats = 0;           ///< constraints that repeat others
  double condition = 1;        ///< of G at the start, see RankCondition
};

/// A formula that is no number there; constraints that lose rank; a constraint whose force is out of all proportion.
/// Empty where nothing of the kind is found.
GNOMON_EXPORT std::string stop_cause(const Model& model, const State& z, const StopSearch& search);

}  // namespace gnomon
