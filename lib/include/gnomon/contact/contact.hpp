#pragma once
/// \file
/// Unilateral contact: the rules of a run with obstacles c(q) >= 0 or friction, and its driver.
///
///     c_i(q) >= 0,  psi_i >= 0,  psi_i c_i = 0;   a closed contact is the constraint c_i = 0, an open one is nothing
///     detachment   where the consistent multiplier psi_i of a closed contact reaches zero ("launch")
///     landing      where the gap c_i of an open contact reaches zero
///     impact       v+ = v- + M^-1 (C^T P + D^T T + G^T L),  0 <= C v+ + e C v-  _|_  P >= 0,  G v+ = 0     (C = dc/dq
///                  of all contacts that touch; Newton's law for one, Moreau's for several; T = 0 without
///                  CoulombFriction; e of each contact, its own by SystemTraits::restitutions, or that of the run)
///     Zeno         a rebound slower than zeno_speed is none: the contact closes. A body that rocks to rest makes two
///                  sequences, one in the other: the flights of a corner, whose speeds shrink by e, and the changes of
///                  corner, each of which loses a share of the energy. Both are geometric and end at zeno_speed: the
///                  events are as many as log^2(speed/zeno_speed) at most, and what is left out of the motion takes a
///                  time of zeno_speed/|c''|.
///
/// With CoulombFriction every closed contact sticks or slides by itself, u_i = D_i v its slip rate, D = dd/dq, or in
/// space u_i = S_i v of two components:
///
///     stick        d_i is held where it is, a constraint with the multiplier -T_i, in space S_i v = 0 with -T_i;
///                  slides ("slide") where |T_i| reaches mu_i psi_i
///     slide        T_i = -mu_i psi_i u_i/|u_i|, in a plane a smooth force of the sign of u_i;  where u_i reaches zero
///                  it sticks ("stick") or, in a plane, slides back ("slide"). In space pieces of a step end where
///                  nine tenths of u_i are gone, and the last of it ends in a direction that is held
///     impact       |T_i| <= mu_i P_i where u_i+ = 0, T_i = -mu_i P_i u_i+/|u_i+| elsewhere, of all contacts that touch
///                  at once; in space a problem of cones of the second order, of which impulses that are not unique
///                  are those that sweeps over the contacts end at. Restitution is of normal rates alone; of several
///                  contacts with friction and e > 0 the law does not promise that energy is lost, and the book shows
///                  it.
///     at an event  the complementarity problem of accelerations and forces says which contacts that touch stay closed,
///                  and which of those without slip stick; where it has no solution (Painleve's paradox) the run ends
///     dependence   of contacts that stick and hold each other some are constraints; their tangential forces are those
///                  with the least sum T_i^2/(mu_i psi_i), and where one of these is beyond its limit those with the
///                  least largest |T_i|/(mu_i psi_i): they hold as long as there are forces within all limits
///     rest         nothing moves and nothing will: no freedom is left, or no acceleration in a system that is the same
///                  at every time. It lasts until |T_i| reaches mu_i psi_i or psi_i zero, by forces that depend on
///                  time.
///
/// A friction R(q,lambda) without velocities presses contacts: which of them stick follows from the reactions that
/// follow from it. One with velocities opposes the motion of the whole system, with obstacles or without: where it
/// stops it ("rest", or "turning" where it goes on from there), the deceleration is taken as constant in the last bit.
///
/// Event-driven: events are located on the solution by root finding, the step is cut there. Time-stepping: a step is
/// taken whole, and what happened in it happens at its end: order 1. A contact that closes is up to O(h) inside then;
/// the state is moved out by the shortest way in the mass metric.
/// Source: Small, Jay, section 4 (the complementarity conditions); Moreau, Unilateral contact and dry friction in
/// finite freedom dynamics (1988), for several impacts at once; Pfeiffer, Glocker, Multibody Dynamics with Unilateral
/// Contacts (1996), for friction.

#include <memory>

#include "gnomon/run/event_driver.hpp"

namespace gnomon {

/// Makes the driver of a system with obstacles or friction, for IntegratorOptions::event_driver. Scheme and solver
/// factory must outlive it. Throws Error(bad_value) for a restitution outside [0, 1], Error(refused) when the scheme
/// does not take the system with its contacts closed.
GNOMON_EXPORT std::unique_ptr<EventDriver> contact_driver(std::shared_ptr<const System> system, const Scheme& scheme,
                                                          const Options& scheme_options, const SolverFactory& solver,
                                                          const Options& solver_options,
                                                          const IntegratorOptions& options);

}  // namespace gnomon
