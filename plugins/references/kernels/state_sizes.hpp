#pragma once
/// \file
/// The natural size of every unknown at the start of a run, so that absolute tolerances are relative to it.
///
/// An absolute tolerance in the units of the model is a trap: with q in metres from the Earth's centre, 1e-13 lies four
/// digits below the rounding of q, and a coordinate that passes through zero makes the Newton test of the integrator
/// impossible. For a block b of the coordinates (SystemTraits::blocks; otherwise each for itself), at a consistent
/// start with the slopes y', y'', z',
///
///     L_b = max |y|,   V_b = max(max |y'|, sqrt(L_b max |y''|)),   T_b = L_b / V_b
///     Z_b = max(max |z|, T_b max |z'|),   W_b = max(max |z'|, Z_b / T_b)
///
/// (of mechanical systems, z = y', the sizes of velocities and accelerations) and at least a thousandth of the largest
/// block's: a block that happens to start at zero is still one of lengths. For a constraint i, h = g_y v,
///
///     Lambda_i = sum_j |h_z|_ij W_j / |h_z dz'/dpsi|_ii,   the multiplier that changes z' by its own size
///     Mu_i     = sum_j |g_y|_ij V_j / |g_y dy'/dmu|_ii,    the same for y' (stabilised index-2 form)
///
/// All of it is one in a model made dimensionless, and scales with any change of units.

#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

struct StateSizes {
  Vector y, z;        ///< ny and nz
  Vector lambda, mu;  ///< m each
};

/// A consistent start of y' = v(y,z), z' = w(y,z,psi), and what its constraints and multipliers do there.
struct StartSlopes {
  std::vector<Block> blocks;  ///< of y, and of z where it is of the same length
  Vector y, dy, ddy, z, dz;
  Vector psi;
  Matrix hidden_by_z, slope_by_psi;    ///< h_z, m x nz, and dz'/dpsi, nz x m
  Matrix constraint_by_y, rate_by_mu;  ///< g_y, m x ny, and dy'/dmu of the stabilised form, ny x m
};

StateSizes sizes_of(const StartSlopes& at);

}  // namespace gnomon::kernels
