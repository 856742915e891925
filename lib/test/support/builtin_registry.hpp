#pragma once
/// \file
/// Everything built in, registered once for a test program.

#include "gnomon/registry/registry.hpp"

namespace gnomon {

inline const Registry& registry() {
  static const Registry all = [] {
    Registry builtin;
    register_builtin(builtin);
    return builtin;
  }();
  return all;
}

}  // namespace gnomon
