/// What contact needs of a state: gaps, their rates and accelerations, consistent multipliers.
#include <algorithm>
#include <cmath>

#include "contact/contact_laws.hpp"
#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

using namespace contact_tolerances;

const Vector& ContactLaws::velocity(const Vector& q, const Vector& p) const {
  system_->velocity(q, p, momentum_, velocity_);
  return velocity_;
}

const Vector& ContactLaws::momentum(const Vector& q, const Vector& v) const {
  if (const ConfigurationMass* mass = system_->parts().mass) {
    mass->mass_matrix(q, mass_matrix_);
    momentum_.noalias() = mass_matrix_ * v;
  } else {
    system_->mass().apply(v, momentum_);
  }
  return momentum_;
}

double ContactLaws::norm(const Vector& q, const Vector& v) const {
  return std::sqrt(std::max(0.0, v.dot(momentum(q, v))));
}

double ContactLaws::speed(const State& z) const {
  return std::sqrt(std::max(0.0, velocity(z.q.value(), z.p.value()).dot(z.p.value())));
}

/// The gap at the compensated position: the flights of a Zeno sequence are less high than a double of q resolves.
void ContactLaws::measure(const State& z, Gaps& out) const {
  closed_->constraints_compensated(z.t, z.q.value(), z.q.tail(), rows_, values_);
  out.c = -rows_.segment(m_, n_contacts_);
  closed_->constraint_velocity(z.t, z.q.value(), velocity(z.q.value(), z.p.value()), rows_);
  out.rate = -rows_.segment(m_, n_contacts_);
}

/// G a + v^T (Hess g) v + ..., of c and d likewise
Vector ContactLaws::row_accelerations(const State& z, const Vector& a) const {
  Vector curve(closed_->m()), bias(closed_->m()), values(closed_->constraint_pattern().nonzeros());
  closed_->constraint_jacobian(z.t, z.q.value(), values);
  multiply(closed_->constraint_pattern(), values, a, curve);
  closed_->constraint_bias(z.t, z.q.value(), velocity(z.q.value(), z.p.value()), bias);
  return curve + bias;
}

Vector ContactLaws::gap_accelerations(const State& z, const Vector& a) const {
  return -row_accelerations(z, a).segment(m_, n_contacts_);
}

/// H: the monitor's energy is less the booked work, which is put back.
long double ContactLaws::energy_of(const State& z) {
  if (!energy_.evaluate(z, z.work.total())) throw CannotEvaluate("an invariant is not finite");
  return energy_.energy_now();
}

void ContactLaws::record(EventKind kind, Index contact, double energy_change) {
  events_.push_back({state_.t, kind, contact, energy_change});
}

/// Accelerations and multipliers of a phase. At rest friction has no direction: it is left out then.
void ContactLaws::consistent(Phase& phase, const State& z) {
  const Vector& q = z.q.value();
  const Vector& v = velocity(q, z.p.value());
  if (phase.frictional() && speed(z) <= still * fastest_) {
    acceleration(*phase.model, z.t, q, v, phase.a, phase.psi, dependent_);
  } else {
    phase.solve_index1(z.t, q, v);
  }
  if (!all_finite(phase.a) || !all_finite(phase.psi))
    throw CannotEvaluate("accelerations or contact multipliers are not finite");
}

}  // namespace gnomon
