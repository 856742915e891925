/// What contact needs of a state: gaps, their rates and accelerations, consistent multipliers.
#include <algorithm>
#include <cmath>

#include "contact/contact_run.hpp"
#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

using namespace contact_tolerances;

const Vector& ContactRun::velocity(const Vector& p) const {
  system_->mass().solve(p, velocity_);
  return velocity_;
}

double ContactRun::norm(const Vector& v) const {
  system_->mass().apply(v, momentum_);
  return std::sqrt(std::max(0.0, v.dot(momentum_)));
}

/// The gap at the compensated position: the flights of a Zeno sequence are less high than a double of q resolves.
void ContactRun::measure(const State& z, Gaps& out) const {
  closed_->constraints_compensated(0, z.q.value(), z.q.tail(), rows_, values_);
  out.c = -rows_.tail(n_contacts_);
  closed_->constraint_velocity(0, z.q.value(), velocity(z.p.value()), rows_);
  out.rate = -rows_.tail(n_contacts_);
}

/// c'' = C a + v^T (Hess c) v
Vector ContactRun::gap_accelerations(const Vector& q, const Vector& p, const Vector& a) const {
  Vector curve(closed_->m()), bias(closed_->m()), values(closed_->constraint_pattern().nonzeros());
  closed_->constraint_jacobian(0, q, values);
  multiply(closed_->constraint_pattern(), values, a, curve);
  closed_->constraint_bias(0, q, velocity(p), bias);
  return -(curve + bias).tail(n_contacts_);
}

/// H: the monitor's energy is less the booked work, which is put back.
long double ContactRun::energy_of(const State& z) {
  if (!energy_.evaluate(z, z.work.total())) throw CannotEvaluate("an invariant is not finite");
  return energy_.energy_now();
}

EnergyBook ContactRun::book() const {
  EnergyBook book;
  book.start = static_cast<double>(start_energy_);
  book.now = static_cast<double>(now_energy_);
  book.work = static_cast<double>(state_.work.total());
  book.impact = static_cast<double>(impact_);
  book.defect = static_cast<double>(defect_);
  return book;
}

void ContactRun::record(EventKind kind, Index contact, double energy_change) {
  events_.push_back({state_.t, kind, contact, energy_change});
}

/// Accelerations and multipliers of a phase. At rest friction has no direction: it is left out then.
void ContactRun::consistent(Phase& phase, const Vector& q, const Vector& p) {
  if (phase.frictional() && norm(velocity(p)) <= still * fastest_) {
    acceleration(*phase.model, 0, q, velocity(p), phase.a, phase.psi);
  } else {
    phase.index1->solve(q, velocity(p), phase.a, phase.psi);
  }
  if (!all_finite(phase.a) || !all_finite(phase.psi))
    throw CannotEvaluate("accelerations or contact multipliers are not finite");
}

}  // namespace gnomon
