#pragma once
/// \file
/// Every way to solve the equations of a step that the registry knows: each solver in each of its kinds.

#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"

namespace gnomon::validation {

struct Strategy {
  std::string solver;
  Assignments options;  ///< `matrix`, where the solver has that option
  /// "newton-simplified kept"
  std::string label() const;
};

/// The registered solvers with every choice of their option `matrix`, which tells where their matrix comes from. `auto`
/// is left out: it is one of the others.
std::vector<Strategy> strategies(const Registry& registry);

}  // namespace gnomon::validation
