#pragma once
/// \file
/// Starts, consistent and not, for the tests of consistency.hpp.

#include <cmath>

#include "support/says.hpp"
#include "support/truss.hpp"

namespace gnomon::test {

/// Rods folded out to the right and down, moving tangentially.
inline Vector rods_q() {
  return (Vector(4) << 0.6, -0.8, 2.6, -0.8).finished();
}

inline Vector rods_p(const System& system) {
  Vector v(4), p(4);
  v << 0.8, 0.6, 0.8, 2.0;
  system.mass().apply(v, p);
  return p;
}

/// A horizontal chain, links alternating around the horizontal so that nothing is special.
inline Vector chain_q(Index links) {
  Vector q(2 * links);
  double x = 0, y = 0;
  for (Index i = 0; i < links; ++i) {
    const double angle = 0.3 * std::sin(1.0 + static_cast<double>(i));
    q[2 * i] = x += std::cos(angle);
    q[2 * i + 1] = y += std::sin(angle);
  }
  return q;
}

/// Tridiagonal mass, as beams have it.
inline Mass coupled_mass(Index n) {
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < n; ++i)
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) entries.emplace_back(i, j);
  const auto pattern = SparsityPattern::from_entries(n, n, entries);
  Vector values(pattern.nonzeros());
  for (Index i = 0; i < n; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      values[k] = pattern.indices[k] == i ? 2 + 0.01 * static_cast<double>(i % 7) : 0.5;
  return Mass::sparse(pattern, values);
}

inline Mass unit_mass(Index n) {
  return Mass::diagonal(Vector::Ones(n));
}

inline Truss unit_chain(Index links, bool coupled = false) {
  return {links, Truss::chain(links), coupled ? coupled_mass(2 * links) : unit_mass(2 * links)};
}

}  // namespace gnomon::test
