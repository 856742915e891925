#include "kernels/discrete_gradient/gap_multiplier.hpp"

namespace gnomon::kernels {

GapMultiplier::GapMultiplier(const System& system, SystemAt&, const Rule& rule)
    : closed_(system.parts().n_obstacles() > 0 ? system.parts().obstacles->with_obstacles_closed() : nullptr),
      system_(closed_ ? closed_.get() : &system),
      at_(*system_),
      rule_(rule),
      penalty_(system, rule.eps),
      scales_(*system_),
      m_(system.m()),
      forces_(system_->m() - system.m()),
      moving_(m_ > 0 && system.parts().time_dependence) {
  for (auto* buffer : {&push_, &y_, &bar_}) buffer->for_each([&](auto& v) { v.resize(system_->m()); });
  for (Vector* v : {&y0_, &bar0_, &work_}) v->setZero(system_->m());
  tail_.setZero(system.n());
  if (moving_ && rule.exact) {
    mean_ = time_average(*system_);
    at_mean_.emplace(*mean_);
  }
  g_values_.setZero(system_->constraint_pattern().nonzeros());
  rho_.setZero(forces_);
}

void GapMultiplier::lay_out(Layout& layout, const Block&, const Block&) const {
  layout.unknown("push", forces_);
  layout.rows(forces_);
}

void GapMultiplier::scales(const StepScales&, VectorRef columns, VectorRef rows) const {
  columns.tail(forces_) = scales_.lambda().tail(forces_);
  rows.tail(forces_) = scales_.position().tail(forces_);
}

void GapMultiplier::begin(const StepFrame& step, const StepScales&) {
  const State& z0 = *step.z0;
  system_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), y0_, g_values_);
  if (mean_) {
    mean_->set_times(z0.t, step.t1);
    mean_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), bar0_, g_values_);
  }
  if (forces_ == 0) return;
  scales_.update(*step.z0, step.h);
  rho_ = 4 * scales_.lambda().tail(forces_).cwiseQuotient(scales_.position().tail(forces_));
}

long double GapMultiplier::energy(const State& z) {
  system_->constraints_compensated(z.t, z.q.value(), z.q.tail(), work_, g_values_);
  return penalty_.value(work_);
}

void GapMultiplier::constraints(const System& system, SystemAt&, const StepFrame& step, const StepPoint<double>& b,
                                Vector& out) {
  const Vector& q = rule_.exact ? b.q1 : b.qm;
  tail_ = ((rule_.exact ? 1 : 0.5) * b.dq + step.z0->q.tail()) - (q - step.z0->q.value());
  system.constraints_compensated(rule_.exact ? step.t1 : step.tm, q, tail_, out, g_values_);
}

}  // namespace gnomon::kernels
