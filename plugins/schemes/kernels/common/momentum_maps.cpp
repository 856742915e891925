#include "kernels/common/momentum_maps.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

ConstraintSymmetry constraint_symmetry(const System& system) {
  constexpr int points = 3;
  const SparsityPattern& g = system.constraint_pattern();
  const Index n = system.n();
  Vector q(n), xi(n), values(g.nonzeros()), first(g.nonzeros()), moved(system.m());
  ConstraintSymmetry found = ConstraintSymmetry::invariant;
  try {
    for (int point = 0; point < points; ++point) {
      for (Index j = 0; j < n; ++j) q[j] = std::sin(1 + 2.3 * static_cast<double>(j) + 0.7 * point);
      system.constraint_jacobian(0, q, values);
      if (point == 0) first = values;
      for (Index a = 0; a < system.parts().n_symmetries(); ++a) {
        system.parts().symmetries->symmetry_generator(a, q, xi);
        multiply(g, values, xi, moved);
        for (Index i = 0; i < system.m(); ++i) {
          double size = thresholds::no_division_by_zero, change = 0;
          for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
            size += std::abs(values[k]) * xi.lpNorm<Eigen::Infinity>();
            change = std::max(change, std::abs(values[k] - first[k]) * xi.lpNorm<Eigen::Infinity>());
          }
          if (std::abs(moved[i]) <= thresholds::unchanged_rows * size) continue;
          if (!(change <= thresholds::unchanged_rows * size)) return ConstraintSymmetry::other;
          found = ConstraintSymmetry::affine;
        }
      }
    }
  } catch (...) {
    return ConstraintSymmetry::other;  // cannot be evaluated there: nothing is known
  }
  return found;
}

bool symmetries_keep_constraints(const System& system) {
  return constraint_symmetry(system) == ConstraintSymmetry::invariant;
}

bool affine_symmetries(const System& system) {
  constexpr int lines = 3;
  const Index n = system.n();
  Vector q(n), step(n), xi(n), bend(n);
  try {
    for (int line = 0; line < lines; ++line) {
      for (Index j = 0; j < n; ++j) {
        q[j] = std::sin(1 + 2.3 * static_cast<double>(j) + 0.7 * line);
        step[j] = std::cos(2 + 1.7 * static_cast<double>(j) + 1.1 * line);
      }
      for (Index a = 0; a < system.parts().n_symmetries(); ++a) {
        bend.setZero();
        double size = 0;
        for (int k = -1; k <= 1; ++k) {
          const Vector at = q + k * step;
          system.parts().symmetries->symmetry_generator(a, at, xi);
          bend += (k == 0 ? -2 : 1) * xi;
          size = std::max(size, xi.lpNorm<Eigen::Infinity>());
        }
        if (!(bend.lpNorm<Eigen::Infinity>() <= thresholds::affine * size)) return false;
      }
    }
  } catch (...) {
    return false;  // cannot be evaluated there: nothing is known
  }
  return true;
}

}  // namespace gnomon::kernels
