#pragma once
/// \file
/// A statement that equations of a step may make about their solutions.

#include "gnomon/abi.h"

namespace gnomon {

/// Derived from, beside NonlinearEquations, by those of a projection: of several solutions the one next to the start
/// value is meant. Where it lies within half the scales of the unknowns, no other question is asked of it.
class GNOMON_EXPORT NearestSolution {
 public:
  virtual ~NearestSolution() = default;
};

}  // namespace gnomon
