#pragma once
/// \file
/// IDA on a System whose mass depends on q, in x = (q, p, multipliers): what the two forms share. The matrix of its
/// Newton iteration comes from differences.

#include "references/kernels/ida_form.hpp"

namespace gnomon::kernels {

class MomentumForm : public IdaForm {
 public:
  MomentumForm(const MechanicalModel& model, Index sets)
      : IdaForm(model, sets),
        system_(*model.system()),
        n_(system_.n()),
        values_(system_.constraint_pattern().nonzeros()),
        v_(n_) {}

  bool has_jacobian() const final { return false; }

 protected:
  void derivatives(double, double, const Point&, Eigen::Ref<Matrix>) final {}
  /// r = p' + T_q + grad U + G^T lambda - Q; leaves G in values_ and T_p in v_.
  void momentum_rows(double t, const Point& at, VectorRef r) {
    Vector t_q(n_);
    system_.parts().mass->kinetic_gradient(at.y, at.z, t_q, v_);
    r = at.dz + t_q;
    add_forces(system_, t, at.y, v_, at.psi, values_, r);
  }

  const System& system_;
  Index n_;
  Vector values_, v_;
};

}  // namespace gnomon::kernels
