#include "kernels/runge_kutta/stage_bias.hpp"

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/value_and_change.hpp"

namespace gnomon::kernels {

StageBias::StageBias(const System& system)
    : system_(&system), at_(system), moving_(system.m() > 0 && system.parts().time_dependence) {
  const Index n = system.n(), m = system.m();
  for (Vector* v : {&q_, &v_, &dq_, &dv_, &shifted_}) v->setZero(n);
  for (Vector* v : {&value_, &rest_, &curvature_, &difference_}) v->setZero(m);
  for (Vector* v : {&by_q_, &by_v_, &rate_, &turn_}) v->setZero(system.constraint_pattern().nonzeros());
  if (!moving_) return;
  reach_ = quadratic_constraints(system) ? 1 : thresholds::central_spacing;
  colouring_ = colour_columns(system.constraint_pattern());
}

void StageBias::operator()(double t, const VectorOf<Dual1>& q, const VectorOf<Dual1>& v, VectorOf<Dual1>& out) {
  split(q, q_, dq_);
  split(v, v_, dv_);
  system_->constraint_bias(t, q_, v_, value_);
  differentiate(t, q_, v_);
  const double size = moving_ ? dq_.lpNorm<Eigen::Infinity>() : 0;
  if (size > 0) {
    step_ = step(q_) / size;
    difference_of_rest(t, q_, v_, dq_);
  } else {
    difference_.setZero();
  }
  const SparsityPattern& g = system_->constraint_pattern();
  for (Index i = 0; i < value_.size(); ++i) {
    out[i].value = value_[i];
    out[i].grad[0] = difference_[i];
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
      out[i].grad[0] += by_q_[k] * dq_[g.indices[k]] + by_v_[k] * dv_[g.indices[k]];
  }
}

void StageBias::linearise(double t, const Vector& q, const Vector& v) {
  differentiate(t, q, v);
  if (moving_) add_rest(t, q, v);
}

void StageBias::add_rest(double t, const Vector& q, const Vector& v) {
  step_ = step(q);
  for (std::size_t c = 0; c < colouring_.columns.size(); ++c) {
    dq_.setZero();
    for (const Index j : colouring_.columns[c]) dq_[j] = 1;
    difference_of_rest(t, q, v, dq_);
    for (const Colouring::Entry& entry : colouring_.entries[c]) by_q_[entry.position] += difference_[entry.row];
  }
}

void StageBias::differentiate(double t, const Vector& q, const Vector& v) {
  system_->constraint_third(t, q, v, v, by_q_);
  system_->constraint_jacobian_derivative(t, q, v, by_v_);
  if (moving_) {
    system_->parts().time_dependence->constraint_rate_jacobian(t, q, rate_);
    by_v_ += rate_;
  }
  if (const VelocityConstraints* velocities = system_->parts().velocity_constraints) {
    velocities->constraint_turn(t, q, v, turn_);
    by_v_ += turn_;
  } else {
    by_v_ *= 2;
  }
}

double StageBias::step(const Vector& q) const {
  const double size = q.lpNorm<Eigen::Infinity>();
  return reach_ * (size > 0 ? size : 1);
}

void StageBias::rest(double t, const Vector& q, const Vector& v, Vector& out) {
  system_->constraint_bias(t, q, v, out);
  at_.constraint_curvature(t, q, v, v, curvature_);
  out -= curvature_;
}

void StageBias::difference_of_rest(double t, const Vector& q, const Vector& v, const Vector& direction) {
  shifted_ = q + step_ * direction;
  rest(t, shifted_, v, difference_);
  shifted_ = q - step_ * direction;
  rest(t, shifted_, v, rest_);
  difference_ = (difference_ - rest_) / (2 * step_);
}

}  // namespace gnomon::kernels
