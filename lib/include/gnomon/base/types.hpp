#pragma once
/// \file
/// Vector types used across every Gnomon interface. All of them are contiguous doubles.

#include <Eigen/Core>

#include "gnomon/abi.h"

namespace gnomon {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
template <class S>
using VectorOf = Eigen::Matrix<S, Eigen::Dynamic, 1>;

/// Writable view of a contiguous vector. Pass by value or const reference; binding a segment costs nothing.
using VectorRef = Eigen::Ref<Vector>;
/// Read-only view. Only ever bind it to contiguous storage: binding an expression would copy, and so allocate.
using ConstVectorRef = Eigen::Ref<const Vector>;

}  // namespace gnomon
