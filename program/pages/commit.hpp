#pragma once
/// \file
/// What was built.

namespace gnomon::program {

/// As git describes the sources, "-dirty" where they differ from it; "unknown" outside a clone.
extern const char* const commit;

}  // namespace gnomon::program
