#include "kernels/line_integral/system_hamiltonian.hpp"

namespace gnomon::kernels {

SystemHamiltonian::SystemHamiltonian(const System& system) : system_(&system), at_(system) {
  work_.for_each([&](auto& v) { v.resize(system.n()); });
  hessian_values_.setZero(system.hessian_pattern().nonzeros());
}

double SystemHamiltonian::value(double t, const Vector& q, const Vector& p) const {
  return system_->parts().mass->kinetic_energy(q, p) + system_->potential(t, q);
}

void SystemHamiltonian::hessian(double t, const Vector& q, const Vector& p, const Vector& lambda, Matrix& out) {
  at_.kinetic_hessian(q, p, out);
  system_->lagrangian_hessian(t, q, lambda, hessian_values_);
  add_dense(system_->hessian_pattern(), hessian_values_, 1, out);
}

}  // namespace gnomon::kernels
