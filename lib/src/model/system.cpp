#include "gnomon/model/system.hpp"

#include <cmath>

#include "gnomon/base/finite.hpp"

namespace gnomon {

bool ExtendedPrecision::extended_constraints(double, const ConstVectorRef&, const ConstVectorRef&,
                                             VectorRefOf<Extended>) const {
  return false;
}
bool ExtendedPrecision::extended_gradient(double, const ConstVectorRef&, const ConstVectorRef&,
                                          VectorRefOf<Extended>) const {
  return false;
}
bool ExtendedPrecision::extended_jacobian(double, const ConstVectorRef&, const ConstVectorRef&,
                                          VectorRefOf<Extended>) const {
  return false;
}

bool ExtendedPrecision::extended_invariants(const ConstVectorRef&, const ConstVectorRef&, VectorRefOf<Extended>) const {
  return false;
}
bool ExtendedPrecision::extended_invariant_jacobian(const ConstVectorRef&, const ConstVectorRef&,
                                                    VectorRefOf<Extended>) const {
  return false;
}
std::array<Extended, 4> ExtendedPrecision::extended_invariant_potential(Index, Extended) const {
  return {};
}
bool ExtendedPrecision::extended_regular_gradient(double, const ConstVectorRef&, const ConstVectorRef&,
                                                  VectorRefOf<Extended>) const {
  return false;
}

long double ConfigurationMass::kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                                   const ConstVectorRef& p, const ConstVectorRef& p_tail, VectorRef t_q,
                                                   VectorRef t_p) const {
  kinetic_gradient(q, p, t_q, t_p);
  return static_cast<long double>(kinetic_energy(q, p)) + t_q.dot(q_tail) + t_p.dot(p_tail);
}

void ConfigurationMass::kinetic_hessian(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef scratch,
                                        Matrix& out) const {
  const Index n = q.size();
  auto unit = scratch.head(2 * n);
  unit.setZero();
  for (Index j = 0; j < 2 * n; ++j) {
    unit[j] = 1;
    kinetic_hessian_times(q, p, unit.head(n), unit.tail(n), out.col(j).head(n), out.col(j).tail(n));
    unit[j] = 0;
  }
}

void ConfigurationMass::velocity_hessian(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w,
                                         VectorRef scratch, Matrix& out) const {
  const Index n = q.size();
  auto unit = scratch.head(2 * n), rest = scratch.tail(n);
  scratch.setZero();
  for (Index j = 0; j < 2 * n; ++j) {
    unit[j] = 1;
    kinetic_third(q, p, rest, w, unit.head(n), unit.tail(n), out.col(j).head(n), out.col(j).tail(n));
    unit[j] = 0;
  }
}

bool ConfigurationMass::extended_kinetic_gradient(const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                                                  const ConstVectorRef&, VectorRefOf<Extended>) const {
  return false;
}

long double System::potential_to_first_order(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                             VectorRef gradient) const {
  potential_gradient(t, q, gradient);
  return static_cast<long double>(potential(t, q)) + gradient.dot(tail);
}

void System::constraints_to_first_order(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                                        VectorRef g_values) const {
  constraints(t, q, out);
  constraint_jacobian(t, q, g_values);
  const SparsityPattern& pattern = constraint_pattern();
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      out[i] += g_values[k] * tail[pattern.indices[k]];
}

std::vector<std::pair<std::string, Index>> System::sizes() const {
  return {
      {"number of coordinates", n()}, {"number of constraints", m()}, {"number of obstacles", parts_.n_obstacles()}};
}

bool System::measure(const StateView& at, Measured& out) const {
  const Vector &q = at.q, &p = at.p;
  long double kinetic = 0;
  if (out.v.size() != q.size()) {
    for (Vector* x : {&out.v, &out.w, &out.gradient}) x->resize(q.size());
    out.g.resize(m());
    out.g_rate.resize(m());
    out.momentum.resize(parts_.n_symmetries());
    out.integrals.resize(parts_.n_integrals());
  }
  const Mass& constant = mass();
  if (!parts_.mass) constant.solve(p, out.v);
  if (parts_.mass) {
    parts_.mass->kinetic_gradient(q, p, out.gradient, out.v);
    kinetic = parts_.mass->kinetic_compensated(q, at.q_tail, p, at.p_tail, out.w, out.gradient);
  } else if (constant.is_diagonal()) {
    const Vector& entries = constant.diagonal_entries();
    // Neighbours often have the same mass: one division for all of them.
    double shared = 0;
    long double squares = 0;
    for (Index j = 0; j < p.size(); ++j) {
      if (entries[j] != shared) {
        if (shared > 0) kinetic += squares / (2 * shared);
        shared = entries[j];
        squares = 0;
      }
      const long double pj = static_cast<long double>(p[j]) + at.p_tail[j];
      squares += pj * pj;
    }
    if (shared > 0) kinetic += squares / (2 * shared);
  } else {
    kinetic = 0.5L * p.dot(out.v) + at.p_tail.dot(out.v);
  }
  out.potential = potential_compensated(at.t, q, at.q_tail, out.gradient);
  out.kinetic = kinetic;
  out.energy = kinetic + out.potential;
  constraints(at.t, q, out.g);
  out.position = max_norm(out.g);
  constraint_velocity(at.t, q, out.v, out.g_rate);
  out.velocity = max_norm(out.g_rate);
  double sum = out.position + out.velocity;  // finite where all of them are
  for (Index a = 0; a < out.momentum.size(); ++a) {
    parts_.symmetries->symmetry_generator(a, q, out.w);
    sum += out.momentum[a] = p.dot(out.w);
  }
  for (Index a = 0; a < out.integrals.size(); ++a) sum += out.integrals[a] = parts_.integrals->integral(a, at.t, q, p);
  return std::isfinite(sum);
}

}  // namespace gnomon
