#pragma once
/// \file
/// The refusal of friction R(q,v,lambda), whatever the mass.

#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

/// No friction. Throws Error(refused).
inline void require_no_friction(const Scheme& scheme, const System& system) {
  if (system.parts().friction) refuse(scheme, system, "it has friction, which depends on the multipliers");
}

}  // namespace gnomon::kernels
