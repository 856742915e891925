#pragma once
/// \file
/// A hanging chain of point masses on rods, of any number of links.

#include <utility>
#include <vector>

#include "gnomon/model/autodiff_system.hpp"

namespace gnomon::test {

struct ChainModel : AutodiffModel<Dynamic, Dynamic> {
  std::vector<double> length;  // of each rod
  double m = 1, gravity = 1;   // of each bob
  explicit ChainModel(std::vector<double> l)
      : AutodiffModel(3 * Index(l.size()), Index(l.size())), length(std::move(l)) {}
  Vector mass() const { return Vector::Constant(coordinates(), m); }
  template <class S>
  S potential(const S* q) const {
    S u = 0;
    for (std::size_t k = 0; k < length.size(); ++k) u += m * gravity * q[3 * k + 2];
    return u;
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    for (std::size_t k = 0; k < length.size(); ++k, q += 3) {
      const S x = k ? q[0] - q[-3] : q[0], y = k ? q[1] - q[-2] : q[1], z = k ? q[2] - q[-1] : q[2];
      g[k] = 0.5 * (x * x + y * y + z * z - length[k] * length[k]);
    }
  }
};

}  // namespace gnomon::test
