#pragma once
/// \file
/// What the references that run an integrator of SUNDIALS know of a model: its unknowns (y, z), a consistent start with
/// its slopes and sizes, and what a report says. Of a mechanical System y = q and z = v, or
/// z = p where the mass depends on q.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "gnomon/base/dense_lu.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "state_sizes.hpp"

namespace gnomon::kernels {

class ReferenceModel {
 public:
  virtual ~ReferenceModel() = default;

  const std::string& name() const { return name_; }
  Index ny() const { return start_.y.size(); }
  Index nz() const { return start_.z.size(); }
  Index m() const { return start_.psi.size(); }
  const StartSlopes& start() const { return start_; }
  const StateSizes& sizes() const { return sizes_; }

  /// p(y,z)
  virtual Vector momentum(const Vector& y, const Vector& z) const = 0;
  /// Whether the energy is constant.
  virtual bool conservative() const = 0;
  /// Energy, and the largest of its parts; both constraint levels, of length m.
  struct Levels {
    double energy = 0, size = 0;
    Vector position, velocity;
  };
  virtual void levels(double t, const Vector& y, const Vector& z, Levels& out) const = 0;
  /// What the energy changes by on natural lengths from the start.
  virtual double energy_size() const = 0;
  /// The multipliers for which the hidden constraint stays satisfied; `near` chooses where there are several. Throws
  /// where there is none.
  virtual Vector multipliers(double t, const Vector& y, const Vector& z, const Vector& near) = 0;

 protected:
  std::string name_;
  StartSlopes start_;
  StateSizes sizes_;
};

/// A System without friction.
class MechanicalModel final : public ReferenceModel {
 public:
  /// Throws Error when the start is not consistent.
  explicit MechanicalModel(const ProblemInstance& instance) : system_(shared_system(instance.model)) {
    const System& s = *system_;
    const double t = instance.t0;
    check_start(s, t, instance.q0, instance.p0);
    name_ = s.traits().name;
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
      start_.dz = momentum_slope(t, start_.y, start_.z, start_.psi);
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

  const std::shared_ptr<const System>& system() const { return system_; }

  Vector momentum(const Vector&, const Vector& z) const override {
    if (system_->parts().mass) return z;
    Vector p(z.size());
    system_->mass().apply(z, p);
    return p;
  }
  bool conservative() const override { return !system_->parts().force && !system_->parts().time_dependence; }
  double energy_size() const override {
    Vector gradient(system_->n());
    system_->potential_gradient(0, start_.y, gradient);
    return gradient.cwiseAbs().dot(sizes_.y);
  }
  void levels(double t, const Vector& q, const Vector& z, Levels& out) const override {
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
  Vector multipliers(double t, const Vector& q, const Vector& z, const Vector&) override {
    Vector a, lambda, v = z, t_q(z.size());
    if (system_->parts().mass) system_->velocity(q, z, t_q, v);
    acceleration(*system_, t, q, v, a, lambda);
    return lambda;
  }

 private:
  /// -T_q - grad U - G^T lambda + Q
  Vector momentum_slope(double t, const Vector& q, const Vector& p, const Vector& lambda) const {
    const System& s = *system_;
    Vector t_q(s.n()), v(s.n()), term(s.n());
    s.parts().mass->kinetic_gradient(q, p, t_q, v);
    s.potential_gradient(t, q, term);
    Vector slope = -t_q - term;
    Vector values(s.constraint_pattern().nonzeros());
    if (s.m() > 0) s.constraint_jacobian(t, q, values);
    multiply_transposed(s.constraint_pattern(), values, lambda, term);
    slope -= term;
    if (!s.parts().force) return slope;
    s.parts().force->force(t, q, v, term);
    return slope + term;
  }

  std::shared_ptr<const System> system_;
};

/// An OverdeterminedSystem, the model's own or that of a System with friction.
class OverdeterminedModel final : public ReferenceModel {
 public:
  /// Throws Error when the start is not consistent, or the System has no form as an overdetermined one.
  explicit OverdeterminedModel(const ProblemInstance& instance)
      : system_(overdetermined_from(instance.model)), index1_(*system_) {
    const OverdeterminedSystem& s = *system_;
    const OverdeterminedTraits& traits = s.traits();
    name_ = traits.name;
    start_.y = instance.q0;
    start_.z = instance.p0;
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

  const OverdeterminedSystem& system() const { return *system_; }

  Vector momentum(const Vector& y, const Vector& z) const override {
    Vector p(nz());
    system_->evaluate(Term::momentum, {y, z, start_.psi}, p);
    return p;
  }
  bool conservative() const override { return system_->has_energy() && system_->traits().hamiltonian; }
  double energy_size() const override { return 1; }
  void levels(double, const Vector& y, const Vector& z, Levels& out) const override {
    const OverdeterminedPoint at{y, z, start_.psi};
    out.energy = conservative() ? system_->energy(at) : 0;
    out.size = std::abs(out.energy);
    out.position.resize(m());
    out.velocity.resize(m());
    system_->evaluate(Term::constraint, at, out.position);
    system_->evaluate(Term::hidden, at, out.velocity);
  }
  Vector multipliers(double, const Vector& y, const Vector& z, const Vector& near) override {
    Vector w(nz()), psi = near;
    index1_.solve(y, z, w, psi);
    return psi;
  }

 private:
  void solve(const Vector& y, const Vector& z, Vector& w, Vector& psi) {
    try {
      index1_.solve(y, z, w, psi);
    } catch (const CannotEvaluate& error) {
      throw Error(ErrorCode::callback_failed, "system " + name_ + ": at the start " + error.what());
    }
  }
  Matrix derivative(Term term, Argument argument) const {
    const SparsityPattern& pattern = system_->pattern(term, argument);
    Vector values(pattern.nonzeros());
    if (values.size() > 0) system_->jacobian(term, argument, {start_.y, start_.z, start_.psi}, values);
    return to_dense(pattern, values);
  }

  std::shared_ptr<const OverdeterminedSystem> system_;
  Index1 index1_;
};

/// What is not mechanical, or has friction, is integrated as an overdetermined DAE.
inline bool is_overdetermined(const ProblemInstance& instance) {
  const System* system = instance.model->mechanical();
  return !system || system->parts().friction;
}

/// Unknowns that dense linear algebra is good for: 200 MB of Jacobian.
constexpr Index most_unknowns = 5000;

/// Throws Error(refused) when the problem has what none of the references treats, or makes too many unknowns y, z and
/// so many times its multipliers, those of obstacles among them.
inline void check_reference_fits(const ProblemInstance& instance, const std::string& reference, Index multiplier_sets) {
  const Model& model = *instance.model;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::refused, "reference " + reference + ": system " + model.name() + " " + why);
  };
  if (const System* system = model.mechanical()) {
    const Parts& parts = system->parts();
    if (parts.friction && parts.time_dependence)
      refuse("has friction and depends on time, and one of the two at most is expected");
  }
  const System* system = model.mechanical();
  const Index multipliers = model.m() + (system ? system->parts().n_obstacles() : 0);
  const Index unknowns = instance.q0.size() + instance.p0.size() + multiplier_sets * multipliers;
  if (unknowns > most_unknowns)
    refuse("makes " + std::to_string(unknowns) + " unknowns, and with dense matrices at most " +
           std::to_string(most_unknowns) + " are possible");
}

}  // namespace gnomon::kernels
