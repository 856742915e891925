#pragma once
/// \file
/// The refusal of friction R(q,v,lambda), whatever the mass.

#include <string>

#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

/// No friction. Throws Error(refused).
inline void require_no_friction(const Scheme& scheme, const System& system) {
  if (system.parts().friction)
    refuse(scheme, system,
           std::string("it has friction, which depends on the multipliers") +
               (system.parts().obstacles ? "" : "; use energy-momentum-ggl"));
}

}  // namespace gnomon::kernels
