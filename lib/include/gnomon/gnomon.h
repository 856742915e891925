/** \file
 *  Gnomon from C, in the manner of SUNDIALS: energy-conserving integration of a constrained mechanical system
 *
 *      q' = M^-1 p      p' = -grad U(q) - G(q)^T lambda      0 = g(q),   G = dg/dq  (m x n)
 *
 *  with steps of a size that the user chooses, or of a tolerance, and perhaps with forces, friction and obstacles c(q) >= 0.
 *  The state is the N_Vector y = (q, p) of length 2n: serial, or any other vector that gives access to its array
 * (N_VGetArrayPointer).
 *
 *      void* mem = GnomonCreate(sunctx);
 *      GnomonSetMassDiagonal(mem, mass);              GnomonSetPotentialFn(mem, U);
 *      GnomonSetGradientFn(mem, grad_U);              GnomonSetConstraintFn(mem, m, g);
 *      GnomonSetConstraintJacFn(mem, G, NULL);        GnomonSetDegrees(mem, 1, 2);
 *      GnomonSetStep(mem, 1e-3);                      GnomonInit(mem, t0, y0);
 *      flag = GnomonEvolve(mem, tout, y, &t, GNOMON_NORMAL);
 *      GnomonFree(&mem);
 *
 *  Every function but the creator, GnomonFree and the names returns a flag of flags.h: 0 success, > 0 why it returned,
 *  < 0 an error, after which GnomonGetLastMessage has one full sentence and the state is as it was before; stderr gets it
 *  too, or from SUNDIALS 7.0 on the error handlers of the SUNContext.
 *  No C++ exception leaves these functions. One mem is for one thread at a time; two of them, with contexts of their
 *  own, are independent. A callback may not call a function with the mem that called it, GnomonGetLastMessage excepted:
 *  it gets GNOMON_REFUSED, and GnomonFree does nothing.
 *
 *  The state that the run goes on with is the integrator's own, which carries more digits than y: what is written into
 *  y afterwards does not change the run. GnomonReInit does.
 */
#ifndef GNOMON_GNOMON_H
#define GNOMON_GNOMON_H

#include <stdio.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sundials/sundials_nvector.h>
#include <sundials/sundials_types.h>

#include "gnomon/abi.h"
#include "gnomon/flags.h"

/** SUNStepper came with SUNDIALS 7.2. */
#define GNOMON_HAS_SUNSTEPPER \
  (SUNDIALS_VERSION_MAJOR > 7 || (SUNDIALS_VERSION_MAJOR == 7 && SUNDIALS_VERSION_MINOR >= 2))
#if GNOMON_HAS_SUNSTEPPER
#include <sundials/sundials_stepper.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif
GNOMON_EXPORT_BEGIN

/** itask of GnomonEvolve. */
enum { GNOMON_NORMAL = 1, GNOMON_ONE_STEP = 2 };

/** Arguments of a force or of friction. */
enum { GNOMON_BY_Q = 0, GNOMON_BY_V = 1, GNOMON_BY_LAMBDA = 2 };

/** Kinds of events: a contact closes, by an impact where it was approached; it is hit and opens again; it opens because
 *  its multiplier reached zero; the velocity passes through zero under friction; it stays there; a contact sticks, and
 *  slides; a branch of the model's functions changes. */
enum {
  GNOMON_LANDING = 0,
  GNOMON_IMPACT = 1,
  GNOMON_LAUNCH = 2,
  GNOMON_TURNING = 3,
  GNOMON_REST = 4,
  GNOMON_STICK = 5,
  GNOMON_SLIDE = 6,
  GNOMON_SWITCHED = 7
};

/** \name Callbacks
 *  q, grad, g and lambda are serial vectors of length n, n, m and m that belong to the caller. They return 0, > 0 for
 *  "cannot be evaluated here" (the step is refused), < 0 for a failure after which they are not called again. t is the
 * time of the evaluation. Whether U, g or Q depends on it is found at GnomonInit, by trying a few times at the start and
 * beside it; GnomonSetTimeDependent declares it. Derivatives by t come from differences.
 */
