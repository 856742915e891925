#include "references/kernels/reference_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/dense_lu.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon::kernels {

void add_forces(const System& system, double t, const Vector& q, const Vector& v, const Vector& lambda, Vector& values,
                VectorRef r) {
  Vector term(q.size());
  system.potential_gradient(t, q, term);
  r += term;
  if (system.m() > 0) system.constraint_jacobian(t, q, values);
  multiply_transposed(system.constraint_pattern(), values, lambda, term);
  r += term;
  if (!system.parts().force) return;
  system.parts().force->force(t, q, v, term);
  r -= term;
}

void ReferenceModel::count_turns(const System& system, const ProblemInstance& instance) {
  angles_ = system.parts().angles;
  turns_ = instance.turns;
  Vector found;
  if (angles_) angles_->count(instance.t0, instance.q0, turns_, found);
}

MechanicalModel::MechanicalModel(const ProblemInstance& instance) : system_(shared_system(instance.model)) {
  const System& s = *system_;
  const double t = instance.t0;
  count_turns(s, instance);
  const Windings turns(turns_);
  check_start(s, t, instance.q0, instance.p0);
  start_.blocks = s.traits().blocks;
  start_.y = instance.q0;
  start_.z = instance.p0;
  start_.dy.resize(s.n());
  Vector t_q(s.n());
  s.velocity(instance.q0, instance.p0, t_q, start_.dy);
  acceleration(s, t, start_.y, start_.dy, start_.ddy, start_.psi);
  if (!s.parts().mass) {
    start_.z = start_.dy;
    start_.dz = start_.ddy;
  } else {
    start_.dz.resize(s.n());
    Vector v(s.n()), values(s.constraint_pattern().nonzeros());
    s.parts().mass->kinetic_gradient(start_.y, start_.z, start_.dz, v);
    add_forces(s, t, start_.y, v, start_.psi, values, start_.dz);
    start_.dz = -start_.dz;
  }

  Vector values(s.constraint_pattern().nonzeros());
  if (s.m() > 0) s.constraint_jacobian(t, start_.y, values);
  start_.hidden_by_z = start_.constraint_by_y = to_dense(s.constraint_pattern(), values);
  start_.slope_by_psi.resize(s.n(), s.m());
  start_.rate_by_mu.resize(s.n(), s.m());
  for (Index i = 0; i < s.m(); ++i) {
    const Vector row = start_.constraint_by_y.row(i);  // T is quadratic in p: T_p(q, G_i) = M^-1 G_i
    s.velocity(start_.y, row, t_q, start_.rate_by_mu.col(i));
    start_.slope_by_psi.col(i) = !s.parts().mass ? Vector(start_.rate_by_mu.col(i)) : row;
    if (s.parts().mass) start_.hidden_by_z.row(i) = start_.rate_by_mu.col(i);
  }
  sizes_ = sizes_of(start_);
}

Vector MechanicalModel::momentum(const Vector&, const Vector& z) const {
  if (system_->parts().mass) return z;
  Vector p(z.size());
  system_->mass().apply(z, p);
  return p;
}

double MechanicalModel::energy_size() const {
  Vector gradient(system_->n());
  system_->potential_gradient(0, start_.y, gradient);
  return gradient.cwiseAbs().dot(sizes_.y);
}

void MechanicalModel::levels(double t, const Vector& q, const Vector& z, Levels& out) const {
  const System& s = *system_;
  Vector v = z, t_q(z.size());
  if (s.parts().mass) s.velocity(q, z, t_q, v);
  const double kinetic = momentum(q, z).dot(v) / 2, potential = s.potential(t, q);
  out.energy = kinetic + potential;
  out.size = std::max(std::abs(kinetic), std::abs(potential));
  out.position.resize(s.m());
  out.velocity.resize(s.m());
  s.constraints(t, q, out.position);
  s.constraint_velocity(t, q, v, out.velocity);
}

Vector MechanicalModel::multipliers(double t, const Vector& q, const Vector& z, const Vector&) {
  Vector a, lambda, v = z, t_q(z.size());
  if (system_->parts().mass) system_->velocity(q, z, t_q, v);
  acceleration(*system_, t, q, v, a, lambda);
  return lambda;
}

