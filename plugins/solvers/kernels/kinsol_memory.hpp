#pragma once
/// \file
/// Owner of a KINSOL memory block, and checked calls.

#include <kinsol/kinsol.h>

#include <memory>
#include <string>

#include "gnomon/base/error.hpp"

namespace gnomon::kernels {

struct FreeKinsol {
  void operator()(void* memory) const { KINFree(&memory); }
};
using KinsolMemory = std::unique_ptr<void, FreeKinsol>;

/// Throws Error(refused) where a call of KINSOL failed.
inline void check_kinsol(int flag, const char* call) {
  if (flag != KIN_SUCCESS)
    throw Error(ErrorCode::refused, std::string(call) + " of KINSOL returned " + std::to_string(flag));
}

}  // namespace gnomon::kernels