/**@{*/
/** U(t,q) */
typedef int (*GnomonPotentialFn)(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data);
/** grad U(t,q) */
typedef int (*GnomonGradientFn)(sunrealtype t, N_Vector q, N_Vector grad, void* user_data);
/** g(t,q) */
typedef int (*GnomonConstraintFn)(sunrealtype t, N_Vector q, N_Vector g, void* user_data);
/** G(t,q), m x n, zero where it is not written */
typedef int (*GnomonJacobianFn)(sunrealtype t, N_Vector q, SUNMatrix G, void* user_data);
/** H = Hess U + sum_i lambda_i Hess g_i at (t,q), n x n, zero where it is not written */
typedef int (*GnomonHessianFn)(sunrealtype t, N_Vector q, N_Vector lambda, SUNMatrix H, void* user_data);
/** Constraints of velocities psi = A(t,q) v + b(t,q), linear in v, of length count of GnomonSetVelocityConstraintFn */
typedef int (*GnomonVelocityConstraintFn)(sunrealtype t, N_Vector q, N_Vector v, N_Vector psi, void* user_data);
/** Force outside the potential, Q(t,q,v) of length n, v = M^-1 p. One that depends on t is refused by the schemes that
 *  take friction, and for systems with obstacles or friction. */
typedef int (*GnomonForceFn)(sunrealtype t, N_Vector q, N_Vector v, N_Vector Q, void* user_data);
/** Switching functions s(t,q,v), of length count of GnomonSetSwitchFn */
typedef int (*GnomonSwitchFn)(sunrealtype t, N_Vector q, N_Vector v, N_Vector s, void* user_data);
/** dQ/dq or dQ/dv at (t,q,v), n x n, zero where it is not written */
typedef int (*GnomonForceJacFn)(sunrealtype t, N_Vector q, N_Vector v, SUNMatrix dQ, void* user_data);
/** Friction R(q,v,lambda) of length n; lambda has the multipliers of the constraints, those of velocities behind, then one for each obstacle,
 *  zero where that is open. Where v = 0 its direction need not be defined. */
typedef int (*GnomonFrictionFn)(N_Vector q, N_Vector v, N_Vector lambda, N_Vector R, void* user_data);
/** dR/dq, dR/dv (n x n) or dR/dlambda (n x (m + obstacles)), zero where it is not written */
typedef int (*GnomonFrictionJacFn)(N_Vector q, N_Vector v, N_Vector lambda, SUNMatrix dR, void* user_data);
/** xi(q) of length n: U and g do not change along q' = xi(q), so that p . xi(q) is conserved */
typedef int (*GnomonSymmetryFn)(N_Vector q, N_Vector xi, void* user_data);
/** I(t,q,p), which the motion conserves */
typedef int (*GnomonIntegralFn)(sunrealtype t, N_Vector q, N_Vector p, sunrealtype* I, void* user_data);
/** Functions of the solution y = (q,p) whose zeros are looked for; the same as CVRootFn. */
typedef int (*GnomonRootFn)(sunrealtype t, N_Vector y, sunrealtype* gout, void* user_data);
/** A nonlinear solver for vectors like `like`, serial ones of the size of a step's unknowns: every system of a step
 *  gets its own. The result is freed by Gnomon; NULL where there is none. */
typedef SUNNonlinearSolver (*GnomonNonlinearSolverFn)(N_Vector like, SUNContext sunctx, void* user_data);
/** A matrix with the linear solver for it, for vectors like `like`: dense, banded or sparse with room for nnz entries.
 *  Every system of a step gets its own. Both are freed by Gnomon. */
typedef int (*GnomonLinearSolverFn)(N_Vector like, sunindextype nnz, SUNMatrix* A, SUNLinearSolver* LS,
                                    SUNContext sunctx, void* user_data);
/**@}*/

