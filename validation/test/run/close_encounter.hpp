#pragma once
/// \file
/// A motion whose steps must vary in size by a factor of a thousand.

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "test/instance.hpp"

namespace gnomon::test {

/// A bead on the unit sphere that passes an attracting point outside of it, at a distance of .02 from its surface.
struct CloseEncounter : AutodiffModel<3, 1> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(3)); }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::sqrt;
    const S z = q[2] + 1.02;
    return -0.5 / sqrt(q[0] * q[0] + q[1] * q[1] + z * z) + 0.2 * q[2];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0);
  }
};

inline ProblemInstance close_encounter() {
  return test::instance_of(CloseEncounter(), Vector::Unit(3, 0), 0.08 * Vector::Unit(3, 1));
}

}  // namespace gnomon::test
