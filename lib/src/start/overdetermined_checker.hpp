#pragma once
/// \file
/// An overdetermined DAE's functions against differences, for verify(). Private to the core.

#include <vector>

#include "gnomon/model/overdetermined.hpp"
#include "gnomon/start/verify.hpp"

namespace gnomon {

/// Every term's tangent against differences, every Jacobian against tangents, and, where it has an energy, the power
/// against dE/dt along the index-1 slope: at the start and at three points near it.
std::vector<ModelCheck> check_overdetermined(const OverdeterminedSystem& system, const Vector& y0, const Vector& z0);

}  // namespace gnomon
