#include "energy_momentum_ggl/ggl_equations.hpp"

#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

GglEquations::GglEquations(const System& system, const GglRule& rule)
    : system_(&system),
      rule_(rule),
      scales_(system),
      frame_(system, rule),
      mean_(&frame_.mean()),
      at_(frame_.at),
      split_(*mean_, at_),
      hessians_(*mean_),
      applied_(system),
      friction_(system),
      corrections_(system, frame_, split_),
      inverse_(system, Matrix::Constant(1, 1, 0.5), 1),
      n_(system.n()),
      m_(system.m()) {
  lay_out();
  for (Vector* v : {&work_, &gradient0_}) v->setZero(n_);
  rows_.setZero(size());
  lambda_.setZero(m_);
  for (Vector* v : {&g_values_, &row_values_}) v->setZero(system.constraint_pattern().nonzeros());
  for (Vector* v : {&h_values_, &h_more_}) v->setZero(system.hessian_pattern().nonzeros());
}

void GglEquations::begin(const State& z0, double h) {
  scales_.update(z0, h);
  frame_.begin(z0, h);
  inverse_.begin(z0, h);
  if (rule_.split_potential) split_.begin(z0);
  if (rule_.corrected()) corrections_.begin(scales_);
}

void GglEquations::predict(VectorRef x) {
  const State& z0 = frame_.z0();
  const Vector& q0 = z0.q.value();
  system_->potential_gradient(z0.t, q0, gradient0_);
  at_.constraint_force(z0.t, q0, z0.lambda, work_);
  gradient0_ += work_;
  if (applied_.active()) {
    system_->parts().force->force(z0.t, q0, frame_.v0(), work_);
    gradient0_ -= work_;
  }
  if (friction_.active()) gradient0_ -= friction_(q0, frame_.v0(), z0.lambda);
  system_->mass().solve(gradient0_, work_);
  x.segment(n_, n_) = -frame_.h() * work_;
  x.head(n_) = frame_.v0() + 0.5 * x.segment(n_, n_);
  x.segment(2 * n_, m_) = frame_.h() * z0.lambda;
  x.tail(m_).setZero();
}

void GglEquations::look_at_start(const ConstVectorRef& x) {
  if (!rule_.corrected()) return;
  EnergyLeft& energy = corrections_.energy_left();
  if (!energy.doubtful(x.head(n_).cwiseQuotient(scales_.velocity()).norm(), scales_.s())) return;
  evaluate<double>(x, rows_);
  energy.decide(corrections_.energy(frame_.points<double>()));
}

bool GglEquations::stands(const ConstVectorRef& x) {
  if (!rule_.corrected() || corrections_.energy_left().active()) return true;
  evaluate<double>(x, rows_);
  return corrections_.energy_left().take(corrections_.energy(frame_.points<double>()));
}

void GglEquations::finish(const Vector& x, State& next) {
  if (rule_.corrected()) corrections_.energy_left().finish(next);
  auto& b = frame_.points<Extended>();
  b.dq = (x.head(n_).cast<Extended>() + low_.head(n_).cast<Extended>()) * Extended(frame_.h());
  add(next.q, b.dq, work_);
  b.y = x.segment(n_, n_).cast<Extended>() + low_.segment(n_, n_).cast<Extended>();
  at_.mass_times(b.y, b.mass_y);
  add(next.p, b.mass_y, work_);
  if (applied_.active() || friction_.active() || moving()) next.work += work(x);
}

void GglEquations::scales(VectorRef columns, VectorRef rows) const {
  columns.head(n_) = scales_.velocity();
  columns.segment(n_, n_) = scales_.velocity();
  columns.segment(2 * n_, m_) = scales_.impulse();
  columns.tail(m_) = scales_.impulse();
  rows.head(n_) = scales_.dp();
  rows.segment(n_, n_) = scales_.dp();
  rows.segment(2 * n_, m_) = scales_.position() / std::abs(frame_.h());
  rows.tail(m_) = scales_.hidden();
}

