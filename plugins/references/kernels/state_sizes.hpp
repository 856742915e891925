#pragma once
/// \file
/// The natural size of every unknown at the start of a run, so that absolute tolerances are relative to it.
///
/// An absolute tolerance in the units of the model is a trap: with q in metres from the Earth's centre, 1e-13 lies four
/// digits below the rounding of q, and a coordinate that passes through zero makes the Newton test of the integrator
/// impossible. For a block b of the coordinates (SystemTraits::blocks), with the accelerations a0 of the start,
///
///     L_b = max |q0|,   V_b = max(max |v0|, sqrt(L_b max |a0|)),   A_b = max(max |a0|, V_b^2 / L_b)
///
/// and at least a thousandth of the largest block's: a block that happens to start at zero is still one of lengths. For
/// a constraint i, with A_ii = G_i M^-1 G_i^T,
///
///     Lambda_i = sum_j |G_ij| A_j / A_ii,   the force that changes the accelerations by their own size
///     Mu_i     = sum_j |G_ij| V_j / A_ii,   the same for the velocities (multipliers of the stabilised index-2 form)
///
/// All of it is one in a model made dimensionless, and scales with any change of units.

#include <algorithm>
#include <cmath>

#include "gnomon/consistency.hpp"
#include "gnomon/system.hpp"

namespace gnomon::kernels {

struct StateSizes {
  Vector q, v;        ///< n each
  Vector lambda, mu;  ///< m each
};

namespace state_sizes {

constexpr double smallest_block = 1e-3;

/// The largest |x| of each block, for every coordinate of the block.
inline Vector block_maximum(const System& system, const Vector& x) {
  Vector out = x.cwiseAbs();
  for (const Block& block : system.traits().blocks)
    out.segment(block.offset, block.size).setConstant(out.segment(block.offset, block.size).maxCoeff());
  return out.cwiseMax(smallest_block * out.maxCoeff());
}

}  // namespace state_sizes

/// Sizes at a consistent start (q, v) with acceleration a.
inline StateSizes sizes_of(const System& system, double t, const Vector& q, const Vector& v, const Vector& a) {
  using state_sizes::block_maximum;
  const auto or_one = [](double x) { return x > 0 && std::isfinite(x) ? x : 1; };
  StateSizes size;
  size.q = block_maximum(system, q).unaryExpr(or_one);
  const Vector speed = block_maximum(system, v), pull = block_maximum(system, a);
  size.v = speed.cwiseMax((size.q.array() * pull.array()).sqrt().matrix()).unaryExpr(or_one);
  const Vector acceleration = pull.cwiseMax((size.v.array().square() / size.q.array()).matrix());

  const Index m = system.m();
  size.lambda.setOnes(m);
  size.mu.setOnes(m);
  if (m == 0) return size;
  Vector values(system.constraint_pattern().nonzeros());
  system.constraint_jacobian(t, q, values);
  const Matrix G = to_dense(system.constraint_pattern(), values);
  Vector solved(system.n());
  for (Index i = 0; i < m; ++i) {
    const Vector row = G.row(i);
    system.mass().solve(row, solved);
    size.lambda[i] = or_one(row.cwiseAbs().dot(acceleration) / row.dot(solved));
    size.mu[i] = or_one(row.cwiseAbs().dot(size.v) / row.dot(solved));
  }
  return size;
}

}  // namespace gnomon::kernels
