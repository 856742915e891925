#include "kernels/common/energy_balance.hpp"

#include <utility>

namespace gnomon::kernels {

AppliedForce::AppliedForce(const System& system) : system_(&system), at_(system), active_(system.parts().force) {
  if (!active_) return;
  force_.for_each([&](auto& v) { v.resize(system.n()); });
  by_q_.setZero(system.parts().force->force_pattern(ForceArgument::q).nonzeros());
  by_v_.setZero(system.parts().force->force_pattern(ForceArgument::v).nonzeros());
}

long double AppliedForce::work(double t, const Vector& q, const Vector& v, const Vector& d) {
  const Vector& force = (*this)(t, q, v);
  long double sum = 0;
  for (Index j = 0; j < d.size(); ++j) sum += static_cast<long double>(force[j]) * d[j];
  return sum;
}

void AppliedForce::place(Layout& layout, Place& place, const Block& rows, const Block& unknown) const {
  if (!active_) return;
  layout.place(place.by_q, rows, unknown, system_->parts().force->force_pattern(ForceArgument::q));
  layout.place(place.by_v, rows, unknown, system_->parts().force->force_pattern(ForceArgument::v));
}

void AppliedForce::linearise(double t, const Vector& q, const Vector& v) {
  system_->parts().force->force_jacobian(ForceArgument::q, t, q, v, by_q_);
  system_->parts().force->force_jacobian(ForceArgument::v, t, q, v, by_v_);
}

void AppliedForce::add(const Place& place, double a, double b, VectorRef values) const {
  place.by_q.add(values, by_q_, a);
  place.by_v.add(values, by_v_, b);
}

double time_after(const State& z, double h) {
  State after;
  after.t = z.t;
  after.t_tail = z.t_tail;
  after.advance_time(h);
  return after.t;
}

StepTimes::StepTimes(const System& system) : system_(&system) {
  if (!system.parts().time_dependence) return;
  mean_ = time_average(system);
  for (Vector* v : {&at_t1_, &at_t0_}) v->setZero(system.m());
}

void StepTimes::begin(const State& z0, double h) {
  t0_ = z0.t;
  tm_ = z0.t + 0.5 * h;
  t1_ = mean_ ? time_after(z0, h) : z0.t + h;
  if (mean_) mean_->set_times(t0_, t1_);
}

long double StepTimes::potential_work(const Vector& q0, const Vector& q1) const {
  if (!mean_) return 0;
  long double sum = 0;
  for (const Vector* q : {&q0, &q1})
    sum += 0.5L * (static_cast<long double>(system_->potential(t1_, *q)) - system_->potential(t0_, *q));
  return sum;
}

long double StepTimes::position_work(const Vector& q0, const Vector& q1, const Vector& lambda) {
  if (!mean_) return 0;
  long double sum = 0;
  for (const Vector* q : {&q0, &q1}) {
    system_->constraints(t1_, *q, at_t1_);
    system_->constraints(t0_, *q, at_t0_);
    sum += 0.5L * lambda.dot(at_t1_ - at_t0_);
  }
  return sum;
}

long double StepTimes::velocity_work(const Vector& q0, const Vector& v0, const Vector& q1, const Vector& v1,
                                     const Vector& gamma) {
  if (!mean_) return 0;
  long double sum = 0;
  for (const auto& [q, v] : {std::pair{&q0, &v0}, {&q1, &v1}}) {
    system_->constraint_velocity(t1_, *q, *v, at_t1_);
    system_->constraint_velocity(t0_, *q, *v, at_t0_);
    sum += 0.5L * gamma.dot(at_t1_ - at_t0_);
  }
  return sum;
}

}  // namespace gnomon::kernels
