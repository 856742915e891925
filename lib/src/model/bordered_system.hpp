#pragma once
/// \file
/// A system whose constraints repeat others, with coordinates nu beside its own that make the matrix of its constraints
/// regular. Constraints of velocities become A v + b + B nu'. Private to the core; what finds N and renews it is
/// gnomon/start/border.hpp.
///
///     T' = T + |nu'|^2/2,   U' = U,   g'(q,nu) = g(q,t) + B nu,   B = diag(A_ii) Y,   A = G M^-1 G^T
///
/// Y, m x k, is a basis of the left null space, Y^T G = 0. Where {g = 0} is a manifold of the codimension m - k every
/// solution has nu = 0, whatever B is, as long as (G, B) has rank m. So has every solution of a scheme that holds g' =
/// 0 at the ends of its steps: then the equations of nu, whose mass is one and on which no other force acts, read
/// B^T lambda = 0. Of all multipliers with the same force G^T lambda those have the least sum_i A_ii lambda_i^2, in any
/// units and any axes. G' M'^-1 G'^T is A + B B^T. Schemes, solvers and references see a system of n + k coordinates
/// with m constraints like any other.

#include <memory>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon {

class BorderedSystem final : public System,
                             public ConfigurationMass,
                             public TimeDependence,
                             public VelocityConstraints,
                             public Force,
                             public Friction,
                             public Symmetries,
                             public FirstIntegrals,
                             public SplitPotential,
                             public ExtendedPrecision,
                             public ContinuousAngles,
                             public Switches {
 public:
  /// `border`: the pattern of B, m x k.
  BorderedSystem(std::shared_ptr<const System> inner, const SparsityPattern& border);

  const System& inner() const { return *inner_; }
  const SparsityPattern& border_pattern() const { return border_; }
  /// B on border_pattern().
  const Vector& border() const { return values_; }
  void set_border(const Vector& values) { values_ = values; }
  /// Multipliers that friction is a function of, from those that a scheme finds: of least norm at q. Where it is not
  /// set they are the same.
  class LeastNorm {
   public:
    virtual ~LeastNorm() = default;
    /// P, m x m, of lambda -> P lambda at the q of the inner system
    virtual const Matrix& projection(const ConstVectorRef& q) const = 0;
  };
  void set_least_norm(const LeastNorm* least_norm) { least_norm_ = least_norm; }

  /// \name System
  ///@{
  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }
  double potential(double t, const ConstVectorRef& q) const override { return inner_->potential(t, q.head(n_)); }
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    inner_->potential_gradient(t, q.head(n_), out.head(n_));
    out.tail(k_).setZero();
  }
  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                               VectorRef out) const override {
    inner_->potential_hessian_times(t, q.head(n_), w.head(n_), out.head(n_));
    out.tail(k_).setZero();
  }
  const SparsityPattern& constraint_pattern() const override { return pattern_; }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    inner_->constraints(t, q.head(n_), out);
    add_border(q, positions_, out);
  }
  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    inner_->constraint_jacobian(t, q.head(n_), inner_values_);
    scatter(inner_values_, values);
    for (std::size_t e = 0; e < border_at_.size(); ++e) values[border_at_[e]] = values_[static_cast<Index>(e)];
  }
  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const override {
    inner_->constraint_hessian_times(t, q.head(n_), lambda, w.head(n_), out.head(n_));
    out.tail(k_).setZero();
  }
  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override {
    inner_->constraint_jacobian_derivative(t, q.head(n_), v.head(n_), inner_values_);
    scatter(inner_values_, values);
  }
  void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override {
    inner_->constraint_third(t, q.head(n_), v.head(n_), w.head(n_), inner_values_);
    scatter(inner_values_, values);
  }
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    inner_->constraint_velocity(t, q.head(n_), v.head(n_), out);
    add_border(v, border_.rows, out);
  }
  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    inner_->constraint_bias(t, q.head(n_), v.head(n_), out);
  }
  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }
  void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    inner_->lagrangian_hessian(t, q.head(n_), lambda, values);
  }
  bool constraint_hessian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                     const ConstVectorRef& v, VectorRef values) const override {
    return inner_->constraint_hessian_derivative(t, q.head(n_), lambda, v.head(n_), values);
  }
  ///@}

  /// \name Parts that the inner system has
  ///@{
  void mass_matrix(const ConstVectorRef& q, Matrix& out) const override;
  double kinetic_energy(const ConstVectorRef& q, const ConstVectorRef& p) const override {
    return inner_->parts().mass->kinetic_energy(q.head(n_), p.head(n_)) + p.tail(k_).squaredNorm() / 2;
  }
  void kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef t_q, VectorRef t_p) const override {
    inner_->parts().mass->kinetic_gradient(q.head(n_), p.head(n_), t_q.head(n_), t_p.head(n_));
    t_q.tail(k_).setZero();
    t_p.tail(k_) = p.tail(k_);
  }
  void kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                             const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const override {
    inner_->parts().mass->kinetic_hessian_times(q.head(n_), p.head(n_), w_q.head(n_), w_p.head(n_), out_q.head(n_),
                                                out_p.head(n_));
    out_q.tail(k_).setZero();
    out_p.tail(k_) = w_p.tail(k_);
  }
  void kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                     const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p, VectorRef out_q,
                     VectorRef out_p) const override {
    inner_->parts().mass->kinetic_third(q.head(n_), p.head(n_), w_q.head(n_), w_p.head(n_), u_q.head(n_), u_p.head(n_),
                                        out_q.head(n_), out_p.head(n_));
    out_q.tail(k_).setZero();
    out_p.tail(k_).setZero();
  }
  long double kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                  const ConstVectorRef& p_tail, VectorRef t_q, VectorRef t_p) const override;
  bool extended_kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                 const ConstVectorRef& p_tail, VectorRefOf<Extended> out) const override;

  double potential_rate(double t, const ConstVectorRef& q) const override {
    return inner_->parts().time_dependence->potential_rate(t, q.head(n_));
  }
  void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    inner_->parts().time_dependence->constraint_rate_jacobian(t, q.head(n_), inner_values_);
    scatter(inner_values_, values);
  }
  void constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                               VectorRef values) const override {
    inner_->parts().time_dependence->constraint_rate_hessian(t, q.head(n_), lambda, values);
  }

  Index n_velocity_constraints() const override { return inner_->parts().n_velocity_constraints(); }
  void constraint_turn(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef values) const override {
    inner_->parts().velocity_constraints->constraint_turn(t, q.head(n_), v.head(n_), inner_values_);
    scatter(inner_values_, values);
  }

  void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    inner_->parts().force->force(t, q.head(n_), v.head(n_), out.head(n_));
    out.tail(k_).setZero();
  }
  const SparsityPattern& force_pattern(ForceArgument by) const override;
  void force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                      VectorRef values) const override {
    inner_->parts().force->force_jacobian(by, t, q.head(n_), v.head(n_), values);
  }
  bool force_depends_on_time() const override { return inner_->parts().force->force_depends_on_time(); }

  void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override;
  const SparsityPattern& friction_pattern(ForceArgument by) const override;
  /// The change of P with q is left out.
  void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                         const ConstVectorRef& lambda, VectorRef values) const override;

  Index n_symmetries() const override { return inner_->parts().n_symmetries(); }
  std::string symmetry_name(Index a) const override { return inner_->parts().symmetries->symmetry_name(a); }
  void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const override {
    inner_->parts().symmetries->symmetry_generator(a, q.head(n_), out.head(n_));
    out.tail(k_).setZero();
  }
  Index n_angles() const override { return inner_->parts().n_angles(); }
  std::string angle_name(Index i) const override { return inner_->parts().angles->angle_name(i); }
  void angles(double t, const ConstVectorRef& q, VectorRef out) const override {
    inner_->parts().angles->angles(t, q.head(n_), out);
  }
  Index n_switches() const override { return inner_->parts().n_switches(); }
  std::string switch_name(Index i) const override { return inner_->parts().switches->switch_name(i); }
  bool sides_are_held() const override { return inner_->parts().switches->sides_are_held(); }
  bool switches_use_multipliers() const override { return inner_->parts().switches->switches_use_multipliers(); }
  void switches(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override {
    inner_->parts().switches->switches(t, q.head(n_), v.head(n_), lambda, out);
  }
  void switch_rates(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                    VectorRef out) const override {
    inner_->parts().switches->switch_rates(t, q.head(n_), v.head(n_), lambda, out);
  }
  Index n_integrals() const override { return inner_->parts().n_integrals(); }
  std::string integral_name(Index a) const override { return inner_->parts().integrals->integral_name(a); }
  double integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const override {
    return inner_->parts().integrals->integral(a, t, q.head(n_), p.head(n_));
  }

  Index n_invariants() const override { return inner_->parts().n_invariants(); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override { split().invariants(q.head(n_), pi); }
  const SparsityPattern& invariant_pattern() const override { return invariant_pattern_; }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    split().invariant_jacobian(q.head(n_), values);
  }
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    return split().invariant_potential(k, pi);
  }
  void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    split().regular_potential_gradient(t, q.head(n_), out.head(n_));
    out.tail(k_).setZero();
  }
  void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    split().split_hessian(t, q.head(n_), c, lambda, values);
  }

  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef gradient) const override {
    return extended().potential_compensated(t, q.head(n_), tail.head(n_), gradient.head(n_));
  }
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef g_values) const override {
    extended().constraints_compensated(t, q.head(n_), tail.head(n_), out, g_values.head(inner_values_.size()));
    add_border(q, positions_, out);
    add_border(tail, positions_, out);
  }
  bool extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                            VectorRefOf<Extended> out) const override;
  bool extended_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> out) const override {
    out.tail(k_).setZero();
    return extended().extended_gradient(t, q.head(n_), tail.head(n_), out.head(n_));
  }
  bool extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const override;
  bool extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail,
                           VectorRefOf<Extended> pi) const override {
    return extended().extended_invariants(q.head(n_), tail.head(n_), pi);
  }
  bool extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                   VectorRefOf<Extended> values) const override {
    return extended().extended_invariant_jacobian(q.head(n_), tail.head(n_), values);
  }
  std::array<Extended, 4> extended_invariant_potential(Index k, Extended pi) const override {
    return extended().extended_invariant_potential(k, pi);
  }
  bool extended_regular_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> out) const override {
    out.tail(k_).setZero();
    return extended().extended_regular_gradient(t, q.head(n_), tail.head(n_), out.head(n_));
  }
  ///@}

 private:
  const SplitPotential& split() const { return *inner_->parts().split; }
  const ExtendedPrecision& extended() const { return *inner_->parts().extended; }
  /// The first `rows` of out += B nu, nu the last entries of x
  template <class X, class Out>
  void add_border(const X& x, Index rows, Out&& out) const {
    std::size_t e = 0;
    for (Index i = 0; i < rows; ++i)
      for (Index at = border_.offsets[i]; at < border_.offsets[i + 1]; ++at, ++e)
        out[i] += values_[static_cast<Index>(e)] * x[n_ + border_.indices[at]];
  }
  /// Values on the inner constraint pattern, where they are on pattern_; zero in the columns of nu.
  template <class Values, class Out>
  void scatter(const Values& values, Out&& out) const {
    for (std::size_t e = 0; e < inner_at_.size(); ++e) out[inner_at_[e]] = values[static_cast<Index>(e)];
    for (const Index at : border_at_) out[at] = 0;
  }
  /// The same entries in a matrix of n + k columns, and rows where it is square.
  SparsityPattern widened(SparsityPattern pattern, bool rows_too = true) const;
  /// P lambda, with the entries of obstacles behind those of the constraints as they are.
  const Vector& least(const ConstVectorRef& q, const ConstVectorRef& lambda) const;

  std::shared_ptr<const System> inner_;
  Index n_, k_, positions_;  ///< of the inner system, nu, constraints of positions
  SparsityPattern border_;
  Vector values_;
  const LeastNorm* least_norm_ = nullptr;
  SystemTraits traits_;
  Mass mass_;
  SparsityPattern pattern_, hessian_pattern_, invariant_pattern_;
  SparsityPattern force_by_q_, force_by_v_, friction_by_q_, friction_by_v_, friction_by_lambda_;
  std::vector<Index> inner_at_, border_at_;
  mutable Vector inner_values_, least_, friction_values_;
  mutable Matrix inner_mass_;
  mutable VectorOf<Extended> extended_values_, kinetic_;
};

}  // namespace gnomon
