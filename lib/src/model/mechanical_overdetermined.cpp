#include "model/mechanical_overdetermined.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

void add_product(const SparsityPattern& pattern, const Vector& values, const ConstVectorRef& x, VectorRef out) {
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) out[i] += values[k] * x[pattern.indices[k]];
}

}  // namespace

void refuse_as_overdetermined(const System& system, const char* why) {
  throw Error(ErrorCode::refused,
              "system \"" + system.traits().name + "\" cannot be taken as an overdetermined DAE: " + why);
}

void require_no_obstacles(const System& system) {
  if (system.parts().obstacles) refuse_as_overdetermined(system, "it has obstacles, which may be open or closed");
}

MechanicalOverdetermined::MechanicalOverdetermined(std::shared_ptr<const System> system)
    : system_(std::move(system)),
      q_(system_->parts().force),
      r_(system_->parts().friction),
      mass_(system_->parts().mass) {
  const SystemTraits& s = system_->traits();
  const Index n = s.n, m = s.m;
  traits_.name = s.name;
  traits_.ny = traits_.nz = n;
  traits_.m = m;
  traits_.affine = !r_;
  traits_.hamiltonian = !q_ && !r_;
  traits_.has_energy = true;
  traits_.state_names = s.state_names;
  traits_.constraint_names = s.constraint_names;
  traits_.energy_constant = s.energy_constant;

  identity_ = SparsityPattern::diagonal(n);
  if (mass_) dense_ = SparsityPattern::dense(n, n);
  for (const Term term : all_terms)
    for (const Argument argument : all_arguments)
      none_[index(term, argument)] = SparsityPattern::from_entries(traits_.rows(term), traits_.size(argument), {});
  const SparsityPattern &g = system_->constraint_pattern(), &hessian = system_->hessian_pattern();
  const auto forced = [&](ForceArgument by) { return q_ ? &q_->force_pattern(by) : nullptr; };
  const auto rubbed = [&](ForceArgument by) { return r_ ? &r_->friction_pattern(by) : nullptr; };
  force_ = {part(n, n, forced(ForceArgument::q), &hessian, false, mass_ != nullptr),
            part(n, n, forced(ForceArgument::v), nullptr, false, mass_ != nullptr),
            part(n, m, nullptr, nullptr, false, false)};
  reaction_ = {part(n, n, rubbed(ForceArgument::q), &hessian, false, false),
               part(n, n, rubbed(ForceArgument::v), nullptr, false, false),
               part(n, m, rubbed(ForceArgument::lambda), &g, true, false)};
  position_rows_ = g;
  for (Index i = m - system_->parts().n_velocity_constraints(); i < m; ++i)
    position_rows_.offsets[i + 1] = position_rows_.offsets[i];
  position_rows_.indices.resize(position_rows_.offsets[m]);
  g_values_.setZero(g.nonzeros());
  if (system_->parts().time_dependence) g_rates_.setZero(g.nonzeros());
  hessian_.setZero(hessian.nonzeros());
  zero_psi_.setZero(m);
  scratch_m_.setZero(m);
  scratch_n_.setZero(n);
  if (!mass_) return;
  mass_matrix_.setZero(n, n);
  for (Vector* x : {&momentum_, &t_q_, &t_p_, &unit_, &none_n_, &dp_, &dl_}) x->setZero(n);
}

MechanicalOverdetermined::Part MechanicalOverdetermined::part(Index rows, Index cols, const SparsityPattern* own,
                                                              const SparsityPattern* conservative, bool transposed,
                                                              bool dense) {
  PatternBuilder builder(rows, cols);
  if (own) builder.add(*own, 0, 0);
  if (conservative) builder.add(*conservative, 0, 0, transposed);
  Part result;
  result.pattern = dense ? SparsityPattern::dense(rows, cols) : builder.build();
  if (own) {
    result.own = BlockMap(result.pattern, *own, 0, 0);
    result.values.setZero(own->nonzeros());
  }
  if (conservative) result.conservative = BlockMap(result.pattern, *conservative, 0, 0, transposed);
  return result;
}

void MechanicalOverdetermined::legendre(const OverdeterminedPoint& at) const {
  mass_->mass_matrix(at.y, mass_matrix_);
  momentum_.noalias() = mass_matrix_ * at.z;
}

