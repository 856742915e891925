#pragma once
/// \file
/// Base of the small overdetermined models of the tests.

#include "gnomon/model/autodiff_overdetermined.hpp"

namespace gnomon::test {

inline OverdeterminedTraits named(const char* name) {
  OverdeterminedTraits traits;
  traits.name = name;
  return traits;
}

/// A unit mass in N dimensions: z is the velocity, y' = z. A model adds describe, force, multiplier_force, constraints.
template <int N, int M>
struct UnitMass : AutodiffOverdeterminedModel<N, N, M> {
  template <class S>
  void velocity(const S*, const S* z, S* v) const {
    for (int j = 0; j < N; ++j) v[j] = z[j];
  }
};

}  // namespace gnomon::test
