#pragma once
/// \file
/// Sparse LU factors of the Jacobian of a large DAE, in the form in which SUNDIALS takes a linear solver.

#include <Eigen/SparseLU>

#include "gnomon/sundials/sun_linear_system.hpp"

namespace gnomon::kernels {

/// The matrix that IDA asks to be set up is the one that take() has received last. Its factors are Eigen's supernodal
/// LU with COLAMD, analysed anew where the pattern of the entries that are not zero has changed.
class SparseFactors {
 public:
  /// Throws Error(refused) where SUNDIALS cannot allocate.
  explicit SparseFactors(SUNContext context);
  SparseFactors(const SparseFactors&) = delete;
  SparseFactors& operator=(const SparseFactors&) = delete;

  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver solver() const { return linear_.get(); }
  /// Zeros are left out.
  void take(const Matrix& jacobian);

 private:
  bool factorise();
  bool solve(Eigen::Map<Vector> x);

  Eigen::SparseMatrix<double> jacobian_, analysed_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> factors_;
  SunOwner<SUNMatrix> matrix_;
  SunOwner<SUNLinearSolver> linear_;
};

}  // namespace gnomon::kernels
