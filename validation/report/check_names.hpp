#pragma once
/// \file
/// Case files against the registry, before anything runs.

#include "gnomon/registry/registry.hpp"
#include "report/case_file.hpp"

namespace gnomon::validation {

/// Throws Error(bad_file) naming file, case and name for a problem, scheme, solver or reference that is not registered,
/// and for a parameter or option that its owner does not have or does not accept.
void check_names(const Registry& registry, const CaseFiles& files);

}  // namespace gnomon::validation
