#pragma once
/// \file
/// Symmetric coefficients c_i = c_{s+1-i} that raise a symmetric map Phi_h from one even order to another:
///
///     Psi_h = Phi_{c_s h} o ... o Phi_{c_1 h},     sum c_i = 1,   sum c_i^3 = 0 (order 4), ...
///
/// Each sum of odd powers that an order asks for is below 2e-19 for the coefficients as printed here.

#include <vector>

namespace gnomon::kernels {

using Coefficients = std::vector<double>;

enum class CompositionKind {
  suzuki,   ///< order p to p+2: (a, a, 1-4a, a, a), a = 1/(4 - 4^(1/(p+1))). Suzuki, Phys. Lett. A 146 (1990)
  yoshida,  ///< the fewest substeps: (a, 1-2a, a), a = 1/(2 - 2^(1/(p+1))); from order 2 to 6 seven, to 8 fifteen
  optimal,  ///< more and smaller substeps, smaller errors: from order 2 to 6 nine, to 8 seventeen; else as suzuki
};

/// From an even order to a higher even one.
Coefficients composition_coefficients(CompositionKind kind, int from, int to);

}  // namespace gnomon::kernels