double GglEquations::rounding_floor() const {
  double floor = scales_.force_floor();
  if (rule_.correct_constraints) floor += scales_.position_floor();
  if (rule_.correct_potential)
    floor += thresholds::unit_of_rounding * std::abs(frame_.u0()) / (scales_.s() * scales_.s());
  return floor;
}

template <class S>
void GglEquations::evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
  auto& b = frame_.points<S>();
  const double h = frame_.h(), tm = frame_.tm(), t1 = frame_.t1();
  frame_.set_points(x, b);
  at_.mass_times(b.u, b.mass_u);
  at_.mass_times(b.y, b.mass_y);
  SystemAt& end_at = frame_.end_at;
  b.middle.set(at_, tm, b.qm);
  b.end.set(end_at, t1, b.q1);
  if (moving()) {
    b.middle_later.set(end_at, t1, b.qm);
    b.end_mean.set(at_, t1, b.q1);
  }

  // M (D_pPsi)^T gamma: (G0 + G1)^T gamma/2, which is G(q_m)^T gamma for quadratic g; zorb has G(q_m)^T gamma too.
  if (rule_.correct_constraints && !rule_.orthogonal) {
    (moving() ? b.end_mean : b.end).force(b.gamma, b.impulse);
    frame_.add_start_force(b.gamma, b.impulse);
    b.impulse *= S(0.5);
  } else {
    b.middle.force(b.gamma, b.impulse);
  }
  b.middle.force(b.mu, b.force);
  at_.hidden_gradient(tm, b.qm, b.gamma, b.vm, b.turn);
  if (moving()) {
    at_.constraint_rate_force(tm, b.qm, b.gamma, b.rate);
    b.turn += b.rate;
  }
  if (rule_.split_potential)
    split_.evaluate(tm, b.qm, b.q1, b.gradient);
  else
    at_.potential_gradient(tm, b.qm, b.gradient);

  const Vector &p0 = frame_.z0().p.value(), &p0_tail = frame_.z0().p.tail();
  for (Index j = 0; j < n_; ++j) {
    f[j] = ((b.mass_u[j] - p0[j]) - p0_tail[j]) - b.mass_y[j] * 0.5 - b.impulse[j];
    f[n_ + j] = b.mass_y[j] + b.force[j] + (b.gradient[j] + b.turn[j]) * h;
  }
  if (applied_.active()) {
    const auto& force = applied_(tm, b.qm, b.u);
    for (Index j = 0; j < n_; ++j) f[n_ + j] -= force[j] * h;
  }
  if (friction_.active()) {
    b.lambda = b.mu / S(h);
    const auto& force = friction_(b.qm, b.u, b.lambda);
    for (Index j = 0; j < n_; ++j) f[n_ + j] -= force[j] * h;
  }
  if (rule_.correct_constraints) {
    frame_.end_constraints(end_at, b, b.g1);
    for (Index i = 0; i < m_; ++i) f[2 * n_ + i] = b.g1[i] / S(h);
    if (frame_.velocities > 0) set_velocity_rows(b, f);
  } else {
    (moving() ? b.middle_later : b.middle).times(b.u, b.row);
    for (Index i = 0; i < m_; ++i) f[2 * n_ + i] = b.row[i] + S(frame_.g_end0()[i] / h);
  }
  if (moving())
    end_at.constraint_velocity(t1, b.q1, b.v1, b.row);
  else
    b.end.times(b.v1, b.row);
  for (Index i = 0; i < m_; ++i) f[2 * n_ + m_ + i] = b.row[i];

  if (rule_.corrected()) corrections_.add(b, f);
}

void GglEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  if (uses_tangents()) return NonlinearEquations::jacobian(x, values);
  auto& b = frame_.points<double>();
  const double h = frame_.h(), tm = frame_.tm(), t1 = frame_.t1();
  frame_.set_points(x, b);
  values.setZero();
  const Vector& mass = system_->mass().values();
  const bool corrected = rule_.correct_constraints;

  // dF1 = [M - h/2 sum gamma_i Hess g_i, -M/2, 0, -(D_pPsi)^T]
  mass_1u_.add(values, mass, 1);
  mass_1y_.add(values, mass, -0.5);
  if (corrected)
    hessians_.weighted(t1, b.q1, b.gamma, h, h_more_);
  else
    hessians_.weighted(tm, b.qm, b.gamma, h, h_more_);
  hessian_1u_.add(values, h_more_, -0.5 * h);
  if (corrected) {
    mean_->constraint_jacobian(t1, b.q1, g_values_);
    g_1gamma_.add(values, g_values_, -0.5);
    g_1gamma_.add(values, frame_.g_start(), -0.5);
    hessians_.weighted(tm, b.qm, b.gamma, h, h_more_);
  }
  // dF2 = [h^2/2 (Hess U + lambda.Hess g) + h^2/2 gamma.D^3 g v_m, M + h/2 gamma.Hess g, G_m^T, h (Hess g v_m)^T]
  lambda_ = b.mu / h;
  if (rule_.split_potential) {
    split_.hessian(tm, b.qm, b.q1, lambda_, h_values_);
    split_.add_outer(h * h, values);
  } else {
    mean_->lagrangian_hessian(tm, b.qm, lambda_, h_values_);
  }
  hessian_2u_.add(values, h_values_, 0.5 * h * h);
  mass_2y_.add(values, mass, 1);
  hessian_2y_.add(values, h_more_, 0.5 * h);
  if (corrected) {
    hessians_.weighted_derivative(tm, b.qm, b.gamma, b.vm, h_values_);
    hessian_2u_.add(values, h_values_, 0.5 * h * h);
  }
  if (applied_.active()) {
    applied_.linearise(tm, b.qm, b.u);
    applied_.add(force_2u_, -0.5 * h * h, -h, values);
  }
  if (friction_.active()) friction_.add(friction_place_, b.qm, b.u, lambda_, -0.5 * h * h, -h, -1, values);
  mean_->constraint_jacobian(tm, b.qm, g_values_);
  g_2mu_.add(values, g_values_, 1);
  if (!corrected) g_1gamma_.add(values, g_values_, -1);
  mean_->constraint_jacobian_derivative(tm, b.qm, b.vm, g_values_);
  g_2gamma_.add(values, g_values_, h);
  if (moving()) add_rates(b, values);
  // dF3 = [G1, 0, 0, 0],  dF4 = [h (Hess g(q1) v1), G1, 0, 0]
  system_->constraint_jacobian(t1, b.q1, g_values_);
  g_4y_.add(values, g_values_, 1);
  if (frame_.velocities > 0) differentiate_velocity_rows(b, g_values_);
  g_3u_.add(values, g_values_, 1);
  system_->constraint_jacobian_derivative(t1, b.q1, b.v1, g_values_);
  g_4u_.add(values, g_values_, h);

  if (rule_.corrected() && corrections_.linearise()) {
    const Vector& dk = corrections_.dk();
    for (Index j = 0; j < n_; ++j) values.segment(pattern().offsets[n_ + j], dk.size()) += b.mass_u[j] * dk;
    mass_2u_.add(values, mass, corrections_.k());
  }
}

template <class S>
void GglEquations::set_velocity_rows(GglPoints<S>& b, VectorRefOf<S> f) {
  b.middle.times(b.u, b.row);
  b.slide = b.row.tail(frame_.velocities);
  if (moving()) at_.constraint_velocity(frame_.tm(), b.qm, b.u, b.row);
  f.segment(2 * n_ + m_ - frame_.velocities, frame_.velocities) = b.row.tail(frame_.velocities);
}

void GglEquations::differentiate_velocity_rows(const GglPoints<double>& b, Vector& values) {
  auto rows = velocity_rows(*mean_, values);
  mean_->constraint_jacobian(frame_.tm(), b.qm, row_values_);
  rows = velocity_rows(*mean_, row_values_);
  mean_->constraint_jacobian_derivative(frame_.tm(), b.qm, b.u, row_values_);
  rows += 0.5 * frame_.h() * velocity_rows(*mean_, row_values_);
  if (!moving()) return;
  mean_->parts().time_dependence->constraint_rate_jacobian(frame_.tm(), b.qm, row_values_);
  rows += 0.5 * frame_.h() * velocity_rows(*mean_, row_values_);
}

