#pragma once
/// \file
/// KINSOL of SUNDIALS 7.0 to 7.5 formats messages, on the heap, at every solve, whether anybody reads them or not
/// (https://github.com/LLNL/sundials/issues/801): what its strategies allocate there is not ours.

#include <sundials/sundials_config.h>

#include <string>

namespace gnomon::validation {

constexpr const char* kinsol_messages =
    "KINSOL of SUNDIALS 7.0 to 7.5 formats messages at every solve, https://github.com/LLNL/sundials/issues/801";

inline bool formats_messages(const std::string& solver) {
  constexpr bool affected = SUNDIALS_VERSION_MAJOR == 7 && SUNDIALS_VERSION_MINOR < 6;
  return affected && solver.rfind("kinsol-", 0) == 0;
}

}  // namespace gnomon::validation