/** \name Memory */
/**@{*/
/** NULL for a NULL context or when memory ran out. */
void* GnomonCreate(SUNContext sunctx);
/** Sets *mem to NULL. */
void GnomonFree(void** mem);
/** One sentence about the last call that returned a flag < 0, "" when there was none. Valid until the next call. */
const char* GnomonGetLastMessage(void* mem);
/** Where every such sentence is written to, too, with "[GNOMON ERROR]" before it; NULL: nowhere. If not set: stderr where
 *  SUNDIALS is older than 7.0, whose contexts have no error handlers, else nowhere. */
int GnomonSetErrFile(void* mem, FILE* errfp);
/** "GNOMON_SUCCESS" and so on; static, not to be freed. */
const char* GnomonGetReturnFlagName(int flag);
/** A shared module with schemes, solvers or problems; they can be named from then on. GNOMON_BAD_PLUGIN with the
 *  reason where it is refused. */
int GnomonLoadPlugin(void* mem, const char* path);
/**@}*/

/** \name The system
 *  What is set once the run has started holds from the next GnomonReInit on.
 */
/**@{*/
/** Constant mass, by its diagonal (length n) or as a dense or sparse matrix; symmetric positive definite. Copied. */
int GnomonSetMassDiagonal(void* mem, N_Vector mass);
int GnomonSetMassMatrix(void* mem, SUNMatrix mass);
/** Required. */
int GnomonSetPotentialFn(void* mem, GnomonPotentialFn U);
/** Without it grad U comes from differences of U: 2n or 4n evaluations each time. */
int GnomonSetGradientFn(void* mem, GnomonGradientFn grad);
/** m constraints. */
int GnomonSetConstraintFn(void* mem, sunindextype m, GnomonConstraintFn g);
/** G into a matrix like `pattern`, m x n, dense or sparse (CSR_MAT or CSC_MAT) with index arrays that stay as they are;
 *  NULL: dense. G == NULL keeps to the pattern and takes the values from differences of g. */
int GnomonSetConstraintJacFn(void* mem, GnomonJacobianFn G, SUNMatrix pattern);
/** `count` constraints of velocities, psi = 0, that no g says: blades, rolling; count = 0: none. Their force is -A^T mu,
 *  their multipliers come behind those of g. A and its derivatives are dense and come from differences. For
 *  energy-momentum-ggl, line-integral-ggl, projected-rk and composition: other schemes say that they do not take them. */
int GnomonSetVelocityConstraintFn(void* mem, sunindextype count, GnomonVelocityConstraintFn psi);
/** The same for H; where it is not set, H is dense and comes from differences of grad U and G. */
int GnomonSetHessianFn(void* mem, GnomonHessianFn H, SUNMatrix pattern);
/** Degrees of U and g as polynomials in q, -1: not a polynomial. Schemes promise more for polynomials, and differences
 *  of polynomials of degree <= 4 are exact but for rounding: then missing derivatives cost time, not digits. Double
 *  spherical pendulum, H = -95, 1e4 steps: the energy is off by at most 1.4e-13 with the derivatives given, 1.7e-13
 * with differences of declared polynomials, 4e-12 with differences alone. */
int GnomonSetDegrees(void* mem, int potential, int constraints);
/** Not 0: U or g depends on t. 0, the default: only where that is found at GnomonInit. What works on such a system is
 *  booked (GnomonGetWorkTerms). Which schemes take it: gnomon list --matrix; one that does not says so. */
int GnomonSetTimeDependent(void* mem, int depends);
int GnomonSetUserData(void* mem, void* user_data);
/** Q, whose work is booked (GnomonGetWork); NULL: none. Which schemes take it: gnomon list --matrix; one that does not
 *  (constrained-midpoint) says so. */
int GnomonSetForceFn(void* mem, GnomonForceFn Q);
/** Its derivative by = GNOMON_BY_Q or GNOMON_BY_V, with a pattern as for G; where it is not set, from differences. */
int GnomonSetForceJacFn(void* mem, int by, GnomonForceJacFn dQ, SUNMatrix pattern);
/** `count` functions at whose zeros other callbacks change their formulas, which those do by the sign of s: steps end
 *  there, located to rounding, where the scheme takes variable steps. count = 0: none. */
