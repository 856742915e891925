#pragma once
/// \file
/// Work done on a system by what is outside its Hamiltonian, term by term.

#include "gnomon/base/archive.hpp"

namespace gnomon {

/// The ledger of a run since its start, in units of energy. Each term is a sum over the steps; of a discrete-derivative
/// scheme H1 - H0 = total(), to rounding, with
///
///     force        Q.dq                      friction and other forces outside H
///     potential    D_t U                     a potential that moves in time
///     position     lambda.D_t g              constraints g(q,t) that move in time
///     velocity     gamma.D_t Psi             their velocity level Psi = G M^-1 p + dg/dt
///
/// D_t f = [f(z0,t1) - f(z0,t0) + f(z1,t1) - f(z1,t0)]/2 is an increment. Which of position and velocity a moving
/// support's work is booked under depends on the scheme: each has its own multipliers.
struct Work {
  long double force = 0, potential = 0, position = 0, velocity = 0;

  static constexpr int terms = 4;
  long double term(int i) const { return i == 0 ? force : i == 1 ? potential : i == 2 ? position : velocity; }
  static const char* name(int i) { return i == 0 ? "force" : i == 1 ? "potential" : i == 2 ? "position" : "velocity"; }

  long double total() const { return force + potential + position + velocity; }
  Work& operator+=(const Work& other) {
    force += other.force;
    potential += other.potential;
    position += other.position;
    velocity += other.velocity;
    return *this;
  }
  void serialize(Archive& archive) { archive(force, potential, position, velocity); }
};

}  // namespace gnomon
