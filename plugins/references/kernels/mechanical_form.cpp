#include "references/kernels/mechanical_form.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon::kernels {

MechanicalForm::MechanicalForm(const MechanicalModel& model, Index sets)
    : IdaForm(model, sets),
      system_(*model.system()),
      n_(system_.n()),
      values_(system_.constraint_pattern().nonzeros()),
      hessian_(system_.hessian_pattern().nonzeros()),
      has_jacobian_(!system_.parts().time_dependence) {
  if (!system_.parts().force) return;
  try {
    for (const ForceArgument by : {ForceArgument::q, ForceArgument::v})
      force_.emplace_back(by, Vector(system_.parts().force->force_pattern(by).nonzeros()));
  } catch (const Error&) {
    has_jacobian_ = false;  // the system declares no derivatives of its force
  }
}

void MechanicalForm::momentum_rows(double t, const Point& at, VectorRef r) {
  system_.mass().apply(at.dz, r);
  add_forces(system_, t, at.y, at.z, at.psi, values_, r);
}

void MechanicalForm::momentum_jacobian(double t, double cj, const Point& at, Eigen::Ref<Matrix> j) {
  system_.lagrangian_hessian(t, at.y, at.psi, hessian_);
  add_dense(system_.hessian_pattern(), hessian_, 1, j.block(n_, 0, n_, n_));
  add_dense(system_.mass().pattern(), system_.mass().values(), cj, j.block(n_, n_, n_, n_));
  for (auto& [by, values] : force_) {
    system_.parts().force->force_jacobian(by, t, at.y, at.z, values);
    add_dense(system_.parts().force->force_pattern(by), values, -1,
              j.block(n_, by == ForceArgument::q ? 0 : n_, n_, n_));
  }
  system_.constraint_jacobian(t, at.y, values_);
  scatter_reaction(j.block(n_, 2 * n_, n_, m_));
}

}  // namespace gnomon::kernels