int GnomonSetSwitchFn(void* mem, sunindextype count, GnomonSwitchFn s);
/** R; NULL: none. For energy-momentum-ggl, line-integral-ggl, symplectic-euler-natural and its relatives: other schemes
 *  say that they do not take it. */
int GnomonSetFrictionFn(void* mem, GnomonFrictionFn R);
/** Its derivative by = GNOMON_BY_Q, GNOMON_BY_V or GNOMON_BY_LAMBDA, likewise. */
int GnomonSetFrictionJacFn(void* mem, int by, GnomonFrictionJacFn dR, SUNMatrix pattern);
/** Obstacles c(q) >= 0, `count` of them, whose contact force is C^T psi with psi >= 0; count = 0: none. What happens at
 *  a contact is GnomonSetContact's matter. */
int GnomonSetObstacleFn(void* mem, sunindextype count, GnomonConstraintFn c);
/** C = dc/dq, count x n, as for G. */
int GnomonSetObstacleJacFn(void* mem, GnomonJacobianFn C, SUNMatrix pattern);
/** sum_i psi_i Hess c_i, n x n, in the place of `lambda` psi; where it is not set, from differences of C. */
int GnomonSetObstacleHessFn(void* mem, GnomonHessianFn H, SUNMatrix pattern);
/** Degree of c as for GnomonSetDegrees; -1 if not set. */
int GnomonSetObstacleDegree(void* mem, int degree);
/** One more symmetry; many schemes promise to conserve its momentum map p . xi(q). NULL, NULL: none from here on. */
int GnomonAddSymmetry(void* mem, const char* name, GnomonSymmetryFn xi);
/** One more first integral, whose error measures the solution. NULL, NULL: none from here on. */
int GnomonAddIntegral(void* mem, const char* name, GnomonIntegralFn I);
/** A problem that Gnomon knows by name, in place of all of the above, with "name=value name=value" (NULL: none). */
int GnomonSetProblem(void* mem, const char* name, const char* parameters);
/** The problem of a model file, NAME.toml: formulas in a text, see README.md. What is wrong in it is said with line and
 *  column by GnomonGetLastMessage. Init may take NULL for y0, the file's start. */
int GnomonSetModelFile(void* mem, const char* file);
/** The same from the text itself. */
int GnomonSetModelText(void* mem, const char* toml);
/** A parameter of the problem, or of the model file, by its name, before GnomonInit. */
int GnomonSetParameter(void* mem, const char* name, sunrealtype value);
/**@}*/

/** \name The method
 *  Options are "name=value name=value", NULL for none; `gnomon list` and `gnomon describe` tell names and options.
 *  What is set once the run has started holds from the next GnomonReInit on.
 */
/**@{*/
/** If not set it is chosen when the run starts, and GnomonGetScheme names it: for steps of one size "energy-momentum" or,
 *  where that refuses the system, "energy-momentum-ggl"; with tolerances by a table of classes of models and reltol, which
 *  sets the order of a scheme that is named without options, too. */
int GnomonSetScheme(void* mem, const char* name, const char* options);
/** "kinsol-newton" if not set */
int GnomonSetSolver(void* mem, const char* name, const char* options);
/** A nonlinear solver of your own, with the options of "sun-newton" or "sun-fixed-point" by its type. */
int GnomonSetNonlinearSolverFn(void* mem, GnomonNonlinearSolverFn create, const char* options);
/** A linear solver of your own with the matrix it was made for, for a scheme that solves one system a step; both stay
 *  yours and must outlive the run. They are used by every solver that factorises. NULL, NULL: none. */
