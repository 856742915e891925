#include "gnomon/model/overdetermined.hpp"

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/model/system.hpp"

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

double OverdeterminedSystem::energy(const OverdeterminedPoint&) const {
  throw Error(ErrorCode::refused, "system " + traits().name + " declares no energy");
}

double OverdeterminedSystem::power(const OverdeterminedPoint&) const {
  throw Error(ErrorCode::refused, "system " + traits().name + " declares no energy");
}

std::vector<std::pair<std::string, Index>> OverdeterminedSystem::sizes() const {
  return {{"number of y", traits().ny}, {"number of z", traits().nz}, {"number of constraints", m()}};
}

void OverdeterminedSystem::velocity(const StateView& at, VectorRef, VectorRef out) const {
  evaluate(Term::velocity, {at.q, at.z, at.lambda}, out);
}

bool OverdeterminedSystem::measure(const StateView& at, Measured& out) const {
  out.rows.resize(m());
  const OverdeterminedPoint point{at.q, at.z, at.lambda};
  evaluate(Term::constraint, point, out.rows);
  out.position = max_norm(out.rows);
  evaluate(Term::hidden, point, out.rows);
  out.velocity = max_norm(out.rows);
  if (has_energy()) out.energy = energy(point);
  return std::isfinite(out.position) && std::isfinite(out.velocity) && at.q.allFinite() && at.z.allFinite();
}

namespace {

/// y = q, z = M^-1 p, p = M z, f = -grad U + Q, r = -G^T psi + R.
class MechanicalOverdetermined final : public OverdeterminedSystem {
 public:
  explicit MechanicalOverdetermined(std::shared_ptr<const System> system)
      : system_(std::move(system)), q_(system_->parts().force), r_(system_->parts().friction) {
    const SystemTraits& s = system_->traits();
    traits_.name = s.name;
    traits_.ny = traits_.nz = s.n;
    traits_.m = s.m;
    traits_.affine = !r_;
    traits_.hamiltonian = !q_ && !r_;
    traits_.has_energy = true;
    traits_.state_names = s.state_names;
    traits_.constraint_names = s.constraint_names;

    identity_ = SparsityPattern::diagonal(s.n);
    for (const Term term : all_terms)
      for (const Argument argument : all_arguments)
        none_[index(term, argument)] = SparsityPattern::from_entries(traits_.rows(term), traits_.size(argument), {});
    make_patterns();
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
        if (forced()) {
          q_->force(0, at.y, at.z, scratch_n_);
          out += scratch_n_;
        }
        return;
      case Term::multiplier_force:
        system_->constraint_jacobian(0, at.y, g_values_);
        multiply_transposed(system_->constraint_pattern(), g_values_, at.psi, out);
        out *= -1;
        if (rubbed()) {
          r_->friction(at.y, at.z, at.psi, scratch_n_);
          out += scratch_n_;
        }
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
        if (forced())
          for (const Part& part : force_) {
            q_->force_jacobian(part.by, 0, at.y, at.z, part.values);
            add_product(q_->force_pattern(part.by), part.values, part.by == ForceArgument::q ? d.y : d.z, out);
          }
        return;
      case Term::multiplier_force:
        system_->constraint_jacobian(0, at.y, g_values_);
        multiply_transposed(system_->constraint_pattern(), g_values_, d.psi, out);
        system_->constraint_hessian_times(0, at.y, at.psi, d.y, scratch_n_);
        out = -(out + scratch_n_);
        for (const Part& part : friction_) {
          r_->friction_jacobian(part.by, at.y, at.z, at.psi, part.values);
          add_product(r_->friction_pattern(part.by), part.values,
                      part.by == ForceArgument::q   ? d.y
                      : part.by == ForceArgument::v ? d.z
                                                    : d.psi,
                      out);
        }
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
        if (argument == Argument::y) return forced() ? force_[0].pattern : system_->hessian_pattern();
        if (argument == Argument::z && forced()) return force_[1].pattern;
        break;
      case Term::multiplier_force:
        if (argument == Argument::y) return rubbed() ? friction_[0].pattern : system_->hessian_pattern();
        if (argument == Argument::z && rubbed()) return friction_[1].pattern;
        if (argument == Argument::psi) return rubbed() ? friction_[2].pattern : reaction_pattern_;
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
      case Term::force: {
        if (!forced()) {
          system_->lagrangian_hessian(0, at.y, zero_psi_, values);
          values *= -1;
          return;
        }
        const Part& part = force_[argument == Argument::y ? 0 : 1];
        values.setZero();
        if (argument == Argument::y) {
          system_->lagrangian_hessian(0, at.y, zero_psi_, hessian_);
          part.conservative.add(values, hessian_, -1);
        }
        q_->force_jacobian(part.by, 0, at.y, at.z, part.values);
        part.own.add(values, part.values, 1);
        return;
      }
      case Term::multiplier_force: {
        values.setZero();
        if (argument == Argument::y) {  // of U + psi.g, without U
          system_->lagrangian_hessian(0, at.y, at.psi, hessian_);
          conservative(argument).add(values, hessian_, -1);
          system_->lagrangian_hessian(0, at.y, zero_psi_, hessian_);
          conservative(argument).add(values, hessian_, 1);
        } else if (argument == Argument::psi) {
          system_->constraint_jacobian(0, at.y, g_values_);
          conservative(argument).add(values, g_values_, -1);
        }
        if (!rubbed()) return;
        const Part& part = friction_[static_cast<std::size_t>(argument)];
        r_->friction_jacobian(part.by, at.y, at.z, at.psi, part.values);
        part.own.add(values, part.values, 1);
        return;
      }
      case Term::constraint:
        return system_->constraint_jacobian(0, at.y, values);
      case Term::hidden:
        if (argument == Argument::z) return system_->constraint_jacobian(0, at.y, values);
        return system_->constraint_jacobian_derivative(0, at.y, at.z, values);
    }
  }

