#include "kernels/common/extended_state.hpp"

namespace gnomon::kernels {

void add(Compensated& z, const VectorOf<Extended>& d, Vector& work) {
  work = d.cast<double>();
  z.add(work);
  work = (d - work.cast<Extended>()).cast<double>();
  z.add(work);
}

StartVelocity::StartVelocity(const System& system) : at_(system) {
  for (Vector* v : {&value_, &work_}) v->setZero(system.n());
  for (auto* v : {&extended_, &rest_}) v->setZero(system.n());
}

void StartVelocity::begin(const Compensated& p0) {
  const Mass& mass = at_.system().mass();
  mass.solve(p0.value(), value_);
  extended_ = value_.cast<Extended>();
  at_.mass_times(extended_, rest_);
  work_ = ((p0.value().cast<Extended>() - rest_) + p0.tail().cast<Extended>()).cast<double>();
  mass.solve(work_, value_);
  extended_ += value_.cast<Extended>();
  value_ = extended_.cast<double>();
}

}  // namespace gnomon::kernels