int GnomonSetLinearSolver(void* mem, SUNLinearSolver LS, SUNMatrix A);
/** The same for any scheme, made by a function. NULL: none. */
int GnomonSetLinearSolverFn(void* mem, GnomonLinearSolverFn create);
/** "analytic" (from the derivatives above), "dual" or "differences" */
int GnomonSetJacobianSource(void* mem, const char* source);
/** A solver that a step is tried with once more where the first one fails; NULL, the default: none. */
int GnomonSetFallback(void* mem, const char* solver);
/** A refused step is cut into up to 2^levels substeps; 0, the default: it ends the run. */
int GnomonSetMaxHalvings(void* mem, int levels);
/** Contacts of systems with obstacles: "mode=event-driven restitution=0.5", or mode=time-stepping. An obstacle to which
 *  the model gives a restitution keeps its own. */
int GnomonSetContact(void* mem, const char* options);
/** Does nothing any more: constraints that repeat others are no error, and the multipliers are those of least norm. */
int GnomonSetDependentConstraints(void* mem, int allowed);
/** h > 0; may change between calls of GnomonEvolve. Required, unless there are tolerances, whose place it takes before a
 *  run. */
int GnomonSetStep(void* mem, sunrealtype h);
/**@}*/

/** \name Steps of a tolerance
 *  In place of GnomonSetStep, with a scheme that takes steps of varying size and estimates its error: one is chosen if
 *  none is set. The error e of a step in q and in v = M^-1 p is estimated, and a step is accepted where the root mean
 *  square of e_i / (s (abstol_i + reltol |x_i|)) is at most 1. s = f (f reltol)^(1/p), p the order of the scheme, f = 1/5
 *  for order 2 and 1/2 above, makes the error at a fixed time proportional to reltol. What is set holds at once, before
 *  and between steps.
 */
/**@{*/
/** reltol above zero; abstol in the units of q and of v, or 0: from the sizes of the motion. Takes the place of a step
 *  that was set, before a run. */
int GnomonSStolerances(void* mem, sunrealtype reltol, sunrealtype abstol);
/** abstol: of length 2n, n of them for q and n for v. */
int GnomonSVtolerances(void* mem, sunrealtype reltol, N_Vector abstol);
/** The step that a run begins with; 0, the default: found from the start. */
int GnomonSetInitStep(void* mem, sunrealtype hin);
/** A step that would have to be smaller fails, with GNOMON_STEP_TOO_SMALL; 0, the default: only one below the rounding of
 *  t. Steps that arrive at tout or at the stop time may be smaller. */
int GnomonSetMinStep(void* mem, sunrealtype hmin);
/** 0, the default: none. */
int GnomonSetMaxStep(void* mem, sunrealtype hmax);
/** Steps in one call of GnomonEvolve, which returns GNOMON_TOO_MUCH_WORK beyond them; 0, the default: no limit. */
int GnomonSetMaxNumSteps(void* mem, long int mxsteps);
/**@}*/

/** \name The run */
/**@{*/
/** y0 = (q0, p0), of length 2n; NULL takes the start of GnomonSetProblem, t0 too. Refuses what was set where it does not
 *  fit together: sizes, missing functions, a scheme that was named and does not take the system. Step, tolerances, scheme
 *  and solvers may come after it, as with IDA: what is set between here and the first GnomonEvolve still holds for the
 *  run. Whether the start satisfies the constraints is found at the first GnomonEvolve, or by GnomonCalcIC. */
int GnomonInit(void* mem, sunrealtype t0, N_Vector y0);
/** Starts again from here, with what was set meanwhile; statistics begin anew. */
int GnomonReInit(void* mem, sunrealtype t0, N_Vector y0);
/** Moves the start onto g = 0 and G v + g_t = 0 in the mass metric. Before the first step. */
int GnomonCalcIC(void* mem);
/** Is the system what the callbacks and calls above say? Every function against differences and against the others, near
 *  the start, declared degrees too: the table that `gnomon check` prints, to `outfile` (NULL: none), and the number of
 *  its lines that failed (NULL: not wanted). The first step makes the cheap part of it by itself and refuses a
 *  contradiction with GNOMON_BAD_VALUE. After GnomonInit; callbacks are called beside the start. */
