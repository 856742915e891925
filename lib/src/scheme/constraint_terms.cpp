#include "gnomon/scheme/constraint_terms.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

namespace {

const SparsityPattern& constraint_pattern(const Model& model) {
  if (const System* system = model.mechanical()) return system->constraint_pattern();
  return model.overdetermined()->pattern(Term::constraint, Argument::y);
}

}  // namespace

double free_acceleration(const Model& model, const State& z) {
  const System* system = model.mechanical();
  if (!system) return 0;
  const Vector& q = z.q.value();
  Vector f(q.size()), v(q.size()), scratch(q.size());
  system->velocity(q, z.p.value(), scratch, v);
  f.setZero();
  if (system->parts().force) system->parts().force->force(z.t, q, v, f);
  system->potential_gradient(z.t, q, scratch);
  f -= scratch;
  system->velocity(q, f, scratch, v);
  return std::sqrt(std::max(0.0, v.dot(f)));
}

ConstraintTerms::ConstraintTerms(const Model& model) : model_(&model) {
  const System* system = model.mechanical();
  const Index n = system ? system->n() : model.overdetermined()->traits().ny;
  mass_.setOnes(n);
  if (system) mass_ = system->mass().diagonal_entries();
  for (Vector* x : {&v_, &scratch_}) x->setZero(n);
  for (Vector* x : {&positions_, &velocities_, &moved_}) x->setZero(model.m());
  if (model.m() == 0) return;
  for (Vector* x : {&jacobian_, &turned_}) x->setZero(constraint_pattern(model).nonzeros());
}

void ConstraintTerms::evaluate(const State& z) {
  model_->velocity(z.view(), scratch_, v_);
  if (model_->m() == 0) return;
  if (const System* system = model_->mechanical())
    system->constraint_jacobian(z.t, z.q.value(), jacobian_);
  else
    model_->overdetermined()->jacobian(Term::constraint, Argument::y, {z.q.value(), z.scheme_data, z.lambda},
                                       jacobian_);
  const SparsityPattern& pattern = constraint_pattern(*model_);
  constraint_sizes(pattern, jacobian_, mass_, z.q.value(), positions_);
  energy_speed_ = std::sqrt(2 * z.energy_scale);
  of_velocities(energy_speed_);
}

const Vector& ConstraintTerms::of_velocities(double speed) {
  if (model_->m() > 0)
    constraint_sizes(constraint_pattern(*model_), jacobian_, mass_, v_, velocities_, std::max(speed, energy_speed_));
  return velocities_;
}

const Vector& ConstraintTerms::of_moved_velocities(const State& z) {
  const System* system = model_->mechanical();
  if (!system || model_->m() == 0) return moved_;
  const Vector& q = z.q.value();
  system->constraint_jacobian_derivative(z.t, q, v_, turned_);
  const SparsityPattern& pattern = system->constraint_pattern();
  moved_.setZero();
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      moved_[i] += std::abs(turned_[k] * q[pattern.indices[k]]);
  return moved_;
}

}  // namespace gnomon
