#include "kernels/runge_kutta/stage_work.hpp"

namespace gnomon::kernels {

StageWork::StageWork(const System& system, bool index1) : system_(&system), force_(system) {
  if (!index1 && system.parts().time_dependence) multipliers_.emplace(system);
  zero_.setZero(system.n());
  lambda_.setZero(system.m());
  rate_.setZero(system.m());
}

void StageWork::add(double weight, double t, const Vector& q, const Vector& v, const Vector& p, const Vector& lambda,
                    Work& work) {
  const long double w = weight;
  if (force_.active()) work.force += w * force_.work(t, q, v, v);
  if (!system_->parts().time_dependence) return;
  work.potential += w * system_->parts().time_dependence->potential_rate(t, q);
  system_->constraint_velocity(t, q, zero_, rate_);
  lambda_ = lambda;
  if (multipliers_) multipliers_->solve(t, q, p, lambda_);
  work.position += w * lambda_.dot(rate_);
}

}  // namespace gnomon::kernels
