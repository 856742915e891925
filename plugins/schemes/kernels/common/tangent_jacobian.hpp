#pragma once
/// \file
/// A Newton matrix from dual numbers through the residual, one direction an unknown: for equations whose rows are dense
/// anyway and whose formulas would be long.

#include "gnomon/scheme/equations.hpp"

namespace gnomon::kernels {

class TangentJacobian {
 public:
  void allocate(Index size) {
    unit_.setZero(size);
    tangent_.setZero(size);
  }
  void assemble(NonlinearEquations& equations, const ConstVectorRef& x, VectorRef values) {
    const SparsityPattern& pattern = equations.pattern();
    for (Index j = 0; j < unit_.size(); ++j) {
      unit_[j] = 1;
      equations.tangent(x, unit_, tangent_);
      unit_[j] = 0;
      for (Index i = 0; i < unit_.size(); ++i) {
        const Index k = pattern.find(i, j);
        if (k >= 0) values[k] = tangent_[i];
      }
    }
  }

 private:
  Vector unit_, tangent_;
};

}  // namespace gnomon::kernels
