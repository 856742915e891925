#pragma once
/// \file
/// gnomon list --matrix: which scheme and which reference takes which kind of model.

#include "gnomon/registry/registry.hpp"

namespace gnomon::program {

/// with_reasons: and why not where not.
void print_matrix(const Registry& registry, bool with_reasons);

}  // namespace gnomon::program
