#pragma once
/// \file
/// Every small number that the library decides by. Each is a pure number: its comment says first what it is a part of,
/// and then what it means. None of them has a unit. The bounds and the defaults of options stand where the options are
/// declared.

#include <array>

namespace gnomon::thresholds {

// These are far below everything that a model computes with, and keep divisors away from zero.
constexpr double no_division_by_zero = 1e-300;
constexpr double no_product_with_zero = 1e-100;  // of units whose quotients are multiplied
constexpr double never_met = 1e-300;             // a tolerance that leaves the decision to another one
constexpr double direction = 0x1p-512;           // of an acceleration: a start at rest has that direction, and no speed

// A quantity is rounding below these.
constexpr double unit_of_rounding = 1e-16;           // of a number: the rounding of a double
constexpr double unit_of_extended_rounding = 1e-19;  // of an energy: its rounding in extended precision
constexpr double spacing_of_doubles = 2.3e-16;       // of a number: the distance to the next double
constexpr double entry_rounding = 1e-15;             // of a vector of size one: entries that are zero
constexpr double term_rounding = 1e-15;              // of the terms of a sum: a sum that is zero
constexpr double residual_rounding = 1e-15;          // of the scale of a residual: what evaluation leaves of it
constexpr double projection_rounding = 1.2e-15;      // the same at the end of a projected step
constexpr double time_rounding = 1e-15;              // of a time: what is as near is the same time
constexpr double same_time = 1e-14;                  // of a time: the same for times that were added up
constexpr double start_rounding = 1e-14;             // of the coordinates of a start: it was not moved
constexpr double obstacle_rounding = 1e-11;          // of gaps and contact forces at an equilibrium: none
constexpr double energy_noise = 1e-13;               // of the energy of a minimum: a rise that the search accepts
constexpr double resolved_root = 4e-16;              // of the ends of an interval: it is not halved any more

// These judge what a run conserves, and the promises of schemes.
constexpr double invariant_rounding = 1e-14;   // of an invariant, times the root of the number of steps
constexpr double constraint_rounding = 1e-13;  // of the terms of a constraint: the promise holds
constexpr double moved_velocity = 1e-2;        // of what a relative change of q makes of G v: rounding of q counts
constexpr double momentum_of_energy = 1e-2;    // of the momentum of all energy: it is added to that of p
constexpr double constrained_limit = 1e-13;    // of constraints: a tolerance that keeps the limit
constexpr long double same_energy = 1e-9L;     // of the energies of a run: a checkpoint fits the model

// Changes by which an iteration ends. They are parts of the unknown, or of one and the unknown where that is scaled.
constexpr double change_rounding = 1e-15;          // a change that is rounding
constexpr double unshrinking_change = 1e-9;        // a change that is rounding if it is no smaller than the one before
constexpr double last_change = 1e-8;               // the last change of an iteration that is quadratic
constexpr double last_change_of_start = 1e-14;     // the same, as a part of the unknown at the start
constexpr double finer_change = 1e-14;             // a change of the finer solution that estimates errors
constexpr double small_change_of_minimum = 1e-6;   // Newton's method alone goes on to a minimum
constexpr double least_change_of_minimum = 1e-13;  // and ends there
constexpr double negligible_correction = 1e-17;    // a correction that changes no bit
constexpr double negligible_first_correction = 1e-18;  // the same where one pass alone tells the rate

// Where solvers end. The first three are the rule of all of them, ConvergenceRule. Corrections are parts of one and the
// scaled unknowns.
constexpr double step_tolerance = 1e-7;       // the largest last correction
constexpr double residual_tolerance = 1e-12;  // of the scale of the residual: it is accepted at once
constexpr double residual_acceptance = 1e-9;  // of the scale of the residual: it is accepted after stagnation
constexpr double decided_by_residual = 1e-9;  // the residual decides about smaller corrections
constexpr double negligible_step = 1e-9;      // corrections that leave nothing to take away
constexpr double unshrinking_noise = 1e-4;    // corrections that are noise unless they shrink
constexpr double noise_of_inverse = 1e-12;    // the same with an approximate inverse
constexpr double refinable = 1e-11;           // an error that one pass of refinement takes away
constexpr double error_of_inverse = 1e-4;     // of a right side: what an approximate inverse may leave of it
constexpr double split_residual = 1e-6;       // of the scale of the residual: Uzawa's iteration is accepted
constexpr double split_tolerance = 1e-14;     // of one: the least tolerance of Uzawa's iteration

// Iterative refinement. Its corrections are parts of the scales of the unknowns.
constexpr double largest_refinement = 1e-6;         // the largest first correction
constexpr double enough_refinement = 1e-12;         // corrections that are enough where they shrink no more
constexpr double wrong_solution = 1e-10;            // where corrections stay larger there is no solution
constexpr double largest_newton_correction = 1e-3;  // the largest correction of the solution itself
// The largest last correction of a solution that is accepted. It was measured: a box that rocks to rest, in steps of
// 1e-9, leaves 3e-3, in the multipliers of the velocity level, whose scale is far below those of the others then.
constexpr double largest_remainder = 1e-2;

// Continuation from the start of a step to its solution. Distances are parts of one and the scaled unknowns.
constexpr double nearly_solved = 1e-7;         // residual and correction of a solution that the solver did not accept
constexpr double same_solution = 1e-4;         // two solutions that are closer are one
constexpr double least_part_of_path = 1e-6;    // of the path: the smallest step along it
constexpr double contradicting_border = 1e-8;  // of q in the metric of M: a singular position is not passed
constexpr double border_of_step = 1e-14;       // the same, of steps that may be shorter: it is rounding

// Rank, pivots, symmetry and the residuals of linear systems.
constexpr double rank = 1e-10;                 // of the largest singular value of G M^-1/2, rows of length one: zero
constexpr double loosest_rank = 1e-3;          // the most that the same may be beside the constraints
constexpr double singular_pivot = 1e-14;       // of the largest pivot, or of the pivot before elimination: zero
constexpr double suspicious_pivot = 1e-8;      // of the largest entry of a column: its pivot is suspicious
constexpr double fallen_pivot = 1e-3;          // of the largest pivot of a run: the position may be singular
constexpr double border_rounding = 1e-9;       // of the largest entry of a column of a null space: zero
constexpr double dependent_generator = 1e-20;  // of its squared length: a generator that earlier ones make up
constexpr double asymmetry = 1e-12;            // of the entries of a mass or an inertia: it is symmetric
constexpr double eigenvalue_accuracy = 1e-10;  // of an eigenvalue: the iteration for it has ended
constexpr double accepted_linear_residual = 1e-9;    // of the terms of a linear system: its factors are right
constexpr double accepted_reused_order = 1e-10;      // the same of KLU with the pivot order of an earlier matrix
constexpr double iterative_linear_residual = 1e-12;  // of the right side: an iterative linear solver has ended
constexpr double zero_eigenvalue = 1e-14;            // of a matrix with a diagonal of one
constexpr double regularised_diagonal = 1e-9;        // of rows of length one: what makes dependent rows regular
constexpr double solved_rows = 1e-14;                // of the largest right side: such rows are solved

// Constraints and starts. The sizes of constraints are those of constraint_sizes.
constexpr double on_constraints = 1e-12;     // of their sizes: a position is on the constraints
constexpr double misfit = 1e-10;             // of their sizes: a start that is further off is refused
constexpr double misfit_of_velocity = 1e-9;  // of the largest rate: given velocities fit the constraints
constexpr double touching_gap = 1e-10;       // of the terms of a gap: it touches, and a start may be so deep
constexpr double mixed_size = 1e-2;          // of q in the metric of M: it counts in the size of a constraint
constexpr double begun_motion = 1e-2;        // of speeds that accelerations make: they count as velocities
constexpr double free_motion = 1e-8;         // of the motion without constraints: nothing is free to move
constexpr double beside = 1e-3;              // of the size of a position: how far beside it the model is looked at
constexpr double short_time = 1e-3;          // of the time in which a motion goes as far as q is from the origin

// Times within a step. They are parts of the step.
constexpr double end_of_step = 1e-9;     // what is as near to the end of a step is at its end
constexpr double no_step = 1e-15;        // nothing is left of a step
constexpr double shortest_span = 1e-13;  // a step that is cut again where a velocity turns round
constexpr double start_of_step = 1e-12;  // where the search for a sign that is left of an event ends
constexpr double reached_zero = 1e-13;   // of the time as well: a zero of a switch that is as near is reached
constexpr double back_at_once = 1e-9;    // a switch that comes back within it comes back at once

// Step sizes for a tolerance.
constexpr double first_step_of_way = 1e-3;    // of the way: the first step, where nothing else limits it
constexpr double least_step_of_first = 1e-6;  // of a first step that is given: the least step of a reference
constexpr double fast_motion = 0.02;          // of the largest speeds: motion that is not about to end
constexpr double smallest_size = 1e-3;        // of the largest components: the smallest ones are resolved to that
constexpr double least_error = 1e-10;         // of the tolerance: the least error that a step size is found from
constexpr double least_error_before = 1e-4;   // of the tolerance: the same, of the step before
constexpr double tried_tolerance = 1e-3;      // of a solution: a tolerance to find out whether a scheme takes any
constexpr double unsolved_part = 0.1;         // of the error that a step may have: what its solution may leave
constexpr double unsolved_motion = 1e-3;      // of the tolerance, of the motion of the step: the same
constexpr double tightest_reference = 1e-12;  // of a solution: the tolerance that a reference begins with
constexpr double loosest_reference = 1e-5;    // of a solution: and the one that it ends with
constexpr double reference_newton = 1e-2;     // of the tolerance of a reference: that of its Newton's method

// Switches of formulas.
constexpr double switch_rounding = 4e-15;    // of the largest value of a switch so far: zero
constexpr double switch_after_flip = 1e-10;  // the same for a switch that has just been flipped
constexpr double same_function = 1e-14;      // of the size of a function: two of them are equal
constexpr double no_jump = 1e-9;             // of the size of what may jump where a switch flips: no jump

// Contacts. The largest speeds, slip rates and forces are those of the run so far.
constexpr double gap_rounding = 1e-13;      // of the terms of a gap
constexpr double doubtful = 1e-4;           // of the terms of a gap, or of the largest force: an event was missed
constexpr double still = 1e-13;             // of the largest speed: none
constexpr double part_of_still = 1e-2;      // of the speed that is none: the speed of a start at rest
constexpr double slow = 1e-5;               // of the largest speed: a stop is extrapolated, for its cube is lost
constexpr double stopped = 1e-3;            // of the speed: what an extrapolated stop may leave
constexpr double approach = 1e-12;          // of the largest speed: what counts as moving into a contact
constexpr double rebound_rounding = 1e-8;   // of the largest speed, or of (2 E)^1/2: no rebound, unless given
constexpr double no_slip = 1e-10;           // of the largest slip rate: none
constexpr double less_friction = 1e-6;      // of a coefficient: by so much less a slip begins at its limit
constexpr double slow_slip = 1e-7;          // of the largest slip rate: the direction in which it ends is held
constexpr double no_acceleration = 1e-10;   // of the largest acceleration: none
constexpr double force_rounding = 1e-12;    // of the largest contact force: none
constexpr double limit_rounding = 1e-9;     // of the largest contact force: friction that is at its limit
constexpr double limit_passed = 1e-13;      // of the largest contact force: friction that holds no longer
constexpr double dependent_slip = 1e-10;    // of the squared gradient of a slip: others hold it already
constexpr double impulse_rounding = 1e-14;  // of the largest rate before an impact: none
constexpr double impact_gain = 1e-9;        // of the energies of a run: an impact that gains more is reported
constexpr double lemke_pivot = 1e-11;       // of a tableau of size one: no pivot
constexpr double lemke_tie = 1e-14;         // of ratios of size one: they are equal
constexpr double lemke_difference = 1e-13;  // of one and two entries: they differ
constexpr double cone_margin = 1e-15;       // of the largest contact force: how exactly it is known whether all hold
constexpr double cone_rounding = 1e-13;     // of the largest rate without contacts: friction in space is solved
constexpr double cone_misfit = 1e-9;        // the same: what sweeps alone may leave where contacts hold each other
constexpr double cone_slip = 1e-9;          // of the largest rate, and of a limit: a contact slips

// Minima of the potential.
constexpr double sufficient_decrease = 1e-4;  // of the decrease that the derivative promises: a step is accepted
constexpr double smallest_shift = 1e-6;       // of a scaled Hessian: the least shift that makes it positive
constexpr double lower_energy = 1e-10;        // of the energy: a step out of a flat place goes lower
constexpr double flat_curvature = 1e-10;      // of a scaled Hessian: its curvature is zero
constexpr double curvature_accuracy = 1e-3;   // of the lowest curvature: its bisection has ended

// Derivatives of motions.
constexpr double smooth_difference = 1e-10;  // of a derivative: by so much may formulas of order four and six differ
constexpr double same_derivative = 1e-7;     // of its terms: one found backwards is what it is forwards
constexpr double step_rounding = 1e-14;      // of a state: what a step leaves of it that is found at double alone
constexpr double event_rounding = 1e-12;     // of a state: what the location of an event leaves of it
constexpr double rough_difference = 1e-5;    // the same: more, at whatever change, is no derivative

// Schemes.
constexpr double series_of_quotient = 1e-5;     // of the middle: a shorter difference quotient is a Taylor series
constexpr double negligible_increment = 1e-22;  // of the square of what increments count against: none
constexpr double negligible_with_mass = 1e-17;  // the same where M depends on q
constexpr double harmless_energy = 1e-12;       // of the scale of a residual: a doubtful energy does not show
constexpr double small_motion = 1e-12;          // of the energies: the kinetic energy of rest
constexpr double near_rest = 1e-6;              // of the energies of a run: the rounding of forces counts
constexpr double least_reach_squared = 1e-12;   // of the square of what a step may move: less is rounding
constexpr double normal_gradient = 1e-16;       // of its square: a gradient is normal to the constraints
constexpr double flat_energy = 1e-12;           // of the slope that the energy should have: an equilibrium
constexpr double penalty_row = 1e-3;            // of the scale of a row: that of rows with a penalty, which count more
constexpr double affine = 1e-12;                // of a generator: its second difference is zero
constexpr double unchanged_rows = 1e-12;        // of the terms of G xi: a generator leaves the constraints as they are

// Difference quotients. Spacings are parts of the size of the argument.
constexpr double central_spacing = 1e-5;       // of central differences of second order
constexpr double fourth_order_spacing = 1e-4;  // of central differences of fourth order
constexpr double wide_spacing = 1e-3;          // of second and higher differences
// These spacings are tried one after the other, until one quotient agrees with the formula, or two with each other:
// forces between small parts vary over short distances, and long distances lose fewer digits.
constexpr std::array<double, 8> tried_spacings{1e-5, 1e-6, 1e-7, 1e-8, 1e-4, 1e-3, 1e-10, 1e-12};
// Parts of the spacings in time that are tried: a drive may be faster than the motion under forces.
constexpr std::array<double, 3> tried_times{1, 1e-2, 1e-4};
// And parts of those in space: lengths beside turns may be far smaller than one.
constexpr std::array<double, 4> tried_ways{1, 1e-3, 1e-6, 1e-9};
constexpr double checked_tail = 1e-9;                 // of a direction: low parts of a position that must be felt
constexpr long double checked_tail_extended = 1e-9L;  // the same in extended precision
constexpr double first_difference = 1e-7;             // of a derivative: truncation and rounding of first differences
constexpr double second_difference = 1e-6;            // of second and higher differences
constexpr double vanishing_difference = 1e-8;         // of the terms of a difference: roundings lie far below
constexpr double contradicting_derivative = 2e-5;     // of a derivative: truncation and rounding lie far below

// These belong to the checks of a model.
constexpr double same_formula = 1e-11;                 // of a value: two formulas for one thing agree
constexpr double same_overdetermined_formula = 1e-12;  // the same of an overdetermined DAE
constexpr double exact_start = 1e-12;                  // of the start: the closed form agrees with it
constexpr double symmetry = 1e-10;                     // of the terms of what a symmetry leaves as it is: zero
constexpr double whole_number = 1e-9;                  // of a value: it is a whole number
constexpr double rotation_matrix = 1e-6;               // of R^T R, beside the unit matrix
constexpr double right_angle = 1e-10;                  // of two unit vectors: their product is zero
constexpr double thin_body = 1e-9;                     // a moment that is given as the sum of the others is it
constexpr double repaired_moment = 1e-6;               // of tr J: the least second moment of a repaired inertia
constexpr double no_pull = 1e-9;                       // of a weight: a floor that pulls by less does not
constexpr double link_between_joints = 1e-9;           // of the mass of a body with several joints: links between them
constexpr double rod_moment = 1e-8;                    // of a rod without thickness about itself, beside the others
constexpr double flat_body = 1e-12;                    // of a moment of inertia: it is the sum of the others
constexpr double next_to_nothing = 1e-8;               // of the usual size of an argument: the usual size counts

}  // namespace gnomon::thresholds