void MechanicalOverdetermined::inertia_tangent(const OverdeterminedPoint& at, const ConstVectorRef& dy,
                                               const ConstVectorRef& dz) const {
  // T_pp dp = dz - T_pq dy and T_pp = M^-1; then dL_q = -(T_qq dy + T_qp dp).
  mass_->kinetic_hessian_times(at.y, momentum_, dy, none_n_, t_q_, t_p_);
  t_p_ = dz - t_p_;
  dp_.noalias() = mass_matrix_ * t_p_;
  mass_->kinetic_hessian_times(at.y, momentum_, dy, dp_, dl_, t_p_);
  dl_ *= -1;
}

void MechanicalOverdetermined::inertia_jacobian(Term term, Argument argument, const OverdeterminedPoint& at,
                                                VectorRef values) const {
  legendre(at);
  const Index n = system_->n();
  for (Index j = 0; j < n; ++j) {
    unit_.setZero();
    unit_[j] = 1;
    if (argument == Argument::y)
      inertia_tangent(at, unit_, none_n_);
    else
      inertia_tangent(at, none_n_, unit_);
    for (Index i = 0; i < n; ++i) {
      if (term == Term::momentum)
        values[i * n + j] = dp_[i];
      else
        values[i * n + j] += dl_[i];
    }
  }
}

void MechanicalOverdetermined::evaluate(Term term, const OverdeterminedPoint& at, VectorRef out) const {
  switch (term) {
    case Term::velocity:
      out = at.z;
      return;
    case Term::momentum:
      if (!mass_) return system_->mass().apply(at.z, out);
      legendre(at);
      out = momentum_;
      return;
    case Term::force:
      system_->potential_gradient(t_, at.y, out);
      out *= -1;
      if (q_) {
        q_->force(t_, at.y, at.z, scratch_n_);
        out += scratch_n_;
      }
      if (mass_) {
        legendre(at);
        mass_->kinetic_gradient(at.y, momentum_, t_q_, t_p_);
        out -= t_q_;
      }
      return;
    case Term::multiplier_force:
      system_->constraint_jacobian(t_, at.y, g_values_);
      multiply_transposed(system_->constraint_pattern(), g_values_, at.psi, out);
      out *= -1;
      if (r_) {
        r_->friction(at.y, at.z, at.psi, scratch_n_);
        out += scratch_n_;
      }
      return;
    case Term::constraint:
      return system_->constraints(t_, at.y, out);
    case Term::hidden:
      return system_->constraint_velocity(t_, at.y, at.z, out);
  }
}

void MechanicalOverdetermined::tangent(Term term, const OverdeterminedPoint& at, const OverdeterminedPoint& d,
                                       VectorRef out) const {
  const auto along = [&](Argument argument) -> const ConstVectorRef& {
    return argument == Argument::y ? d.y : argument == Argument::z ? d.z : d.psi;
  };
  switch (term) {
    case Term::velocity:
      out = d.z;
      return;
    case Term::momentum:
      if (!mass_) return system_->mass().apply(d.z, out);
      legendre(at);
      inertia_tangent(at, d.y, d.z);
      out = dp_;
      return;
    case Term::force:
      system_->potential_hessian_times(t_, at.y, d.y, out);
      out *= -1;
      if (q_)
        for (const Argument argument : {Argument::y, Argument::z}) {
          const Part& p = part(term, argument);
          q_->force_jacobian(by(argument), t_, at.y, at.z, p.values);
          add_product(q_->force_pattern(by(argument)), p.values, along(argument), out);
        }
      if (mass_) {
        legendre(at);
        inertia_tangent(at, d.y, d.z);
        out += dl_;
      }
      return;
    case Term::multiplier_force:
      system_->constraint_jacobian(t_, at.y, g_values_);
      multiply_transposed(system_->constraint_pattern(), g_values_, d.psi, out);
      system_->constraint_hessian_times(t_, at.y, at.psi, d.y, scratch_n_);
      out = -(out + scratch_n_);
      if (!r_) return;
      for (const Argument argument : all_arguments) {
        const Part& p = part(term, argument);
        r_->friction_jacobian(by(argument), at.y, at.z, at.psi, p.values);
        add_product(r_->friction_pattern(by(argument)), p.values, along(argument), out);
      }
      return;
    case Term::constraint:
      system_->constraint_jacobian(t_, at.y, g_values_);
      return multiply(position_rows_, g_values_, d.y, out);
    case Term::hidden:
      system_->constraint_jacobian(t_, at.y, g_values_);
      multiply(system_->constraint_pattern(), g_values_, d.z, out);
      hidden_by_y(at, g_values_);
      multiply(system_->constraint_pattern(), g_values_, d.y, scratch_m_);
      out += scratch_m_;
      return;
  }
}

