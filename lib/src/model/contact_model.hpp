#pragma once
/// \file
/// A system with obstacles while some of its contacts are closed and the others open. Private to the core.

#include <algorithm>
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
/// stick are constraints too, (g, -c_i, d_j - held_j, S_k v). Those that slide to the side s_i = -1 or 1 make the
/// friction
///
///     R = -sum_i s_i mu_i psi_i (dd_i/dq)^T,    in space    R = -sum_i mu_i psi_i S_i^T u_i/|u_i|,    u_i = S_i v
///
/// In a plane its direction does not depend on the velocity: it is smooth, and defined where v = 0. In space it is that
/// of the slip, s_i = 1. Where a slip begins or ends it is near a direction e_i, s_i = -1, and u_i/|u_i| is that of
///
///     e_i + x,    x = (1 - e_i e_i^T) u_i / max(e_i.u_i, s),    s a slow rate
///
/// which is defined where u_i = 0. Where |x| is above a tenth its length is kept, so that it is nearly linear and
/// Newton's method finds it from there; no step may end there, see strays(). It is added to the friction R(q,v,lambda)
/// of the model.
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

  static constexpr int sticks = 0;    ///< of slip
  static constexpr double near = .1;  ///< tangent of the largest angle to a direction that is held

  const std::vector<Index>& contacts() const { return contacts_; }
  const std::vector<int>& slip() const { return slip_; }
  /// State::held, one a contact: where those that stick are held, and the angle of the direction in which those in
  /// space slide whose direction is held, or the slip at most `none`.
  void hold(const Vector& held, const Vector& none);
  /// Multipliers of the rows here as those of a state of a run, (g, A, psi of all contacts), and with Coulomb friction
  /// the tangential forces at (q,v): those of contacts that stick without a row of their own stay as they are.
  void write_multipliers(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                         VectorRef of_state) const;
  /// The rows here of the slip of the k-th closed contact, and their number: none where it does not stick.
  Index stuck_row(Index k) const { return stuck_[static_cast<std::size_t>(k)]; }
  Index rows_of_stuck(Index k) const {
    const auto at = static_cast<std::size_t>(k);
    return at < stuck_.size() && stuck_[at] >= 0 ? slip_rows_[static_cast<std::size_t>(contacts_[at])].count : 0;
  }
  /// Where, behind the multipliers of constraints, a state has the second tangential force of a contact in space.
  Index second_tangential(Index contact) const {
    return 2 * open_->parts().n_obstacles() +
           (slip_rows_[static_cast<std::size_t>(contact)].first - position_rows(*closed_)) / 2;
  }
  bool slides_in_space() const { return slides_in_space_; }
  /// Is a slip that should be near a direction not so at (q,v)?
  bool strays(const ConstVectorRef& q, const ConstVectorRef& v) const;
  /// The rate of a closed contact in the direction in which it slides, if that does not turn, from those of all rows of
  /// the closed system; infinity of others.
  double rate_along(Index k, const Vector& rates) const;
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
  Index n_velocity_constraints() const override { return n_velocity_constraints_; }
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
  /// values -= d(sum_i s_i mu_i psi_i dd_i/dq)/dq of the contacts that slide, in space with S^T e in place of s dd/dq
  void slide_hessian(const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef values) const;
  void find_sliding(const CoulombFriction& coulomb);
  void make_friction();

  /// A contact that slides: its place among those that are closed, which is that of its row behind g, and the rows of
  /// its slip in closed_. In space: the coordinates that these depend on, and where the values of their products are
  /// in the derivatives of R by q and v.
  struct Sliding {
    Index k, row;
    SlipRows slip;
    double mu;
    std::array<double, 2> along;             ///< the direction of the slip
    std::array<double, 2> across{}, turn{};  ///< d along = across (turn . du)
    std::array<double, 2> held{};            ///< the direction that it is near
    double none = 0, slow = 0;               ///< rates: the largest that has no direction, and s
    std::vector<Index> columns{}, by_q{}, by_v{};
    bool turns = false;  ///< its direction is that of the slip
    bool in_space() const { return slip.count == 2; }
  };
  struct Turned {
    double forward, unit, tangent;
  };
  static Turned turned_slip(const Sliding& one, double u, double w);
  /// The directions of slips in space.
  void find_directions(const ConstVectorRef& q, const ConstVectorRef& v) const;
  /// values -= mu psi S^T de/du X, e the direction, of the contacts that slide in space; X: S, or d(S v)/dq.
  void add_turning(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                   VectorRef values) const;

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
  std::vector<SlipRows> slip_rows_;
  std::vector<Index> stuck_;  // rows here of the slips of closed contacts that stick, or -1
  Index n_velocity_constraints_ = 0;
  mutable std::vector<Sliding> sliding_;
  bool slides_in_space_ = false;
  SystemTraits traits_;
  SparsityPattern pattern_;
  std::array<SparsityPattern, 3> friction_patterns_;     // by q, v, lambda
  std::array<std::vector<Index>, 3> friction_value_at_;  // of values of the model's friction; -1: of an open contact
  std::vector<Index> hessian_value_at_, slide_value_at_;
  std::vector<Index> model_multiplier_;  // of rows of closed_, in the order (g, A, psi) of the model
  mutable Vector all_, all_values_, turned_values_, all_multipliers_, model_multipliers_, friction_values_, hessian_,
      at_rest_;
};

}  // namespace gnomon
