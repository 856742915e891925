#pragma once
/// \file
/// Work space of one thread, which functions share: it is in use only during a call.

#include <cstddef>

#include "gnomon/abi.h"

namespace gnomon {

/// At least `bytes`, aligned for any scalar; it grows, and never shrinks before the thread ends. What was in it is
/// lost.
GNOMON_EXPORT void* thread_workspace(std::size_t bytes);

}  // namespace gnomon
