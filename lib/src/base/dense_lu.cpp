#include "gnomon/base/dense_lu.hpp"

#include <Eigen/LU>

namespace gnomon {

struct DenseLu::Factors {
  Eigen::PartialPivLU<Matrix> lu;
};

DenseLu::DenseLu(const Matrix& a) : factors_(new Factors{Eigen::PartialPivLU<Matrix>(a)}) {}
DenseLu::~DenseLu() = default;

Vector DenseLu::solve(const Vector& b) const {
  return factors_->lu.solve(b);
}

Matrix DenseLu::solve(const Matrix& b) const {
  if (b.size() == 0) return b;  // Eigen binds a reference to its first entry
  return factors_->lu.solve(b);
}

}  // namespace gnomon
