#include "references/kernels/sparse_factors.hpp"

#include <algorithm>

namespace gnomon::kernels {

namespace {

bool same_pattern(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  return a.cols() == b.cols() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

}  // namespace

SparseFactors::SparseFactors(SUNContext context)
    : matrix_(custom_matrix(context)),
      linear_(custom_solver(
          this, [](void* self) { return static_cast<SparseFactors*>(self)->factorise(); },
          [](void* self, Eigen::Map<Vector> x) { return static_cast<SparseFactors*>(self)->solve(x); }, context)) {}

void SparseFactors::take(const Matrix& jacobian) {
  jacobian_ = jacobian.sparseView(0, 0);
  jacobian_.makeCompressed();
}

bool SparseFactors::factorise() {
  if (!same_pattern(jacobian_, analysed_)) {
    factors_.analyzePattern(jacobian_);
    analysed_ = jacobian_;
  }
  factors_.factorize(jacobian_);
  return factors_.info() == Eigen::Success;
}

bool SparseFactors::solve(Eigen::Map<Vector> x) {
  x = factors_.solve(x).eval();
  return x.allFinite();
}

}  // namespace gnomon::kernels
