#pragma once
/// \file
/// Impulses at contacts that touch. Private to the core.

#include <vector>

#include "contact/contact_quantities.hpp"

namespace gnomon {

/// P >= 0, w = D P + r >= 0, P w = 0 for symmetric positive semidefinite D: principal pivoting with the least index
/// (Murty, 1974), which ends for every positive definite D. Throws CannotEvaluate when it does not.
Vector solve_complementarity(const Matrix& D, const Vector& r);

/// The velocities of contacts and the impulses that change them, at one time and configuration. Constraints g that move
/// keep their rate g_t: G v = -g_t. Vectors of rates and impulses have the normals of all contacts that touch, C =
/// dc/dq, and then the slips of those with Coulomb friction, dd/dq or S.
class ContactImpulses {
 public:
  /// contacts: those that touch; rubbing: those of them with friction. Keeps a reference to the closed system.
  ContactImpulses(const ContactQuantities& quantities, double t, const Vector& q, const Contacts& contacts,
                  const Contacts& rubbing);

  /// The rows here of the slips of the j-th contact with friction.
  const SlipRows& slip(std::size_t j) const { return slips_[j]; }
  /// C_i v for all contacts, and the slip rates
  Vector rates(const Vector& p) const { return C_ * velocity(p) + drift_; }
  /// dc/dq of a contact that touches, or dd/dq of one with friction, by its row.
  Vector gradient(Index row) const { return C_.row(row).transpose(); }
  /// D: rates by impulses
  const Matrix& compliance() const { return compliance_; }
  /// Moreau's law with the restitution e_i of each contact: impulses for rates w. No friction.
  Vector impact(const Vector& w, const Vector& e) const;
  /// (C M^-1 C^T)_ii^1/2: rates by speeds in the mass norm.
  const Vector& lengths() const { return lengths_; }
  /// Impulses that take the rates w of the contacts with hold_i to zero and leave out the others.
  Vector hold(const Vector& w, const std::vector<bool>& hold) const;
  /// Change of momentum by impulses P, reactions of the constraints g included.
  Vector momentum(const Vector& P) const { return C_.transpose() * P + G_.transpose() * (reaction_ * P); }
  /// Largest of |G v + g_t| and of the rates of the contacts with held_i, as a speed in the mass norm.
  double violation(const Vector& p, const std::vector<bool>& held) const;
  /// p without those rates, scaled to the kinetic energy that it had where no constraint moves. Schemes that do not
  /// hold the hidden constraint leave rates of order h^2 that every step turns round: they are no motion, and impulses
  /// must not take them for one.
  Vector tangential(const Vector& p, const std::vector<bool>& held) const;

 private:
  Matrix over_mass(const Matrix& rows) const;  ///< M^-1 rows^T
  Vector velocity(const Vector& p) const;      ///< M^-1 p
  Matrix held_rows(const std::vector<bool>& held) const;
  /// The rates that v = 0 has, of the rows of held_rows.
  Vector moving(const std::vector<bool>& held) const;

  const System& closed_;
  const Vector q_;
  std::vector<SlipRows> slips_;
  Index bilateral_;    // rows of G_
  Matrix G_, C_;       // rows of the constraints g and A, and of dc/dq and dd/dq
  Vector rate_;        // g_t and b
  Vector drift_;       // rates of slips that v = 0 has
  Matrix reaction_;    // L = reaction_ P
  Matrix compliance_;  // D: rates by impulses
  Vector lengths_;
};

}  // namespace gnomon