int GnomonCheckModel(void* mem, FILE* outfile, int* nfailed);
/** A minimum of U on g = 0 and c >= 0, found from the start of GnomonInit by descent and proved by the second
 *  derivatives: q of length n, lambda (NULL: not wanted) of m entries and one an obstacle, whose force is
 *  +lambda_i grad c_i.
 *  GNOMON_NOT_CONVERGED where none is proved: q is then where the search ended, and the message says what is there.
 *  Refuses forces outside U and friction. The run and its start stay what they are. */
int GnomonFindEquilibrium(void* mem, N_Vector q, N_Vector lambda);
/** The start, and its multipliers (NULL: not wanted). Before the first step. */
int GnomonGetConsistentIC(void* mem, N_Vector y0, N_Vector lambda);
/** Steps from the present time, forward or back.
 *
 *  GNOMON_NORMAL goes on to tout; the last step is shortened to arrive there, unless tout is within 1e-9 h of the grid:
 *  y is then a state of the scheme, with its energy. GNOMON_ONE_STEP returns after one step of h, or of the tolerance. Every
 *  tout of GNOMON_NORMAL ends a step: for output that is closer than steps take GNOMON_ONE_STEP and GnomonGetDky.
 *
 *  Returns GNOMON_SUCCESS, GNOMON_TSTOP_RETURN at the stop time, GNOMON_ROOT_RETURN at a root,
 *  or an error: then y and *tret are where the run is, the last good step. GNOMON_PROMISE_WARN takes the place of
 *  GNOMON_SUCCESS once for each promise that was seen broken since: the call did what it was asked for, and
 *  GnomonGetBrokenPromises says which.
 */
int GnomonEvolve(void* mem, sunrealtype tout, N_Vector yout, sunrealtype* tret, int itask);
/** No step goes beyond tstop, the one that would is shortened. Removed once it was reached. */
int GnomonSetStopTime(void* mem, sunrealtype tstop);
int GnomonClearStopTime(void* mem);
/** The k-th derivative (0, 1, 2) of y at t, inside the last step, which goes on undisturbed. k = 0: a step of the scheme
 *  from the start of the last one to t, as accurate as the run, with its energy and constraints; it costs a step. k = 1, 2:
 *  by the polynomial of degree 5 through the ends of the step, y' to O(h^5) in q and O(h^4) in p; GNOMON_REFUSED where a
 *  contact event is in the step. (A linear solver of GnomonSetLinearSolver cannot serve a second integrator: k = 0 is the
 *  polynomial's then, too, to O(h^6) and O(h^5), and energy and constraints to that only.) */
int GnomonGetDky(void* mem, sunrealtype t, int k, N_Vector dky);
/** nrtfn functions, 0 for none. A change of sign within a step is located with states as those of GnomonGetDky;
 *  GnomonEvolve then returns just behind it, and the run goes on undisturbed. In a step with a contact event it is not
 *  located: GnomonEvolve then returns at the end of the step. */
int GnomonRootInit(void* mem, int nrtfn, GnomonRootFn g);
/** +1 for the functions that rose through zero at the last root, -1 for those that fell, 0 for the others. */
int GnomonGetRootInfo(void* mem, int* rootsfound);
/**@}*/

/** \name Sensitivities
 *  Derivatives of the discrete motion: of the steps as they are taken, their sizes held. What the scheme conserves, they
 *  conserve too. The names are those of CVODES, and so is the meaning, but for that. Before the first step; for
 *  mechanical systems without obstacles. GnomonEvolve returns GNOMON_EVALUATION_FAILED where a step has no derivative.
 */
/**@{*/
/** dy/dp_i of Ns parameters; 0: none. yS0[i] = dy0/dp_i, NULL: zero: projected onto the constraints in the mass metric. */
int GnomonSensInit(void* mem, int Ns, N_Vector* yS0);
/** The parameters that callbacks read: p[plist[i]], NULL: p[i]. pbar[i] is a large change of it, NULL: its own size, or 1.
 *  They are changed while callbacks are called beside the run, and are what they were whenever a call returns. Without
 *  this function sensitivities are those of the start alone. */
