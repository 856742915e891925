#pragma once
/// \file
/// A start given by velocities.

#include "gnomon/model/system.hpp"

namespace gnomon {

/// p0 = M v0, with M at q0 where it depends on q. Throws Error(bad_size) for vectors of another length than n.
GNOMON_EXPORT Vector momenta(const System& system, const Vector& q0, const Vector& v0);

}  // namespace gnomon
