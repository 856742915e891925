#include "kernels/discrete_gradient/end_multiplier.hpp"

#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

EndMultiplier::EndMultiplier(const System& system, SystemAt& at, const Rule& rule)
    : mean_(&at.system()),
      at_(&at),
      system_(&system),
      end_at_(system),
      rule_(rule),
      n_(system.n()),
      m_(system.m()),
      velocities_(system.parts().n_velocity_constraints()),
      quadratic_(quadratic_constraints(system)) {
  for (auto* buffer : {&g_, &row_}) buffer->for_each([&](auto& v) { v.resize(m_); });
  slide_.for_each([&](auto& v) { v.resize(velocities_); });
  if (rule.correct || !quadratic_)
    for (Vector* v : {&force_, &work_}) v->setZero(n_);
  if (rule.correct)
    for (Vector* v : {&linear_, &lambda_of_g_}) v->setZero(m_);
  g0_.setZero(m_);
  for (Vector* v : {&g_values_, &row_values_}) v->setZero(system.constraint_pattern().nonzeros());
  extended_values_.setZero(g_values_.size());
}

void EndMultiplier::begin(const StepFrame& step, const StepScales&) {
  const Compensated& q0 = step.z0->q;
  if (moving())
    system_->constraints_compensated(step.t1, q0.value(), q0.tail(), g0_, g_values_);
  else
    g0_ = step.g0;
}

void EndMultiplier::scales(const StepScales& scales, VectorRef columns, VectorRef rows) const {
  columns.tail(m_) = scales.lambda();
  rows.tail(m_) = scales.position();
}

double EndMultiplier::linearise(const StepFrame& step, const StepPoint<double>& b, VectorRef dc) {
  auto dc_dq = dc.head(n_);
  auto dc_dlambda = dc.tail(m_);
  lambda_of_g_ = b.lambda;
  lambda_of_g_.tail(velocities_).setZero();
  at_->constraint_force(step.tm, b.qm, lambda_of_g_, force_);
  at_->constraint_hessian_times(step.tm, b.qm, lambda_of_g_, b.dq, work_);
  dc_dq -= force_ + 0.5 * work_;
  at_->constraint_force(step.t1, b.q1, lambda_of_g_, work_);
  dc_dq += work_;
  at_->constraint_jacobian_times(step.tm, b.qm, b.dq, linear_);
  at_->constraints(step.t1, b.q1, g_.at_double);
  dc_dlambda = g_.at_double - step.g0 - linear_;
  dc_dlambda.tail(velocities_).setZero();
  return b.lambda.dot(dc_dlambda);
}

void EndMultiplier::lay_out(Layout& layout, const Block& dq, const Block& balance) {
  const SparsityPattern& g = system_->constraint_pattern();
  lambda_ = layout.unknown("lambda", m_);
  const Block position = layout.rows(m_);
  layout.place(force_map_, balance, lambda_, g, Layout::transposed);
  layout.place(position_map_, position, dq, g);
}

void EndMultiplier::add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values) {
  middle_jacobian(step, b.qm, g_values_);
  force_map_.add(values, g_values_, step.h);
  system_->constraint_jacobian(step.t1, b.q1, g_values_);
  if (velocities_ > 0) {
    auto rows = gnomon::velocity_rows(*mean_, g_values_);
    mean_->constraint_jacobian(step.tm, b.qm, row_values_);
    rows = gnomon::velocity_rows(*mean_, row_values_);
    mean_->constraint_jacobian_derivative(step.tm, b.qm, b.dq, row_values_);
    rows += 0.5 * gnomon::velocity_rows(*mean_, row_values_);
  }
  position_map_.add(values, g_values_, 1);
}

void EndMultiplier::book(const StepFrame& step, StepTimes& times, const StepPoint<double>& b, Work& work) {
  work.position += times.position_work(step.z0->q.value(), b.q1, b.lambda);
  if (velocities_ == 0) return;
  at_->constraint_jacobian_times(step.tm, b.qm, b.dq, row_.at_double);
  work.position -= b.lambda.tail(velocities_).dot(row_.at_double.tail(velocities_));
}

void EndMultiplier::middle_jacobian_times(const StepFrame& step, StepPoint<double>& b, Vector& out) {
  if (!moving()) return;
  system_->constraint_jacobian(step.t1, b.qm, g_values_);
  multiply(system_->constraint_pattern(), g_values_, b.dq, out);
}

void EndMultiplier::middle_jacobian_times(const StepFrame& step, StepPoint<Extended>& b, VectorOf<Extended>& out) {
  if (!moving()) return;
  end_at_.constraint_jacobian(step.t1, b.qm, extended_values_);
  multiply(system_->constraint_pattern(), extended_values_, b.dq, out);
}

void EndMultiplier::middle_jacobian_times(const StepFrame& step, StepPoint<Dual1>& b, VectorOf<Dual1>& out) {
  end_at_.constraint_jacobian_times(moving() ? step.t1 : step.tm, b.qm, b.dq, out);
}

void EndMultiplier::end_constraints(const System& system, SystemAt&, const StepFrame& step, StepPoint<double>& b,
                                    Vector& out) {
  b.end_tail(step, work_);
  system.constraints_compensated(step.t1, b.q1, work_, out, g_values_);
}

}  // namespace gnomon::kernels