int GnomonSetSensParams(void* mem, sunrealtype* p, sunrealtype* pbar, int* plist);
/** In place of both for GnomonSetProblem and model files: "k,start.x,start.der(x)", parameters and entries of the start,
 *  in the order of their i. */
int GnomonSetSensNames(void* mem, const char* names);
/** yS[i] = dy/dp_i, y = (q, p), at the time that GnomonEvolve returned last, which is *tret (NULL: not wanted). */
int GnomonGetSens(void* mem, sunrealtype* tret, N_Vector* yS);
/**@}*/

/** \name Checkpoints */
/**@{*/
/** The complete state; a run that goes on from it is the same to the last bit. The file appears whole or not at all. */
int GnomonSaveCheckpoint(void* mem, const char* file);
/** Goes on from a file that a mem with the same system, method and options wrote; after GnomonInit with the same start,
 *  which is given up. GNOMON_BAD_FILE with the reason. */
int GnomonLoadCheckpoint(void* mem, const char* file);
/**@}*/

/** \name What it did */
/**@{*/
int GnomonGetSizes(void* mem, sunindextype* n, sunindextype* m);
/** The place in q of a coordinate by its name, "x", or "x[2]" of an array x: a coordinate of a model file, or an entry of
 *  a named block of a problem. */
int GnomonGetCoordinateIndex(void* mem, const char* name, sunindextype* index);
/** Outputs of a problem or model file: how many values, and the name of value `which` (from 0), which is valid until the
 *  next call that gives a text. */
int GnomonGetNumOutputs(void* mem, long int* noutputs);
int GnomonGetOutputName(void* mem, long int which, const char** name);
/** The value of an output in the state that GnomonEvolve returned last, NaN where it has none; GNOMON_UNKNOWN_NAME for a
 *  name of none. The multipliers in it are those of GnomonGetIndex1Multipliers. */
int GnomonGetOutput(void* mem, const char* name, sunrealtype* value);
/** Where the run is: y and t of the last step, which is beyond those of GnomonEvolve after a root. */
int GnomonGetState(void* mem, sunrealtype* t, N_Vector y);
/** Multipliers of the last step, length m (and one for each obstacle). */
int GnomonGetMultipliers(void* mem, N_Vector lambda);
/** Those that belong to the state that GnomonEvolve returned last by itself (the constraints differentiated twice hold
 *  there), at a root too, as accurate as q and p whatever the scheme; those of the step may belong to its middle. The
 *  same length. */
int GnomonGetIndex1Multipliers(void* mem, N_Vector lambda);
/** H (and what the scheme conserves together with it) now. */
int GnomonGetEnergy(void* mem, sunrealtype* energy);
/** H - H(t0) after the last step, and the largest |H - H(t0)| of the run. */
int GnomonGetEnergyError(void* mem, sunrealtype* last, sunrealtype* largest);
/** Largest |g_i| and |(G v + g_t)_i| of the run. */
int GnomonGetConstraintNorms(void* mem, sunrealtype* position, sunrealtype* velocity);
/** p . xi(q) of symmetry `which` (from 0) now, and its largest error in the run. */
int GnomonGetMomentumMap(void* mem, int which, sunrealtype* value, sunrealtype* largest_error);
/** The same for a first integral. */
int GnomonGetIntegral(void* mem, int which, sunrealtype* value, sunrealtype* largest_error);
/** Work done on the system since the start by what is outside H: the sum of GnomonGetWorkTerms. */
int GnomonGetWork(void* mem, sunrealtype* work);
/** The same term by term: of force and friction; of a potential that moves in time, D_t U; of constraints that do,
 *  lambda . D_t g; and of their velocity level, gamma . D_t Psi. A place that is NULL is left out. */
int GnomonGetWorkTerms(void* mem, sunrealtype* force, sunrealtype* potential, sunrealtype* position,
                       sunrealtype* velocity);
