#pragma once
/// \file
/// Unilateral contact: the rules of a run with obstacles c(q) >= 0, and its driver.
///
///     c_i(q) >= 0,  psi_i >= 0,  psi_i c_i = 0;   a closed contact is the constraint c_i = 0, an open one is nothing
///     detachment   where the consistent multiplier psi_i of a closed contact reaches zero ("launch")
///     landing      where the gap c_i of an open contact reaches zero
///     impact       v+ = v- + M^-1 (C^T P + G^T L),  0 <= C v+ + e C v-  _|_  P >= 0,  G v+ = 0     (C = dc/dq of all
///                  contacts that touch; Newton's law for one, Moreau's for several; no tangential impulse)
///     Zeno         a rebound slower than zeno_speed is none: the contact closes
///
/// Event-driven: events are located on the solution by root finding, the step is cut there. Time-stepping: a step is
/// taken whole, and what happened in it happens at its end: order 1. A contact that closes is up to O(h) inside then; the
/// state is moved out by the shortest way in the mass metric.
/// Source: Small, Jay, section 4 (the complementarity conditions); Moreau, Unilateral contact and dry friction in
/// finite freedom dynamics (1988), for several impacts at once.

#include <memory>

#include "gnomon/run/event_driver.hpp"

namespace gnomon {

/// Makes the driver of a system with obstacles, for IntegratorOptions::event_driver. Scheme and solver factory must
/// outlive it. Throws Error(bad_value) for a restitution outside [0, 1], Error(refused) when the scheme does not take
/// the system with its contacts closed.
GNOMON_EXPORT std::unique_ptr<EventDriver> contact_driver(std::shared_ptr<const System> system, const Scheme& scheme,
                                                          const Options& scheme_options, const SolverFactory& solver,
                                                          const Options& solver_options,
                                                          const IntegratorOptions& options);

}  // namespace gnomon
