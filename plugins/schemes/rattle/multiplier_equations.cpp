#include "rattle/multiplier_equations.hpp"

#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {
namespace {

/// out = factor M^-1 (p - h/2 gradient), M diagonal: what there is without the constraints
void free_velocity(const System& system, double factor, const Vector& p, double h, const Vector& gradient,
                   Vector& out) {
  const double *const mass = system.mass().diagonal_entries().data(), *const value = p.data(),
                      *const push = gradient.data();
  const double half = 0.5 * h;
  double* const to = out.data();
  OverMass<double> over_mass(factor);
  for (Index j = 0, count = out.size(); j < count; ++j) to[j] = (value[j] - half * push[j]) * over_mass(mass[j]);
}

}  // namespace

MultiplierPositions::MultiplierPositions(const System& system, const Frame& step, const StepScales& scales)
    : system_(&system),
      at_(system),
      matrix_(system),
      step_(&step),
      scales_(&scales),
      n_(system.n()),
      m_(system.m()),
      quadratic_(quadratic_constraints(system)) {
  const Block lambda = layout_.unknown("lambda", m_), position = layout_.rows(m_);
  layout_.place(position, lambda, matrix_.pattern());
  finish_layout();
  for (Vector* v : {&free_, &q1_}) v->setZero(n_);
  g_end_.setZero(system.constraint_pattern().nonzeros());
  points_.for_each([&](auto& b) {
    for (auto* v : {&b.dq, &b.q}) v->resize(n_);
    b.g.resize(m_);
  });
}

void MultiplierPositions::begin() {
  const double h = step_->h;
  free_velocity(*system_, h, step_->z0->p.value(), h, step_->gradient0, free_);
  matrix_.weigh(-0.5 * h * h, step_->g_start);
}

void MultiplierPositions::scales(VectorRef columns, VectorRef rows) const {
  columns = scales_->lambda();
  rows = scales_->position();
}

void MultiplierPositions::jacobian(const ConstVectorRef& x, VectorRef values) {
  place(x, 1, points_.at_double.dq, q1_);
  system_->constraint_jacobian(step_->t1, q1_, g_end_);
  matrix_.assemble(g_end_, values);
}

MultiplierMomenta::MultiplierMomenta(const System& system, const Frame& step, const StepScales& scales)
    : system_(&system), matrix_(system), step_(&step), scales_(&scales), m_(system.m()) {
  const Block mu = layout_.unknown("mu", m_), hidden = layout_.rows(m_);
  layout_.place(hidden, mu, matrix_.pattern());
  finish_layout();
  free_.setZero(system.n());
  b_.setZero(m_);
  a_.setZero(matrix_.pattern().nonzeros());
  velocity_.resize(system.n());
}

void MultiplierMomenta::begin(const Frame& step) {
  free_velocity(*system_, 1, step.p_half.value(), step.h, step.gradient1, free_);
  hidden_rows(free_.data(), b_.data());
  matrix_.weigh(-0.5 * step.h, step.g_end);
  matrix_.assemble(step.g_end, a_);
}

void MultiplierMomenta::scales(VectorRef columns, VectorRef rows) const {
  columns = scales_->lambda();
  rows = scales_->hidden();
}

}  // namespace gnomon::kernels
