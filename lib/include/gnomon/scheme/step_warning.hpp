#pragma once
/// \file
/// What StepEquations may tell the user about steps that succeed.

#include "gnomon/abi.h"

namespace gnomon {

/// Implemented beside StepEquations by schemes that have something to say: dynamic_cast the equations of an integrator
/// to it.
class GNOMON_EXPORT StepWarning {
 public:
  virtual ~StepWarning() = default;
  /// A sentence about the step that began last, e.g. that it is above the stability limit; nullptr: nothing. It lives
  /// as long as the equations.
  virtual const char* warning() const = 0;
};

}  // namespace gnomon
