#pragma once
/// \file
/// How U is differentiated between the two ends of a step of the midpoint family.

#include "kernels/discrete_gradient/general_quotient.hpp"

namespace gnomon::kernels {

struct MidpointRule {
  bool split_potential = false;    ///< equivariant: quotients in the quadratic invariants
  bool correct_potential = false;  ///< general: U enters c
  GeneralQuotient::Weight weight = GeneralQuotient::Weight::identity;
};

}  // namespace gnomon::kernels
