#pragma once
/// \file
/// The time dependence of a model whose constraints depend on time only in terms without q.

#include "gnomon/model/parts.hpp"

namespace gnomon::problems {

class StillConstraints : public TimeDependence {
 public:
  double potential_rate(double, const ConstVectorRef&) const override { return 0; }
  void constraint_rate_jacobian(double, const ConstVectorRef&, VectorRef values) const override { values.setZero(); }
  void constraint_rate_hessian(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef values) const override {
    values.setZero();
  }
};

}  // namespace gnomon::problems
