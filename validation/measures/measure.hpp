#pragma once
/// \file
/// The measures: pure functions from a registry and a case to named numbers. `gnomon validate` prints what the tests
/// assert, because both call these.

#include <stdexcept>
#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "measures/case.hpp"

namespace gnomon::validation {

/// The numerics of a measure failed: a step did not converge, say. Becomes the quantity "run" of the case's report.
class RunFailed : public std::runtime_error {
 public:
  RunFailed(double t, const std::string& message) : std::runtime_error(message), t_(t) {}
  double t() const { return t_; }

 private:
  double t_;
};

struct Measure {
  std::string name;
  /// What the case file may (and, without '?', must) say, beside what every case says.
  std::vector<std::string> keys;
  Quantities (*function)(const Registry& registry, const Case& c);
};

const std::vector<Measure>& measures();
/// Throws Error(unknown_name).
const Measure& find_measure(const std::string& name);

/// Every promise of the scheme for this system, and the order. See promises.cpp.
Quantities measure_promises(const Registry& registry, const Case& c);
Quantities measure_invariants(const Registry& registry, const Case& c);
/// Bounds, slopes and growth of the invariants over many steps.
Quantities measure_long_run(const Registry& registry, const Case& c);
/// Order and error coefficient over a list of steps.
Quantities measure_order(const Registry& registry, const Case& c);
/// Orders of q, v, accelerations and multipliers, for schemes that carry accelerations.
Quantities measure_order_levels(const Registry& registry, const Case& c);
/// Largest errors of q, p and lambda along the trajectory over a list of steps.
Quantities measure_trajectory_error(const Registry& registry, const Case& c);
/// Symplecticity defect of the step map.
Quantities measure_symplectic(const Registry& registry, const Case& c);
/// The same in one step by the exact derivative of the step map, where the scheme offers it.
Quantities measure_symplectic_exact(const Registry& registry, const Case& c);
Quantities measure_contact_events(const Registry& registry, const Case& c);
Quantities measure_contact_order(const Registry& registry, const Case& c);
/// Events and end of a run with contacts against references that follow the same laws.
Quantities measure_contact_agreement(const Registry& registry, const Case& c);
Quantities measure_contact_random(const Registry& registry, const Case& c);
/// How deep a penalty lets the state into obstacles.
Quantities measure_penetration(const Registry& registry, const Case& c);
/// References as they are without options.
Quantities measure_default_references(const Registry& registry, const Case& c);
/// How runs end, at each of some steps or tolerances.
Quantities measure_outcome(const Registry& registry, const Case& c);
/// The energy balance under a force that ends.
Quantities measure_forced_run(const Registry& registry, const Case& c);
/// Two methods, one state.
Quantities measure_same_state(const Registry& registry, const Case& c);
/// Extrapolated scheme against references, and the references against themselves and each other.
Quantities measure_reference_agreement(const Registry& registry, const Case& c);
/// A tabulated start of a problem is the state that the references reach from another of its starts.
Quantities measure_reaches_start(const Registry& registry, const Case& c);
/// Gets to the end with the constraints bound; how far the references get.
Quantities measure_completes(const Registry& registry, const Case& c);
/// Invariants of the references over a long run at ordinary tolerances, beside the scheme's.
Quantities measure_baseline_drift(const Registry& registry, const Case& c);
/// Every registered solver reaches the same step.
Quantities measure_solvers_agree(const Registry& registry, const Case& c);
/// Every registered linear algebra solves the Newton systems of a step.
Quantities measure_algebras_agree(const Registry& registry, const Case& c);
/// Rank, names, energy and motion of a mechanism with dependent constraints.
Quantities measure_dependent_constraints(const Registry& registry, const Case& c);
/// Iterations, factorisations, Jacobians and time a step beside another solver or scheme.
Quantities measure_solver_effort(const Registry& registry, const Case& c);
/// What the fallback does on steps where the solver alone fails.
Quantities measure_fallback(const Registry& registry, const Case& c);
/// Tables of the report on HBVM with holonomic constraints, row by row; `steps` leaves out the rows with more steps.
Quantities measure_published_hbvm(const Registry& registry, const Case& c);
/// Figures of Small and Jay, symplectic Euler methods: errors at t = 1, their limit and order, against the table.
Quantities measure_published_euler(const Registry& registry, const Case& c);
/// Work booked up to the end of the run, and the order of the energy balance, over a list of steps.
Quantities measure_booked_work(const Registry& registry, const Case& c);
Quantities measure_ledger(const Registry& registry, const Case& c);
/// Condition number of the scaled Jacobian over a list of steps.
Quantities measure_condition(const Registry& registry, const Case& c);
/// Largest errors of energy, constraints and the first integrals that the problem declares over a list of steps, and
/// their order.
Quantities measure_integral_error(const Registry& registry, const Case& c);
/// Exponent with which the solution error grows in time, and the error of the multipliers.
Quantities measure_error_growth(const Registry& registry, const Case& c);
/// Order by the differences of successive refinements, for schemes whose limit no reference has.
Quantities measure_self_convergence(const Registry& registry, const Case& c);
/// Constraint violation and distance to the multiplier scheme of the same step against the penalty parameter.
Quantities measure_penalty_limit(const Registry& registry, const Case& c);
/// The same distance after one step, and that of mu D_R to the multipliers.
Quantities measure_penalty_one_step(const Registry& registry, const Case& c);
/// One step of an augmented Lagrange scheme, iteration by iteration, against the multiplier scheme.
Quantities measure_augmented_iterations(const Registry& registry, const Case& c);
/// Augmented iterations a step, mean and worst.
Quantities measure_augmented_run(const Registry& registry, const Case& c);
Quantities measure_hidden_constraints(const Registry& registry, const Case& c);
/// Condition number of a scheme's matrix without scaling, as the papers print it, against h (and mu).
Quantities measure_printed_condition(const Registry& registry, const Case& c);
/// The three sources of a scheme's Jacobian against each other.
Quantities measure_jacobian(const Registry& registry, const Case& c);
/// A run that goes on from a checkpoint against the one that was not interrupted, bit by bit.
Quantities measure_checkpoint(const Registry& registry, const Case& c);
Quantities measure_allocations(const Registry& registry, const Case& c);
/// Largest errors of the constraints at three levels, of the equation of motion and of the energy.
Quantities measure_constraint_levels(const Registry& registry, const Case& c);
/// The static beam against its table, and by two solvers.
Quantities measure_beam_static(const Registry& registry, const Case& c);
/// Static beams on three meshes against the elastica, by shooting.
Quantities measure_beam_elastica(const Registry& registry, const Case& c);
/// The tip of a beam at whole times against its table, energies and constraints.
Quantities measure_beam_tip(const Registry& registry, const Case& c);
/// A problem's derivatives against differences and against each other.
Quantities measure_derivatives(const Registry& registry, const Case& c);

}  // namespace gnomon::validation