  double energy(const OverdeterminedPoint& at) const override {
    system_->mass().apply(at.z, scratch_n_);
    return 0.5 * at.z.dot(scratch_n_) + system_->potential(0, at.y);
  }
  double power(const OverdeterminedPoint& at) const override {
    double sum = 0;
    if (forced()) {
      q_->force(0, at.y, at.z, scratch_n_);
      sum += scratch_n_.dot(at.z);
    }
    if (rubbed()) {
      r_->friction(at.y, at.z, at.psi, scratch_n_);
      sum += scratch_n_.dot(at.z);
    }
    return sum;
  }

 private:
  /// A derivative of Q or R, and the pattern of its sum with what the potential and the constraints give.
  struct Part {
    ForceArgument by;
    SparsityPattern pattern;
    BlockMap own, conservative;
    mutable Vector values;
  };

  static std::size_t index(Term term, Argument argument) {
    return 3 * static_cast<std::size_t>(term) + static_cast<std::size_t>(argument);
  }
  bool forced() const { return !force_.empty(); }
  bool rubbed() const { return !friction_.empty(); }
  static void add_product(const SparsityPattern& pattern, const Vector& values, const ConstVectorRef& x,
                          VectorRef out) {
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) out[i] += values[k] * x[pattern.indices[k]];
  }
  const BlockMap& conservative(Argument argument) const {
    if (rubbed()) return friction_[static_cast<std::size_t>(argument)].conservative;
    return argument == Argument::y ? hessian_map_ : reaction_map_;
  }

  /// other: what the conservative part adds to this derivative, or null.
  static Part part(ForceArgument by, const SparsityPattern& own, const SparsityPattern* other, bool transposed) {
    PatternBuilder builder(own.rows, own.cols);
    builder.add(own, 0, 0);
    if (other != nullptr) builder.add(*other, 0, 0, transposed);
    Part result{by, builder.build(), {}, {}, Vector::Zero(own.nonzeros())};
    result.own = BlockMap(result.pattern, own, 0, 0);
    if (other != nullptr) result.conservative = BlockMap(result.pattern, *other, 0, 0, transposed);
    return result;
  }
  void make_patterns() {
    const SystemTraits& s = system_->traits();
    const SparsityPattern &g = system_->constraint_pattern(), &hessian = system_->hessian_pattern();
    PatternBuilder transposed(s.n, s.m);
    transposed.add(g, 0, 0, true);
    reaction_pattern_ = transposed.build();
    reaction_map_ = BlockMap(reaction_pattern_, g, 0, 0, true);
    hessian_map_ = BlockMap(hessian, hessian, 0, 0);
    if (q_) {
      force_.push_back(part(ForceArgument::q, q_->force_pattern(ForceArgument::q), &hessian, false));
      force_.push_back(part(ForceArgument::v, q_->force_pattern(ForceArgument::v), nullptr, false));
    }
    if (r_) {
      friction_.push_back(part(ForceArgument::q, r_->friction_pattern(ForceArgument::q), &hessian, false));
      friction_.push_back(part(ForceArgument::v, r_->friction_pattern(ForceArgument::v), nullptr, false));
      friction_.push_back(part(ForceArgument::lambda, r_->friction_pattern(ForceArgument::lambda), &g, true));
    }
  }

  std::shared_ptr<const System> system_;
  const Force* q_;
  const Friction* r_;
  OverdeterminedTraits traits_;
  SparsityPattern identity_, reaction_pattern_;
  std::array<SparsityPattern, 18> none_;  // empty, of every shape
  BlockMap reaction_map_, hessian_map_;
  std::vector<Part> force_, friction_;  // by q, v and by q, v, lambda
  Vector zero_psi_;
  mutable Vector g_values_, hessian_, scratch_m_, scratch_n_;
};

}  // namespace

std::shared_ptr<const OverdeterminedSystem> overdetermined_from(std::shared_ptr<const Model> model) {
  if (model->overdetermined()) return {model, model->overdetermined()};
  std::shared_ptr<const System> system = shared_system(model);
  const SystemTraits& traits = system->traits();
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::refused, "system \"" + traits.name + "\" cannot be taken as an overdetermined DAE: " + why);
  };
  const Parts& parts = system->parts();
  if (parts.mass) refuse("its mass depends on q");
  if (parts.time_dependence || (parts.force && parts.force->force_depends_on_time())) refuse("it depends on time");
  if (parts.obstacles) refuse("it has obstacles, which may be open or closed");
  return std::make_shared<MechanicalOverdetermined>(std::move(system));
}

}  // namespace gnomon
