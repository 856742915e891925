#pragma once
/// \file
/// Singular values of a dense matrix: Eigen's decomposition, compiled once.

#include <Eigen/SVD>

#include "gnomon/base/types.hpp"

namespace gnomon::validation {

using SingularValues = Eigen::JacobiSVD<Matrix>;

}  // namespace gnomon::validation

extern template class Eigen::JacobiSVD<gnomon::Matrix>;
