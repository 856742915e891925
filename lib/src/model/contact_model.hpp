#pragma once
/// \file
/// A system with obstacles while some of its contacts are closed and the others open. Private to the core.

#include <array>
#include <memory>
#include <vector>

#include "gnomon/model/system.hpp"
#include "model/contact_precision.hpp"

namespace gnomon {

/// The constraints (g, -c_i) of the closed contacts i; no obstacles, symmetries and first integrals.
/// Multipliers of open contacts are zero to the friction law; without any constraint there is no friction.
///
/// Constraints of velocities stay the last, behind those of contacts.
///
/// Of Coulomb friction the closed contacts stick, slide or neither, slip_i = 0, -1 or 1, 2: see State::slip. Those that
/// stick are constraints too, (g, -c_i, d_j - held_j). Those that slide to the side s_i = -1 or 1 make the friction
///
///     R = -sum_i s_i mu_i psi_i (dd_i/dq)^T
///
/// whose direction does not depend on the velocity: it is smooth, and defined where v = 0. It is added to the friction
/// R(q,v,lambda) of the model.
class ContactModel final : public System,
                           public TimeDependence,
                           public VelocityConstraints,
                           public Friction,
                           public SplitPotential,
                           public Switches {
 public:
  /// open: the system with its obstacles; closed: open.with_obstacles_closed(), or the system itself where it has no
  /// obstacles; contacts: those to be closed, ascending; slip: with Coulomb friction, one a contact.
  ContactModel(std::shared_ptr<const System> open, std::shared_ptr<const System> closed, std::vector<Index> contacts,
               std::vector<int> slip = {});

  static constexpr int sticks = 0;  ///< of slip

  const std::vector<Index>& contacts() const { return contacts_; }
  const std::vector<int>& slip() const { return slip_; }
  /// Where the contacts that stick are held: d, one a contact.
  void hold(const Vector& held);
  /// Multipliers of the rows here as those of a state of a run, (g, A, psi of all contacts), and with Coulomb friction
  /// the tangential forces: those of contacts that stick without a row of their own stay as they are.
  void write_multipliers(const ConstVectorRef& lambda, VectorRef of_state) const;
  /// Has a friction R(q,v,lambda) of the model that depends on the velocity, and so opposes the motion of the whole
  /// system?
  bool opposes_motion() const {
    return friction_ != nullptr && friction_->friction_pattern(ForceArgument::v).nonzeros() > 0;
  }

  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return closed_->mass(); }
  double potential(double t, const ConstVectorRef& q) const override { return closed_->potential(t, q); }
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    closed_->potential_gradient(t, q, out);
  }
  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                               VectorRef out) const override {
    closed_->potential_hessian_times(t, q, w, out);
  }

  const SparsityPattern& constraint_pattern() const override { return pattern_; }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    closed_->constraints(t, q, all_);
    gather(all_, out);
    out -= rows_.offsets;
  }
  Index n_velocity_constraints() const override { return closed_->parts().n_velocity_constraints(); }
  void constraint_turn(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef values) const override {
    closed_->parts().velocity_constraints->constraint_turn(t, q, v, all_values_);
    gather_values(values);
  }
  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    closed_->constraint_jacobian(t, q, all_values_);
    gather_values(values);
  }
  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const override {
    closed_->constraint_hessian_times(t, q, spread(lambda), w, out);
  }
  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override {
    closed_->constraint_jacobian_derivative(t, q, v, all_values_);
    gather_values(values);
  }
  void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override {
    closed_->constraint_third(t, q, v, w, all_values_);
    gather_values(values);
  }
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    closed_->constraint_velocity(t, q, v, all_);
    gather(all_, out);
  }
  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    closed_->constraint_bias(t, q, v, all_);
    gather(all_, out);
  }

  const SparsityPattern& hessian_pattern() const override { return closed_->hessian_pattern(); }
  void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    closed_->lagrangian_hessian(t, q, spread(lambda), values);
  }
  bool constraint_hessian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                     const ConstVectorRef& v, VectorRef values) const override {
    return closed_->constraint_hessian_derivative(t, q, spread(lambda), v, values);
  }

  double potential_rate(double t, const ConstVectorRef& q) const override { return rates_->potential_rate(t, q); }
  void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    rates_->constraint_rate_jacobian(t, q, all_values_);
    gather_values(values);
  }
  void constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                               VectorRef values) const override {
    rates_->constraint_rate_hessian(t, q, spread(lambda), values);
  }
  /// R(q,v,lambda) without that of contacts.
  void friction_of_model(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                         VectorRef out) const;
  void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override;
  const SparsityPattern& friction_pattern(ForceArgument by) const override {
    return friction_patterns_[static_cast<std::size_t>(by)];
  }
  void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                         const ConstVectorRef& lambda, VectorRef values) const override;

  Index n_switches() const override { return switches_->n_switches(); }
  std::string switch_name(Index i) const override { return switches_->switch_name(i); }
  bool sides_are_held() const override { return switches_->sides_are_held(); }
  bool switches_use_multipliers() const override { return switches_->switches_use_multipliers(); }
  void switches(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override {
    switches_->switches(t, q, v, switches_use_multipliers() ? spread_to_model(lambda) : at_rest_, out);
  }
  void switch_rates(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                    VectorRef out) const override {
    switches_->switch_rates(t, q, v, switches_use_multipliers() ? spread_to_model(lambda) : at_rest_, out);
  }

  Index n_invariants() const override { return split_->n_invariants(); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override { split_->invariants(q, pi); }
  const SparsityPattern& invariant_pattern() const override { return split_->invariant_pattern(); }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    split_->invariant_jacobian(q, values);
  }
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    return split_->invariant_potential(k, pi);
  }
  void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    split_->regular_potential_gradient(t, q, out);
  }
  void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    split_->split_hessian(t, q, c, spread(lambda), values);
  }

 private:
  /// lambda of the rows here as multipliers of all rows of closed_, and in the order of those of the model.
  const Vector& spread(const ConstVectorRef& lambda) const;
  const Vector& spread_to_model(const ConstVectorRef& lambda) const;
  /// Rows of closed_ as rows here, and the same for values on the constraint patterns.
  void gather(const Vector& all, VectorRef out) const;
  void gather_values(VectorRef out) const;
  /// values -= Hess sum_i s_i mu_i psi_i d_i of the contacts that slide
  void slide_hessian(const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef values) const;
  void find_sliding(const Vector& coefficients);
  void make_friction();

  /// A contact that slides: its row here and the one of d in closed_, and s mu.
  struct Sliding {
    Index row, slip_row;
    double s_mu;
  };

  std::shared_ptr<const System> open_, closed_;
  // Parts of closed_, null where it has none: those that depend on the rows. The others are used as they are.
  const Friction* friction_;
  const SplitPotential* split_;
  const TimeDependence* rates_;
  const Switches* switches_;
  std::vector<Index> contacts_;
  std::vector<int> slip_;
  ClosedRows rows_;
  ContactPrecision precision_;
  std::vector<Sliding> sliding_;
  SystemTraits traits_;
  SparsityPattern pattern_;
  std::array<SparsityPattern, 3> friction_patterns_;     // by q, v, lambda
  std::array<std::vector<Index>, 3> friction_value_at_;  // of values of the model's friction; -1: of an open contact
  std::vector<Index> hessian_value_at_, slide_value_at_;
  std::vector<Index> model_multiplier_;  // of rows of closed_, in the order (g, A, psi) of the model
  mutable Vector all_, all_values_, all_multipliers_, model_multipliers_, friction_values_, hessian_, at_rest_;
};

}  // namespace gnomon
