#pragma once
/// \file
/// Whether the declared symmetries keep every constraint function, or only the set g = 0.

#include <algorithm>
#include <cmath>

#include "gnomon/error.hpp"
#include "gnomon/system.hpp"

namespace gnomon::kernels {

/// True when G(q) xi_a(q) = 0 for every symmetry a, off the constraint set too: tested at three fixed points of which
/// no coordinate is special. A joint phi = l d3 written in components turns with the body and fails; |phi - l d3|^2
/// passes. Where it fails, a constraint force at an inner node of a step, where g is not zero, has a moment. False when
/// the system cannot be evaluated there.
inline bool symmetries_keep_constraints(const System& system) {
  const Index n = system.n();
  const SparsityPattern& pattern = system.constraint_pattern();
  Vector q(n), xi(n), values(pattern.nonzeros()), product(system.m());
  try {
    for (int point = 1; point <= 3; ++point) {
      for (Index j = 0; j < n; ++j) q[j] = 1.5 + std::sin(point + 1.7 * static_cast<double>(j));
      system.constraint_jacobian(0, q, values);
      for (Index a = 0; a < system.traits().n_symmetries; ++a) {
        system.symmetry_generator(a, q, xi);
        multiply(pattern, values, xi, product);
        const double size = values.lpNorm<Eigen::Infinity>() * xi.lpNorm<Eigen::Infinity>();
        if (!(product.lpNorm<Eigen::Infinity>() <= 1e-12 * static_cast<double>(n) * size)) return false;
      }
    }
  } catch (const CannotEvaluate&) {
    return false;
  }
  return true;
}

}  // namespace gnomon::kernels
