#pragma once
/// \file
/// The largest eigenvalue of M^-1 A: the square of the highest frequency where A is the Hessian of U.

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/types.hpp"

namespace gnomon {

class Mass;

/// Of A y = lambda M y with A symmetric, given as pattern and values; 0 where no eigenvalue is positive. Dense for few
/// coordinates, else by Lanczos' iteration in the inner product of M, until the largest Ritz value stands still: it is
/// a lower bound. (Orthogonality that is lost repeats eigenvalues that were found and does no harm.) Allocates.
GNOMON_EXPORT double largest_eigenvalue(const Mass& mass, const SparsityPattern& pattern, const Vector& values);

}  // namespace gnomon