void GglEquations::add_rates(GglPoints<double>& b, VectorRef values) {
  const double h = frame_.h();
  const TimeDependence& rates = *mean_->parts().time_dependence;
  rates.constraint_rate_hessian(frame_.tm(), b.qm, b.gamma, h_values_);
  hessian_2u_.add(values, h_values_, 0.5 * h * h);
  rates.constraint_rate_jacobian(frame_.tm(), b.qm, g_values_);
  g_2gamma_.add(values, g_values_, h);
  system_->parts().time_dependence->constraint_rate_jacobian(frame_.t1(), b.q1, g_values_);
  g_4u_.add(values, g_values_, h);
}

Work GglEquations::work(const Vector& x) {
  auto& b = frame_.points<double>();
  frame_.set_points(x, b);
  Work sum;
  if (moving()) {
    lambda_ = b.mu / frame_.h();
    const Vector& q0 = frame_.z0().q.value();
    sum.potential = frame_.times.potential_work(q0, b.q1);
    sum.position = frame_.times.position_work(q0, b.q1, lambda_);
    if (frame_.velocities > 0) {
      at_.constraint_jacobian_times(frame_.tm(), b.qm, b.dq, b.row);
      sum.position -= lambda_.tail(frame_.velocities).dot(b.row.tail(frame_.velocities));
    }
    sum.velocity = frame_.times.velocity_work(q0, frame_.v0(), b.q1, b.v1, b.gamma);
  }
  if (applied_.active()) sum.force = applied_.work(frame_.tm(), b.qm, b.u, b.dq);
  if (friction_.active()) {
    lambda_ = b.mu / frame_.h();
    sum.force += friction_.work(b.qm, b.u, lambda_, b.dq);
  }
  return sum;
}

void GglEquations::lay_out() {
  const SparsityPattern &g = system_->constraint_pattern(), &mass = system_->mass().pattern();
  const SparsityPattern& hessian = system_->hessian_pattern();
  const Block u = layout_.unknown("u", n_), y = layout_.unknown("y", n_);
  const Block mu = layout_.unknown("mu", m_), gamma = layout_.unknown("gamma", m_);
  const Block f1 = layout_.rows(n_), f2 = layout_.rows(n_), f3 = layout_.rows(m_), f4 = layout_.rows(m_);
  layout_.place(mass_1u_, f1, u, mass);
  layout_.place(mass_1y_, f1, y, mass);
  layout_.place(mass_2u_, f2, u, mass);
  layout_.place(mass_2y_, f2, y, mass);
  layout_.place(hessian_1u_, f1, u, hessian);
  layout_.place(hessian_2u_, f2, u, hessian);
  // Hess g is symmetric, d(A^T gamma)/dq of constraints of velocities is not
  layout_.place(hessian_2y_, f2, y, hessian, frame_.velocities > 0 ? Layout::transposed : Layout::as_is);
  applied_.place(layout_, force_2u_, f2, u);
  friction_.place(layout_, friction_place_, f2, u, mu);
  layout_.place(g_1gamma_, f1, gamma, g, Layout::transposed);
  layout_.place(g_2mu_, f2, mu, g, Layout::transposed);
  layout_.place(g_2gamma_, f2, gamma, g, Layout::transposed);
  layout_.place(g_3u_, f3, u, g);
  layout_.place(g_4u_, f4, u, g);
  layout_.place(g_4y_, f4, y, g);
  // A correction depends on every unknown. (It does not vanish only for U or g of degree > 2.)
  if (rule_.corrected()) layout_.place_dense(f2);
  if (uses_tangents()) layout_.place_dense(f1);
  finish_layout();
  if (rule_.split_potential) split_.find_outer(layout_, f2, u);
}

}  // namespace gnomon::kernels

template class gnomon::TemplatedEquations<gnomon::kernels::GglEquations, true>;
