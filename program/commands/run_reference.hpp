#pragma once
/// \file
/// gnomon run --scheme REFERENCE: a reference runs like a scheme.

#include "gnomon/registry/registry.hpp"
#include "program/run/run_arguments.hpp"

namespace gnomon::program {

/// Whether it is the name of a reference, and of no scheme. Throws Error(unknown_name) for what is neither.
bool is_reference(const Registry& registry, const std::string& name);

/// The status. Throws Error for arguments that a reference does not take.
int run_reference(const Registry& registry, RunArguments arguments);

}  // namespace gnomon::program