/** Events of a system with obstacles or friction, and switches that steps ended at. */
int GnomonGetNumEvents(void* mem, long int* nevents);
/** Event `which` (from 0): when, of which kind (GNOMON_LANDING and so on), at which obstacle (-1 for GNOMON_TURNING and
 *  GNOMON_REST; the switch of GNOMON_SWITCHED), and what the impulse of this contact did to the energy. */
int GnomonGetEvent(void* mem, long int which, sunrealtype* t, int* kind, sunindextype* obstacle,
                   sunrealtype* energy_change);
/** Energy that impacts took since the start. */
int GnomonGetImpactLoss(void* mem, sunrealtype* loss);
/** Rank of G at the start, and a vector of length m (NULL: not wanted) with 1 for the constraints that repeat others, 0
 *  for the rest. */
int GnomonGetDependentConstraints(void* mem, sunindextype* rank, N_Vector dependent);
int GnomonGetNumSteps(void* mem, long int* nsteps);
int GnomonGetNumNonlinSolvIters(void* mem, long int* nniters);
/** Size of the last step, with its sign; 0 before the first. */
int GnomonGetLastStep(void* mem, sunrealtype* hlast);
/** Size that the next step is tried with. */
int GnomonGetCurrentStep(void* mem, sunrealtype* hcur);
/** Steps of a tolerance that were tried again because their error was too large. */
int GnomonGetNumErrTestFails(void* mem, long int* netfails);
/** The estimated error of the last step in q and v, length 2n. Needs tolerances. */
int GnomonGetEstLocalErrors(void* mem, N_Vector ele);
int GnomonGetNumResEvals(void* mem, long int* nrevals);
int GnomonGetNumJacEvals(void* mem, long int* njevals);
int GnomonGetNumLinSolvSetups(void* mem, long int* nlinsetups);
/** Steps that were cut into substeps, or tried again with a fourth of the size where there are tolerances. */
int GnomonGetNumRefusedSteps(void* mem, long int* nrefused);
/** Solves that only the fallback finished. */
int GnomonGetNumFallbackSolves(void* mem, long int* nfallbacks);
/** The scheme with the options that were given or chosen, "projected-rk stages=4 projection=pve". Valid until the next
 *  call. */
int GnomonGetScheme(void* mem, const char** scheme);
/** "order 2, energy, position, momentum, symmetric": what the scheme promises for this system. Valid until the next
 *  call. */
int GnomonGetPromises(void* mem, const char** promises);
/** Those that were seen broken, at ten times the gates that Gnomon's own tests have for them, after steps 1, 2, 4, 8, ...
 *  and at the end of GnomonEvolve with GNOMON_NORMAL; a line each, "" if there are none: "energy at step 64, t = 0.64:
 *  error 3.12e-09, at most 8.05e-13 is allowed". Valid until the next call. */
int GnomonGetBrokenPromises(void* mem, const char** broken);
/** Where the constraints came close to losing rank, as linkages that fold do: the first such step and the time at its end;
 *  *step is 0 if there was none. What follows may be another motion than the one that was meant. */
int GnomonGetSingularPosition(void* mem, long int* step, sunrealtype* t);
/** The derivatives that came from differences, "none" if there are none. Valid until the next call. */
int GnomonGetDifferences(void* mem, const char** differences);
/** All of it, as SUNDIALS' integrators print theirs: SUN_OUTPUTFORMAT_TABLE or SUN_OUTPUTFORMAT_CSV. */
int GnomonPrintAllStats(void* mem, FILE* outfile, SUNOutputFormat fmt);
/**@}*/

#if GNOMON_HAS_SUNSTEPPER
/** The run as a stepper for SUNDIALS' operator splitting, with evolve, one-step, reset and stop-time functions; mem
 * must outlive it. A reset is a GnomonReInit: the state that it brings must satisfy the constraints. */
int GnomonCreateSUNStepper(void* mem, SUNStepper* stepper);
#endif

GNOMON_EXPORT_END
#ifdef __cplusplus
}
#endif

#endif
