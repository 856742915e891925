#pragma once
/// \file
/// Eigen's functions on matrices of doubles that many sources use, compiled once, in eigen_instances.cpp. It is one of
/// the precompiled headers; nothing includes it. Each library has its own hidden copy: a program beside it may have
/// been compiled for another processor, or with another Eigen.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>

#ifndef GNOMON_EIGEN_INSTANCE
#define GNOMON_EIGEN_INSTANCE extern template
#endif

namespace Eigen {

GNOMON_EIGEN_INSTANCE class PartialPivLU<MatrixXd>;
GNOMON_EIGEN_INSTANCE class HouseholderQR<MatrixXd>;
GNOMON_EIGEN_INSTANCE class ColPivHouseholderQR<MatrixXd>;
GNOMON_EIGEN_INSTANCE class CompleteOrthogonalDecomposition<MatrixXd>;
GNOMON_EIGEN_INSTANCE LLT<MatrixXd>& LLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
GNOMON_EIGEN_INSTANCE LDLT<MatrixXd>& LDLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);

namespace internal {

// Products: matrix by matrix, which factorisations and triangular solutions use too; matrix by vector; triangles.
using GnomonTraits = gebp_traits<double, double>;
template <int Order>
using GnomonConstMapper = const_blas_data_mapper<double, Index, Order>;
GNOMON_EIGEN_INSTANCE struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor, Unaligned, 1>,
                                         GnomonTraits::mr, GnomonTraits::nr, false, false>;
GNOMON_EIGEN_INSTANCE struct gemm_pack_lhs<double, Index, GnomonConstMapper<ColMajor>, GnomonTraits::mr,
                                           GnomonTraits::LhsProgress, GnomonTraits::LhsPacket4Packing, ColMajor>;
GNOMON_EIGEN_INSTANCE struct gemm_pack_lhs<double, Index, GnomonConstMapper<RowMajor>, GnomonTraits::mr,
                                           GnomonTraits::LhsProgress, GnomonTraits::LhsPacket4Packing, RowMajor>;
GNOMON_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, GnomonConstMapper<ColMajor>, GnomonTraits::nr, ColMajor>;
GNOMON_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, GnomonConstMapper<RowMajor>, GnomonTraits::nr, RowMajor>;
GNOMON_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, GnomonConstMapper<ColMajor>, ColMajor, false,
                                                           double, GnomonConstMapper<RowMajor>, false>;
GNOMON_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, GnomonConstMapper<ColMajor>, ColMajor, false,
                                                           double, GnomonConstMapper<ColMajor>, false>;
GNOMON_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, GnomonConstMapper<RowMajor>, RowMajor, false,
                                                           double, GnomonConstMapper<ColMajor>, false>;
GNOMON_EIGEN_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, Lower, false, ColMajor>;
GNOMON_EIGEN_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, UnitLower, false, ColMajor>;
GNOMON_EIGEN_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, Upper, false, ColMajor>;
GNOMON_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, ColMajor, ColMajor, 1>;
GNOMON_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, ColMajor, ColMajor, 1>;
GNOMON_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, ColMajor, ColMajor, 1>;

}  // namespace internal
}  // namespace Eigen