OverdeterminedModel::OverdeterminedModel(const ProblemInstance& instance)
    : system_(overdetermined_from(instance.model)), index1_(*system_) {
  const OverdeterminedSystem& s = *system_;
  const OverdeterminedTraits& traits = s.traits();
  start_.y = instance.q0;
  start_.z = instance.p0;
  if (const System* system = instance.model->mechanical()) count_turns(*system, instance);
  const Windings turns(turns_);
  if (const System* system = instance.model->mechanical()) {
    check_start(*system, instance.t0, instance.q0, instance.p0);
    start_.blocks = system->traits().blocks;
    Vector scratch(system->n());
    system->velocity(instance.q0, instance.p0, scratch, start_.z);
  }
  check_start(s, start_.y, start_.z);
  start_.dy.resize(traits.ny);
  start_.ddy.resize(traits.ny);
  start_.dz.resize(traits.nz);
  start_.psi.setZero(traits.m);
  solve(start_.y, start_.z, start_.dz, start_.psi);
  const OverdeterminedPoint at{start_.y, start_.z, start_.psi};
  s.evaluate(Term::velocity, at, start_.dy);
  const Vector still = Vector::Zero(traits.m);
  s.tangent(Term::velocity, at, {start_.dy, start_.dz, still}, start_.ddy);

  start_.hidden_by_z = derivative(Term::hidden, Argument::z);
  start_.constraint_by_y = derivative(Term::constraint, Argument::y);
  start_.slope_by_psi =
      DenseLu(derivative(Term::momentum, Argument::z)).solve(derivative(Term::multiplier_force, Argument::psi));
  start_.rate_by_mu = start_.constraint_by_y.transpose();
  sizes_ = sizes_of(start_);
}

Vector OverdeterminedModel::momentum(const Vector& y, const Vector& z) const {
  Vector p(nz());
  system_->evaluate(Term::momentum, {y, z, start_.psi}, p);
  return p;
}

void OverdeterminedModel::levels(double, const Vector& y, const Vector& z, Levels& out) const {
  const OverdeterminedPoint at{y, z, start_.psi};
  out.energy = conservative() ? system_->energy(at) : 0;
  out.size = std::abs(out.energy);
  out.position.resize(m());
  out.velocity.resize(m());
  system_->evaluate(Term::constraint, at, out.position);
  system_->evaluate(Term::hidden, at, out.velocity);
}

Vector OverdeterminedModel::multipliers(double, const Vector& y, const Vector& z, const Vector& near) {
  Vector w(nz()), psi = near;
  index1_.solve(y, z, w, psi);
  return psi;
}

void OverdeterminedModel::solve(const Vector& y, const Vector& z, Vector& w, Vector& psi) {
  try {
    index1_.solve(y, z, w, psi);
  } catch (const CannotEvaluate& error) {
    throw Error(ErrorCode::callback_failed, "system " + system_->traits().name + ": at the start " + error.what());
  }
}

Matrix OverdeterminedModel::derivative(Term term, Argument argument) const {
  const SparsityPattern& pattern = system_->pattern(term, argument);
  Vector values(pattern.nonzeros());
  if (values.size() > 0) system_->jacobian(term, argument, {start_.y, start_.z, start_.psi}, values);
  return to_dense(pattern, values);
}

bool is_overdetermined(const ProblemInstance& instance) {
  const System* system = instance.model->mechanical();
  return !system || system->parts().friction;
}

void check_reference_fits(const ProblemInstance& instance, const std::string& reference, Index multiplier_sets) {
  constexpr Index most_unknowns = 5000;  // that dense linear algebra is good for: 200 MB of Jacobian
  const Model& model = *instance.model;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::refused, "reference " + reference + ": system " + model.name() + " " + why);
  };
  const System* system = model.mechanical();
  if (system && system->parts().friction && system->parts().time_dependence)
    refuse("has friction and depends on time, and one of the two at most is expected");
  const Index multipliers = model.m() + (system ? system->parts().n_obstacles() : 0);
  const Index unknowns = instance.q0.size() + instance.p0.size() + multiplier_sets * multipliers;
  if (unknowns > most_unknowns)
    refuse("makes " + std::to_string(unknowns) + " unknowns, and with dense matrices at most " +
           std::to_string(most_unknowns) + " are possible");
}

}  // namespace gnomon::kernels
