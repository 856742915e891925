#pragma once
/// \file
/// How a method of the symplectic Euler family is written down: tables of terms of an OverdeterminedSystem, each at a
/// point made of known and unknown vectors of the step (term_equations.hpp).

#include <vector>

#include "gnomon/model/overdetermined.hpp"

namespace gnomon::kernels {

/// The vectors of one step: start, end, stage Z and end of z, and two multipliers.
enum class Slot { y0, y1, z0, Z, z1, first, second };
constexpr std::size_t n_slots = 7;

inline Argument argument_of(Slot slot) {
  if (slot == Slot::y0 || slot == Slot::y1) return Argument::y;
  return slot == Slot::first || slot == Slot::second ? Argument::psi : Argument::z;
}

/// factor * h^power * term(y, z, psi)
struct Addend {
  double factor;
  int power;
  Term term;
  Slot y, z, psi;

  bool uses(Slot slot) const { return y == slot || z == slot || psi == slot; }
};

inline Addend momentum(Slot y, Slot z) {
  return {1, 0, Term::momentum, y, z, Slot::first};
}
inline Addend velocity(Slot y, Slot z) {
  return {1, 0, Term::velocity, y, z, Slot::first};
}
inline Addend force(Slot y, Slot z) {
  return {1, 0, Term::force, y, z, Slot::first};
}
inline Addend multiplier_force(Slot y, Slot z, Slot psi) {
  return {1, 0, Term::multiplier_force, y, z, psi};
}
inline Addend constraint(Slot y) {
  return {1, 0, Term::constraint, y, Slot::z0, Slot::first};
}
inline Addend hidden(Slot y, Slot z) {
  return {1, 0, Term::hidden, y, z, Slot::first};
}
/// a * h * addend
inline Addend h_times(double a, Addend addend) {
  addend.factor *= a;
  addend.power += 1;
  return addend;
}

/// A stage row is a momentum row inside the step; the momentum row of its end repeats its forces.
enum class Row { stage, momentum, position, constraint, hidden };

struct RowBlock {
  Row kind;
  std::vector<Addend> addends;
};

/// One system: what is unknown in it, and its rows.
struct TermTable {
  std::vector<Slot> unknowns;
  std::vector<RowBlock> rows;
};

/// A method as its file describes it: its systems in order, and its multiplier at the end as a combination of its two.
struct EulerTables {
  std::vector<TermTable> systems;
  double first = 0, second = 1;  ///< psi = first * psi0 + second * psi1
  bool booked_at_start = false;  ///< psi belongs to the start of the step: so does the power, see EulerStep::finish
};

}  // namespace gnomon::kernels
