#include "gnomon/overdetermined.hpp"

#include "gnomon/error.hpp"

namespace gnomon {

const char* to_string(Term term) {
  switch (term) {
    case Term::velocity:
      return "velocity v(y,z)";
    case Term::momentum:
      return "momentum p(y,z)";
    case Term::force:
      return "force f(y,z)";
    case Term::multiplier_force:
      return "multiplier force r(y,z,psi)";
    case Term::constraint:
      return "constraint g(y)";
    case Term::hidden:
      return "hidden constraint g_y v";
  }
  return "";
}

Index OverdeterminedTraits::rows(Term term) const {
  switch (term) {
    case Term::velocity:
      return ny;
    case Term::momentum:
    case Term::force:
    case Term::multiplier_force:
      return nz;
    case Term::constraint:
    case Term::hidden:
      return m;
  }
  return 0;
}

Index OverdeterminedTraits::size(Argument argument) const {
  return argument == Argument::y ? ny : argument == Argument::z ? nz : m;
}

namespace {

/// y = q, z = M^-1 p, p = M z, f = -grad U, r = -G^T psi.
class MechanicalOverdetermined final : public OverdeterminedSystem {
 public:
  explicit MechanicalOverdetermined(std::shared_ptr<const System> system) : system_(std::move(system)) {
    const SystemTraits& s = system_->traits();
    traits_.name = s.name;
    traits_.ny = traits_.nz = s.n;
    traits_.m = s.m;
    traits_.affine = traits_.hamiltonian = true;
    traits_.state_names = s.state_names;
    traits_.constraint_names = s.constraint_names;

    identity_ = SparsityPattern::diagonal(s.n);
    for (const Term term : all_terms)
      for (const Argument argument : all_arguments)
        none_[index(term, argument)] = SparsityPattern::from_entries(traits_.rows(term), traits_.size(argument), {});
    PatternBuilder transposed(s.n, s.m);
    transposed.add(system_->constraint_pattern(), 0, 0, true);
    force_pattern_ = transposed.build();
    force_map_ = BlockMap(force_pattern_, system_->constraint_pattern(), 0, 0, true);
    g_values_.setZero(system_->constraint_pattern().nonzeros());
    hessian_.setZero(system_->hessian_pattern().nonzeros());
    zero_psi_.setZero(s.m);
    scratch_m_.setZero(s.m);
    scratch_n_.setZero(s.n);
  }

  const OverdeterminedTraits& traits() const override { return traits_; }

  void evaluate(Term term, const OverdeterminedPoint& at, VectorRef out) const override {
    switch (term) {
      case Term::velocity:
        out = at.z;
        return;
      case Term::momentum:
        return system_->mass().apply(at.z, out);
      case Term::force:
        system_->potential_gradient(0, at.y, out);
        out *= -1;
        return;
      case Term::multiplier_force:
        system_->constraint_jacobian(0, at.y, g_values_);
        multiply_transposed(system_->constraint_pattern(), g_values_, at.psi, out);
        out *= -1;
        return;
      case Term::constraint:
        return system_->constraints(0, at.y, out);
      case Term::hidden:
        return system_->constraint_velocity(0, at.y, at.z, out);
    }
  }

  void tangent(Term term, const OverdeterminedPoint& at, const OverdeterminedPoint& d, VectorRef out) const override {
    switch (term) {
      case Term::velocity:
        out = d.z;
        return;
      case Term::momentum:
        return system_->mass().apply(d.z, out);
      case Term::force:
        system_->potential_hessian_times(0, at.y, d.y, out);
        out *= -1;
        return;
      case Term::multiplier_force:
        system_->constraint_jacobian(0, at.y, g_values_);
        multiply_transposed(system_->constraint_pattern(), g_values_, d.psi, out);
        system_->constraint_hessian_times(0, at.y, at.psi, d.y, scratch_n_);
        out = -(out + scratch_n_);
        return;
      case Term::constraint:
        system_->constraint_jacobian(0, at.y, g_values_);
        return multiply(system_->constraint_pattern(), g_values_, d.y, out);
      case Term::hidden:
        system_->constraint_jacobian(0, at.y, g_values_);
        multiply(system_->constraint_pattern(), g_values_, d.z, out);
        system_->constraint_jacobian_derivative(0, at.y, at.z, g_values_);
        multiply(system_->constraint_pattern(), g_values_, d.y, scratch_m_);
        out += scratch_m_;
        return;
    }
  }

  const SparsityPattern& pattern(Term term, Argument argument) const override {
    switch (term) {
      case Term::velocity:
        if (argument == Argument::z) return identity_;
        break;
      case Term::momentum:
        if (argument == Argument::z) return system_->mass().pattern();
        break;
      case Term::force:
        if (argument == Argument::y) return system_->hessian_pattern();
        break;
      case Term::multiplier_force:
        if (argument == Argument::y) return system_->hessian_pattern();
        if (argument == Argument::psi) return force_pattern_;
        break;
      case Term::constraint:
        if (argument == Argument::y) return system_->constraint_pattern();
        break;
      case Term::hidden:
        if (argument != Argument::psi) return system_->constraint_pattern();
        break;
    }
    return none_[index(term, argument)];
  }

  void jacobian(Term term, Argument argument, const OverdeterminedPoint& at, VectorRef values) const override {
    if (pattern(term, argument).nonzeros() == 0) return;
    switch (term) {
      case Term::velocity:
        values.setOnes();
        return;
      case Term::momentum:
        values = system_->mass().values();
        return;
      case Term::force:
        system_->lagrangian_hessian(0, at.y, zero_psi_, values);
        values *= -1;
        return;
      case Term::multiplier_force:
        if (argument == Argument::y) {  // of U + psi.g, without U
          system_->lagrangian_hessian(0, at.y, zero_psi_, hessian_);
          system_->lagrangian_hessian(0, at.y, at.psi, values);
          values = hessian_ - values;
        } else {
          system_->constraint_jacobian(0, at.y, g_values_);
          values.setZero();
          force_map_.add(values, g_values_, -1);
        }
        return;
      case Term::constraint:
        return system_->constraint_jacobian(0, at.y, values);
      case Term::hidden:
        if (argument == Argument::z) return system_->constraint_jacobian(0, at.y, values);
        return system_->constraint_jacobian_derivative(0, at.y, at.z, values);
    }
  }

 private:
  static std::size_t index(Term term, Argument argument) {
    return 3 * static_cast<std::size_t>(term) + static_cast<std::size_t>(argument);
  }

  std::shared_ptr<const System> system_;
  OverdeterminedTraits traits_;
  SparsityPattern identity_, force_pattern_;
  std::array<SparsityPattern, 18> none_;  // empty, of every shape
  BlockMap force_map_;
  Vector zero_psi_;
  mutable Vector g_values_, hessian_, scratch_m_, scratch_n_;
};

}  // namespace

std::shared_ptr<const OverdeterminedSystem> overdetermined_from(std::shared_ptr<const System> system) {
  const SystemTraits& traits = system->traits();
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::refused, "system \"" + traits.name + "\" cannot be taken as an overdetermined DAE: " + why);
  };
  if (!traits.constant_mass) refuse("its mass depends on q");
  if (traits.time_dependent) refuse("it depends on time");
  if (traits.has_force) refuse("it has a force that is no part of its potential");
  return std::make_shared<MechanicalOverdetermined>(std::move(system));
}

}  // namespace gnomon
