#include "contact/contact_quantities.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "model/contact_precision.hpp"

namespace gnomon {

std::string listed(const Contacts& contacts) {
  std::string text;
  for (const Index i : contacts) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

ContactQuantities::ContactQuantities(std::shared_ptr<const System> system)
    : system_(std::move(system)),
      closed_(system_->parts().obstacles ? system_->parts().obstacles->with_obstacles_closed() : system_),
      m_(system_->m()),
      first_(position_rows(*system_)),
      n_contacts_(system_->parts().n_obstacles()),
      coulomb_(system_->parts().coulomb),
      slip_rows_(gnomon::slip_rows(*system_, *closed_)),
      energy_(*system_) {
  const Friction* friction = system_->parts().friction;
  if (coulomb_ && friction && friction->friction_pattern(ForceArgument::v).nonzeros() > 0)
    throw Error(ErrorCode::refused, "system " + system_->traits().name +
                                        " has Coulomb friction at its contacts and friction R(q,v,lambda) that "
                                        "depends on velocities: expected one of them");
  if (coulomb_ && friction_coefficients().size() != n_contacts_)
    throw Error(ErrorCode::bad_size, "system " + system_->traits().name + " has " +
                                         std::to_string(friction_coefficients().size()) +
                                         " friction coefficients, expected one for each of its " +
                                         std::to_string(n_contacts_) + " obstacles");
  for (Vector* x : {&velocity_, &momentum_}) x->setZero(system_->n());
  if (system_->parts().mass) mass_matrix_.setZero(system_->n(), system_->n());
  rows_.setZero(closed_->m());
  extended_rows_.setZero(closed_->m());
  values_.setZero(closed_->constraint_pattern().nonzeros());
}

std::string ContactQuantities::name_of(Index contact) const {
  const Parts& parts = system_->parts();
  const std::vector<std::string> names =
      parts.obstacles ? parts.obstacles->obstacle_names() : std::vector<std::string>();
  const auto at = static_cast<std::size_t>(contact);
  return at < names.size() ? names[at] : std::to_string(contact);
}

Contacts ContactQuantities::with_friction(const Contacts& contacts) const {
  Contacts out;
  for (const Index i : contacts)
    if (is_frictional(i)) out.push_back(i);
  return out;
}

bool ContactQuantities::changes_with_time() const {
  const Parts& parts = system_->parts();
  return parts.time_dependence || (parts.force && parts.force->force_depends_on_time());
}

const Vector& ContactQuantities::velocity(const Vector& q, const Vector& p) const {
  system_->velocity(q, p, momentum_, velocity_);
  return velocity_;
}

const Vector& ContactQuantities::momentum(const Vector& q, const Vector& v) const {
  if (const ConfigurationMass* mass = system_->parts().mass) {
    mass->mass_matrix(q, mass_matrix_);
    momentum_.noalias() = mass_matrix_ * v;
  } else {
    system_->mass().apply(v, momentum_);
  }
  return momentum_;
}

double ContactQuantities::norm(const Vector& q, const Vector& v) const {
  return std::sqrt(std::max(0.0, v.dot(momentum(q, v))));
}

double ContactQuantities::speed(const State& z) const {
  return std::sqrt(std::max(0.0, velocity(z.q.value(), z.p.value()).dot(z.p.value())));
}

/// The monitor's energy is less the booked work, which is added again.
long double ContactQuantities::energy(const State& z) {
  if (!energy_.evaluate(z, z.work.total())) throw CannotEvaluate("an invariant is not finite");
  return energy_.energy_now();
}

void ContactQuantities::gaps(const State& z, ContactGaps& out) const {
  closed_->constraints_compensated(z.t, z.q.value(), z.q.tail(), rows_, values_);
  out.c = -rows_.segment(first_, n_contacts_);
  out.rate = -row_rates(z.t, z.q.value(), velocity(z.q.value(), z.p.value())).segment(first_, n_contacts_);
}

Vector ContactQuantities::slips(const State& z) const {
  closed_->constraints_compensated(z.t, z.q.value(), z.q.tail(), rows_, values_);
  return rows_.segment(first_ + n_contacts_, n_contacts_);
}

double ContactQuantities::rounding_of_slip(const State& z, Index contact) const {
  const ExtendedPrecision* extended = closed_->parts().extended;
  if (!extended || !extended->extended_constraints(z.t, z.q.value(), z.q.tail(), extended_rows_)) return 0;
  const Extended d = extended_rows_[first_ + n_contacts_ + contact];
  return static_cast<double>(d - static_cast<Extended>(static_cast<double>(d)));
}

const Vector& ContactQuantities::row_rates(double t, const Vector& q, const Vector& v) const {
  closed_->constraint_velocity(t, q, v, rows_);
  return rows_;
}

/// G a + v^T (Hess g) v + ..., of c and d likewise
Vector ContactQuantities::row_accelerations(const State& z, const Vector& a) const {
  Vector curve(closed_->m()), bias(closed_->m()), values(closed_->constraint_pattern().nonzeros());
  closed_->constraint_jacobian(z.t, z.q.value(), values);
  multiply(closed_->constraint_pattern(), values, a, curve);
  closed_->constraint_bias(z.t, z.q.value(), velocity(z.q.value(), z.p.value()), bias);
  return curve + bias;
}

}  // namespace gnomon
