#pragma once
/// \file
/// Everything that belongs to one set of closed contacts, of which some stick and others slide. Private to the core.

#include <Eigen/Cholesky>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "contact/complementarity.hpp"
#include "contact/contact_quantities.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "model/contact_model.hpp"
#include "model/mechanical_overdetermined.hpp"

namespace gnomon {

/// The closed contacts, and with Coulomb friction how each of them slips: see State::slip.
using ContactKey = std::pair<Contacts, std::vector<int>>;

/// Where multipliers are those of a state.
struct ContactMoment {
  double t;
  const Vector &q, &v;
};

struct ContactPhase {
  std::shared_ptr<ContactModel> model;
  std::shared_ptr<MechanicalOverdetermined> dae;  // of the model, from the first solve_index1 on
  std::unique_ptr<Index1> index1;                 // null: constraints repeat others, or are of velocities
  Vector a, psi;                                  // accelerations and multipliers, as last solved for
  /// Forces of the closed contacts, normal and tangential, of which the second components in space follow the first
  /// ones: the multipliers alone do not say them where contacts stick whose slip is fixed by others already.
  Vector normal, tangential;
  Slip tangential_force(Index k) const { return {tangential[k], tangential[normal.size() + k]}; }

  /// Has friction that opposes the motion of the whole system?
  bool frictional() const { return model->opposes_motion(); }
  ContactKey key() const { return {model->contacts(), model->slip()}; }
  void solve_index1(double t, const Vector& q, const Vector& v);
  /// Where constraints repeat others: of the multipliers with the force of psi the ones of least norm among those that
  /// do not pull at a contact, if there are any.
  void push(double t, const Vector& q, Vector& psi) const;
  /// The contacts that stick are held where the state says, and share their forces from there.
  /// none: their slip rates that are none.
  void hold(const ContactQuantities& quantities, const State& z, const Vector& none);
  /// normal, and tangential of the contacts that stick, from psi: the sum of T_i^2/(mu_i psi_i) as small as the motion
  /// allows; where a limit is passed by these, the largest |T_i|/(mu_i psi_i) as small as it allows, which is one where
  /// the contacts just hold together. largest_psi: of the run so far.
  void share_forces(const ContactQuantities& quantities, double largest_psi, const ContactMoment& at) {
    share(quantities, largest_psi, at, psi, normal, tangential);
  }
  /// Multipliers `inner` of the phase, (g, psi of the closed contacts, those that stick, A), as those of a state: (g,
  /// A, psi of all contacts), and with Coulomb friction their tangential forces, shared as by share_forces.
  void spread(const ContactQuantities& quantities, double largest_psi, const ContactMoment& at,
              const ConstVectorRef& inner, Vector& all) const;
  /// The margins, at least zero as long as the phase lasts, after its accelerations and multipliers were solved for at
  /// (t, q, v): one entry a closed contact, psi; with Coulomb friction then mu psi - |T| of those that stick, and after
  /// these the slip rate of those that slide in a direction that does not turn, in this direction. Infinity where there
  /// is no such thing.
  void margins(const ContactQuantities& quantities, double largest_psi, double t, const Vector& q, const Vector& v,
               Vector& out);

 private:
  friend class ContactPhases;
  Index first_contact_ = 0;  ///< row of the first closed contact
  /// Columns are forces of the closed contacts, normal and tangential, that together do nothing.
  Matrix shared_, gradients_;  ///< gradients: of the slips of the contacts that share, one a column
  mutable Matrix share_matrix_;
  mutable Vector share_right_, share_, spread_normal_, spread_tangential_;
  mutable Eigen::LDLT<Matrix> share_solver_;
  Contacts held_contacts_;  ///< in space, of those that do not slide, the places among those that are closed

  void share(const ContactQuantities& quantities, double largest_psi, const ContactMoment& at,
             const ConstVectorRef& inner, Vector& N, Vector& T) const;
  /// N and T of multipliers of the phase, and share_ for these.
  void share_linearly(const ContactQuantities& quantities, double largest_psi, Vector& N, Vector& T) const;
  void take(const ConstVectorRef& inner, Index first, Vector& N, Vector& T) const;
  void find_shares_in_space(const ContactQuantities& quantities, const State& z);
  /// Forces within all limits that do the same as these, or as little beyond them as possible.
  void share_in_cones(const ContactQuantities& quantities, Vector& N, Vector& T) const;
  /// Does the contact stick without a row of its own?
  bool is_loose(const ContactQuantities& quantities, std::size_t k) const {
    return model->slip()[k] == State::loose && quantities.is_frictional(model->contacts()[k]);
  }
  /// The largest part of its limit that a contact which sticks takes with the shares c.
  double largest_part(const ContactQuantities& quantities, double least, const Vector& N, const Vector& T,
                      const Vector& c) const;
  void share_evenly(const ContactQuantities& quantities, double least, double above, const Vector& N,
                    const Vector& T) const;
  /// The shares c with |T_k + t_k.c| <= part mu_k (N_k + n_k.c) of all contacts that stick, and no normal force below
  /// zero, of the least |c|.
  std::optional<Vector> shares_within(const ContactQuantities& quantities, const Vector& N, const Vector& T,
                                      double part) const;
};

/// The phases that a run has visited or tried.
class ContactPhases {
 public:
  explicit ContactPhases(const ContactQuantities& quantities) : quantities_(quantities) {}

  ContactPhase& at(const ContactKey& key);
  /// All contacts closed, and all that have friction sliding, or sticking.
  ContactPhase& everything(bool sliding = true);
  bool is_key(const ContactKey& key) const;

 private:
  const ContactQuantities& quantities_;
  std::map<ContactKey, ContactPhase> phases_;
};

}  // namespace gnomon
