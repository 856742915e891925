#pragma once
/// \file
/// Reference rows, generated from the registry: every problem and every scheme that no declared case compares with a
/// reference is compared with IDA, unless a case file says why none takes it.

#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "report/case_file.hpp"

namespace gnomon::validation {

/// Problems from where the conformance cases start them, by the accepting scheme of the highest order; schemes on the
/// first problem that they take and IDA too.
std::vector<Case> reference_cases(const Registry& registry, const CaseFiles& files);

/// Which problems and schemes have neither a row among `cases` nor a reason in `files`, and which reasons are needless
/// because there is a row; one sentence each.
std::vector<std::string> reference_gaps(const Registry& registry, const CaseFiles& files,
                                        const std::vector<Case>& cases);

}  // namespace gnomon::validation
