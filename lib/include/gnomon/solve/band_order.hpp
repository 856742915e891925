#pragma once
/// \file
/// Order of the unknowns of a sparse matrix that keeps its entries near the diagonal.

#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon {

/// Reverse Cuthill-McKee order of A + A^T: places[i] is the place of unknown i. Every component starts with an unknown
/// of lowest degree.
GNOMON_EXPORT std::vector<Index> reverse_cuthill_mckee(const SparsityPattern& pattern);

}  // namespace gnomon