const SparsityPattern& MechanicalOverdetermined::pattern(Term term, Argument argument) const {
  switch (term) {
    case Term::velocity:
      if (argument == Argument::z) return identity_;
      break;
    case Term::momentum:
      if (mass_ && argument != Argument::psi) return dense_;
      if (argument == Argument::z) return system_->mass().pattern();
      break;
    case Term::force:
    case Term::multiplier_force:
      return part(term, argument).pattern;
    case Term::constraint:
      if (argument == Argument::y) return position_rows_;
      break;
    case Term::hidden:
      if (argument != Argument::psi) return system_->constraint_pattern();
      break;
  }
  return none_[index(term, argument)];
}

void MechanicalOverdetermined::jacobian(Term term, Argument argument, const OverdeterminedPoint& at,
                                        VectorRef values) const {
  if (pattern(term, argument).nonzeros() == 0) return;
  switch (term) {
    case Term::velocity:
      values.setOnes();
      return;
    case Term::momentum:
      if (mass_ && argument == Argument::y) return inertia_jacobian(term, argument, at, values);
      if (!mass_) {
        values = system_->mass().values();
        return;
      }
      mass_->mass_matrix(at.y, mass_matrix_);
      for (Index i = 0; i < mass_matrix_.rows(); ++i)
        values.segment(i * mass_matrix_.cols(), mass_matrix_.cols()) = mass_matrix_.row(i).transpose();
      return;
    case Term::force: {
      const Part& p = part(term, argument);
      values.setZero();
      if (argument == Argument::y) {
        system_->lagrangian_hessian(t_, at.y, zero_psi_, hessian_);
        p.conservative.add(values, hessian_, -1);
      }
      if (q_) {
        q_->force_jacobian(by(argument), t_, at.y, at.z, p.values);
        p.own.add(values, p.values, 1);
      }
      if (mass_) inertia_jacobian(term, argument, at, values);
      return;
    }
    case Term::multiplier_force: {
      const Part& p = part(term, argument);
      values.setZero();
      if (argument == Argument::y) {  // of U + psi.g, without U
        system_->lagrangian_hessian(t_, at.y, at.psi, hessian_);
        p.conservative.add(values, hessian_, -1);
        system_->lagrangian_hessian(t_, at.y, zero_psi_, hessian_);
        p.conservative.add(values, hessian_, 1);
      } else if (argument == Argument::psi) {
        system_->constraint_jacobian(t_, at.y, g_values_);
        p.conservative.add(values, g_values_, -1);
      }
      if (!r_) return;
      r_->friction_jacobian(by(argument), at.y, at.z, at.psi, p.values);
      p.own.add(values, p.values, 1);
      return;
    }
    case Term::constraint:
      system_->constraint_jacobian(t_, at.y, g_values_);
      values = g_values_.head(position_rows_.nonzeros());
      return;
    case Term::hidden:
      if (argument == Argument::z) return system_->constraint_jacobian(t_, at.y, values);
      return hidden_by_y(at, values);
  }
}

void MechanicalOverdetermined::hidden_by_y(const OverdeterminedPoint& at, VectorRef values) const {
  system_->constraint_jacobian_derivative(t_, at.y, at.z, values);
  if (!system_->parts().time_dependence) return;
  system_->parts().time_dependence->constraint_rate_jacobian(t_, at.y, g_rates_);
  values += g_rates_;
}

bool MechanicalOverdetermined::hidden_bias(const OverdeterminedPoint& at, VectorRef out) const {
  if (!system_->parts().time_dependence) return false;
  system_->constraint_bias(t_, at.y, at.z, out);
  return true;
}

double MechanicalOverdetermined::energy(const OverdeterminedPoint& at) const {
  if (mass_)
    legendre(at);
  else
    system_->mass().apply(at.z, scratch_n_);
  return 0.5 * at.z.dot(mass_ ? momentum_ : scratch_n_) + system_->potential(t_, at.y);
}

double MechanicalOverdetermined::power(const OverdeterminedPoint& at) const {
  double sum = 0;
  if (q_) {
    q_->force(t_, at.y, at.z, scratch_n_);
    sum += scratch_n_.dot(at.z);
  }
  if (r_) {
    r_->friction(at.y, at.z, at.psi, scratch_n_);
    sum += scratch_n_.dot(at.z);
  }
  return sum;
}

}  // namespace gnomon
