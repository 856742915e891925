#pragma once
/// \file
/// The step of rattle, as rattle.cpp has it.

#include <memory>

#include "gnomon/scheme/scheme.hpp"

namespace gnomon::kernels {

std::unique_ptr<StepEquations> rattle_step(const System& system);

}  // namespace gnomon::kernels
