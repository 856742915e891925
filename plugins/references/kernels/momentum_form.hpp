#pragma once
/// \file
/// IDA on a System whose mass depends on q, in x = (q, p, multipliers): what the two forms share. The matrix of its
/// Newton iteration comes from differences.

#include "ida_reference.hpp"

namespace gnomon::kernels {

class MomentumForm : public IdaForm {
 public:
  MomentumForm(const MechanicalModel& model, Index sets)
      : IdaForm(model, sets),
        system_(*model.system()),
        n_(system_.n()),
        m_(system_.m()),
        values_(system_.constraint_pattern().nonzeros()),
        v_(n_) {}

  bool has_jacobian() const final { return false; }
  void jacobian(double, double, const ConstVectorRef&, const ConstVectorRef&, Eigen::Ref<Matrix>) final {}

 protected:
  /// r = p' + T_q + grad U + G^T lambda - Q; leaves G in values_ and T_p in v_.
  void momentum_rows(double t, const Vector& q, const Vector& p, const Vector& dp, const Vector& lambda, VectorRef r) {
    Vector term(n_);
    system_.parts().mass->kinetic_gradient(q, p, term, v_);
    r = dp + term;
    system_.potential_gradient(t, q, term);
    r += term;
    if (m_ > 0) system_.constraint_jacobian(t, q, values_);
    multiply_transposed(system_.constraint_pattern(), values_, lambda, term);
    r += term;
    if (!system_.parts().force) return;
    system_.parts().force->force(t, q, v_, term);
    r -= term;
  }

  const System& system_;
  Index n_, m_;
  Vector values_, v_;
};

}  // namespace gnomon::kernels
