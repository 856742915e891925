#include "kernels/common/velocity_change.hpp"

#include "kernels/common/value_and_change.hpp"

namespace gnomon::kernels {

VelocityChange::VelocityChange(const System& system)
    : system_(&system), at_(system), scratch_(Vector::Zero(system.n())) {
  for (auto* v : {&q_, &p_, &t_q_, &t_p_}) v->resize(system.n());
}

void VelocityChange::operator()(const State& z, const Vector& dq, const Vector& dp, Vector& dv) {
  if (!system_->parts().mass) return system_->velocity(z.q.value(), dp, scratch_, dv);
  join(z.q.value(), dq, q_);
  join(z.p.value(), dp, p_);
  at_.kinetic_gradient(q_, p_, t_q_, t_p_);
  for (Index i = 0; i < q_.size(); ++i) dv[i] = t_p_[i].grad[0];
}

}  // namespace gnomon::kernels
