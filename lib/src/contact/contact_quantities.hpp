#pragma once
/// \file
/// The quantities of a state that the laws of contact evaluate. Private to the core.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/model/system.hpp"
#include "gnomon/run/monitor.hpp"
#include "gnomon/scheme/state.hpp"
#include "model/contact_precision.hpp"

namespace gnomon {

using Contacts = std::vector<Index>;

inline bool contains(const Contacts& set, Index i) {
  return std::find(set.begin(), set.end(), i) != set.end();
}
/// Where i stands in the set; its size where it is no member.
inline Index place(const Contacts& set, Index i) {
  return std::find(set.begin(), set.end(), i) - set.begin();
}
/// Whether an entry of State::slip has a side to which the contact slides.
inline bool slides(int slip) {
  return slip == 1 || slip == -1;
}

/// A direction or a rate of slip; in a plane its second component is zero.
using Slip = std::array<double, 2>;
inline double size_of(const Slip& slip) {
  return std::hypot(slip[0], slip[1]);
}
inline bool is_zero(const Slip& slip) {
  return slip[0] == 0 && slip[1] == 0;
}
/// The unit vector along it, zero for zero.
inline Slip direction_of(const Slip& slip) {
  const double size = size_of(slip);
  return size > 0 ? Slip{slip[0] / size, slip[1] / size} : Slip{};
}

/// Their numbers, for a sentence.
std::string listed(const Contacts& contacts);

/// c and its rate, one entry an obstacle.
struct ContactGaps {
  Vector c, rate;
};

/// Gap functions, slips, velocities and energies of the states of a system with obstacles. Owns the scratch memory:
/// what is returned by reference is valid until the next call.
class ContactQuantities {
 public:
  explicit ContactQuantities(std::shared_ptr<const System> system);

  const std::shared_ptr<const System>& system() const { return system_; }
  /// The system with all obstacles as constraints (g, -c, d, S v), and its own of velocities behind them; itself where
  /// it has no obstacles.
  const std::shared_ptr<const System>& closed() const { return closed_; }
  Index m() const { return m_; }
  /// Where the rows of contacts begin, behind those of g: (g, -c, d, S v, A v + b).
  Index first() const { return first_; }
  Index n_contacts() const { return n_contacts_; }
  bool coulomb() const { return coulomb_ != nullptr; }
  /// mu, one an obstacle, where there is Coulomb friction.
  const Vector& friction_coefficients() const { return coulomb_->friction_coefficients(); }
  std::string name_of(Index contact) const;
  bool is_frictional(Index contact) const { return coulomb_ && friction_coefficients()[contact] > 0; }
  Contacts with_friction(const Contacts& contacts) const;
  /// The rows of a contact's slip in closed(), and whether it slips in space.
  const SlipRows& slip_rows(Index contact) const { return slip_rows_[static_cast<std::size_t>(contact)]; }
  bool in_space(Index contact) const { return coulomb_ && slip_rows(contact).count == 2; }
  bool any_in_space() const { return coulomb_ && !coulomb_->slips_in_space().empty(); }
  /// Its components among those of all rows.
  Slip slip_of(const Vector& rows, Index contact) const {
    const SlipRows& slip = slip_rows(contact);
    return {rows[slip.first], slip.count == 2 ? rows[slip.first + 1] : 0};
  }
  /// Do forces or constraints depend on time?
  bool changes_with_time() const;

  /// q' and M(q) v
  const Vector& velocity(const Vector& q, const Vector& p) const;
  const Vector& momentum(const Vector& q, const Vector& v) const;
  double norm(const Vector& q, const Vector& v) const;       ///< (v^T M(q) v)^1/2
  double speed(const State& z) const;                        ///< that of q'
  long double energy(const State& z);                        ///< H; throws CannotEvaluate
  double energy_size() const { return energy_.size_now(); }  ///< the larger one of |T| and |U| of that

  /// The gaps at the compensated position: the flights of a Zeno sequence are lower than a double of q resolves.
  void gaps(const State& z, ContactGaps& out) const;
  Vector gap_accelerations(const State& z, const Vector& a) const {
    return -row_accelerations(z, a).segment(first_, n_contacts_);
  }
  /// Second derivatives of the rows (g, -c, d, S v) for the acceleration a.
  Vector row_accelerations(const State& z, const Vector& a) const;
  /// d at the compensated position
  Vector slips(const State& z) const;
  /// d of the contact less what it is at double; zero where the model has no d at Extended.
  double rounding_of_slip(const State& z, Index contact) const;
  /// Rates of the rows (g, -c, d, S v).
  const Vector& row_rates(double t, const Vector& q, const Vector& v) const;

 private:
  std::shared_ptr<const System> system_, closed_;
  Index m_, first_, n_contacts_;
  const CoulombFriction* coulomb_;  // null: without
  std::vector<SlipRows> slip_rows_;
  InvariantMonitor energy_;
  mutable Vector velocity_, momentum_, rows_, values_;
  mutable Matrix mass_matrix_;
  mutable VectorOf<Extended> extended_rows_;
};

}  // namespace gnomon
