#pragma once
/// \file
/// The step of hbvm for constant mass.

#include <memory>

#include "gnomon/scheme/scheme.hpp"

namespace gnomon::kernels {

/// printed, projected: the options constraint=printed and output=projected.
std::unique_ptr<StepEquations> hbvm_step(const System& system, Index k, Index s, Index r, bool printed, bool projected);

}  // namespace gnomon::kernels
