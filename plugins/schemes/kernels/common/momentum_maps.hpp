#pragma once
/// \file
/// Which momentum maps survive a midpoint or collocation force G^T lambda.

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

/// How the constraints transform under the declared symmetries: each g_i is invariant by itself (a distance), or the
/// g_i turn among themselves (a joint phi - l d = 0 in components), where xi.G^T lambda = lambda.(xi' g) vanishes only
/// where g does.
enum class ConstraintSymmetry {
  invariant,  ///< G(q) xi_a(q) = 0 for every q
  affine,     ///< those g_i for which that fails are affine in q: zero at the midpoint when zero at both ends
  other
};

/// By evaluation at three arbitrary configurations off the constraint manifold.
ConstraintSymmetry constraint_symmetry(const System& system);

/// Whether every constraint function, and not only the set g = 0, keeps the declared symmetries. Where it does not, a
/// constraint force at an inner node of a step, where g is not zero, has a moment.
bool symmetries_keep_constraints(const System& system);

/// Whether every generator is affine in q, xi(q) = A q + b: by its second differences along three arbitrary lines.
bool affine_symmetries(const System& system);

}  // namespace gnomon::kernels
