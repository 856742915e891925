#pragma once
/// \file
/// Scratch of SystemAt.

#include <initializer_list>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// Scratch is sized where it is first used: a scheme uses few of these functions, and at one or two of the scalars.
inline void fit(Index size, std::initializer_list<Vector*> scratch) {
  for (Vector* v : scratch)
    if (v->size() != size) v->setZero(size);
}

}  // namespace gnomon
