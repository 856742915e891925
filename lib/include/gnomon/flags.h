/** \file
 *  The one list of what a function of the C interface returns: name, value, message. C and C++.
 *
 *  0 success; > 0 the call did what could be done and says why it returned; < 0 an error, nothing was changed. The
 *  values of GNOMON_ERRORS are those of gnomon::ErrorCode, which C++ throws for the same misuse.
 */
#ifndef GNOMON_FLAGS_H
#define GNOMON_FLAGS_H

/* X(name in C++, NAME in C, value, message) */
#define GNOMON_ERRORS(X)                                              \
  X(unknown_name, UNKNOWN_NAME, -1, "unknown name")                   \
  X(bad_value, BAD_VALUE, -2, "bad value")                            \
  X(bad_size, BAD_SIZE, -3, "bad size")                               \
  X(inconsistent_start, INCONSISTENT_START, -4, "inconsistent start") \
  X(rank_deficient, RANK_DEFICIENT, -5, "rank-deficient constraints") \
  X(not_finite, NOT_FINITE, -6, "value not finite")                   \
  X(callback_failed, CALLBACK_FAILED, -7, "callback failed")          \
  X(refused, REFUSED, -8, "combination refused")                      \
  X(bad_plugin, BAD_PLUGIN, -9, "bad plug-in")                        \
  X(bad_file, BAD_FILE, -10, "bad file")

/* X(NAME, value, message): those that C++ needs no exception for, and the returns that are no errors. */
#define GNOMON_RETURNS(X)                                                                 \
  X(SUCCESS, 0, "success")                                                                \
  X(TSTOP_RETURN, 1, "the stop time was reached")                                         \
  X(ROOT_RETURN, 2, "a root function changed its sign")                                   \
  X(PROMISE_WARN, 3, "a promise of the scheme was seen broken")                           \
  X(MEM_NULL, -20, "the memory is NULL")                                                  \
  X(NO_INIT, -21, "GnomonInit was not called")                                            \
  X(NOT_CONVERGED, -22, "the solver did not converge in a step")                          \
  X(SINGULAR_JACOBIAN, -23, "the Jacobian of a step is singular")                         \
  X(EVALUATION_FAILED, -24, "a step could not be evaluated")                              \
  X(OUT_OF_MEMORY, -25, "out of memory")                                                  \
  X(INTERNAL, -26, "something was thrown that Gnomon does not know")                      \
  X(STEP_TOO_SMALL, -27, "a step of the tolerance would have to be smaller than allowed") \
  X(TOO_MUCH_WORK, -28, "more steps of the tolerance than allowed")

/* GNOMON_SUCCESS, GNOMON_UNKNOWN_NAME and so on. */
#define GNOMON_ENUMERATE_ERROR(name, NAME, value, message) GNOMON_##NAME = value,
#define GNOMON_ENUMERATE_RETURN(NAME, value, message) GNOMON_##NAME = value,
enum { GNOMON_RETURNS(GNOMON_ENUMERATE_RETURN) GNOMON_ERRORS(GNOMON_ENUMERATE_ERROR) };

#endif
