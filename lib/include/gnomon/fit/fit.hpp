#pragma once
/// \file
/// Parameters of a model, and entries of its start, from measured motions:
///
///     min over s of  sum over records, times, columns of ((y(t_i; s) - y_i)/sigma)^2,        lower <= s <= upper
///
/// y(t; s) is the motion as it is stepped, its derivatives by s are those of Sensitivities, exact for these steps, and
/// a trial for which there is no motion is a rejected step of the search.
///
/// With J the derivatives of what is squared, a column scaled to length one each, and J = U S V^T, singular values that
/// are rounding belong to directions that the data do not determine. On the others C = V S^-2 V^T, scaled back, is the
/// covariance of s; the interval of 95 % is s +- q sqrt(C_ss), with q of the normal distribution where sigma is given
/// and of Student's t where it is estimated from what is left, with as many degrees of freedom as there are values more
/// than determined directions (Seber and Wild, Nonlinear Regression, 1989, sections 2.1 and 5.1). Where the errors
/// of several columns are estimated, C grows by what the estimated weights add, and the degrees of freedom are those of
/// the columns that determine s (Meier, Biometrics 9, 1953, 59; Satterthwaite, Biometrics Bulletin 2, 1946, 110).

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/fit/least_squares.hpp"
#include "gnomon/registry/varied_problem.hpp"

namespace gnomon {

/// A measured motion.
struct Record {
  std::string name;
  std::vector<double> times;         ///< ascending, in the unit of time of the model
  std::vector<std::string> columns;  ///< names of what was measured
  Matrix values;                     ///< times x columns; NaN where nothing was measured
  std::optional<double> start_time;  ///< of the start of the model; the first time where there is none
};

/// A column of the records, and what it is in the model.
struct FitColumn {
  std::string column;  ///< of the records; one that does not have it has no values of it
  /// X, der(X), lambda.G or an output by name, X the name of a coordinate and G of a constraint; output.NAME of an
  /// output that is called like one of the others.
  std::string quantity;
  std::string unit;  ///< of the column; "": that of the model
  /// quantity = factor column + offset, in place of the factor of the unit
  std::optional<double> factor;
  double offset = 0;
  double sigma = 0;  ///< standard deviation of its errors, in its unit; 0: not known, estimated from what is left
};

/// Numbers that are sought, or held at a value, by name, X a coordinate and R a record:
///
///     k               a real parameter of the model, with its bounds
///     start.X         the position of a coordinate at the start; of several records one each, R.start.X
///     start.der(X)    its velocity
///     R.k, R.start.X  of that record alone
///     shared.start.X  one for all records
///
/// Starts are projected onto the constraints, in the metric of the mass.
struct FitParameter {
  std::string name;
  std::optional<double> value;  ///< where the search begins; what the problem has where there is none
};

struct FitSetup {
  const Problem* problem = nullptr;
  Assignments set;         ///< parameters that are held, or where the search begins
  VariedProblem::Run run;  ///< a run of an instance, started, with IntegratorOptions::project_start
  double step = 0;         ///< 0: steps of the tolerance that `run` sets
  double tolerance = 0;    ///< that of the steps: the motion is no smooth function of s below it
  std::vector<Record> records;
  std::vector<FitColumn> columns;
  std::vector<FitParameter> free;
  std::vector<FitParameter> held;  ///< entries of starts, and parameters of records, that have these values
  bool look_for_chaos = true;
  int most_iterations = 100;
  std::function<bool()> stop;                   ///< asked between iterations; empty: never
  const LeastSquares* least_squares = nullptr;  ///< null: that of Ceres
};

struct FittedParameter {
  enum class State { determined, not_determined, at_minimum, at_maximum };

  std::string name, unit;
  double began = 0;                 ///< where the search began
  double value = 0;                 ///< of an entry of a start: after its projection onto the constraints
  double error = 0;                 ///< standard error; NaN unless it is determined
  double lower = 0, upper = 0;      ///< of the interval of 95 %; NaN unless it is determined
  double minimum = 0, maximum = 0;  ///< its bounds
  State state = State::determined;
};

/// The residuals of a column, in its unit.
struct FittedColumn {
  std::string column, quantity, unit;
  double sigma = 0;  ///< given, or estimated
  bool sigma_given = false;
  long count = 0;  ///< values
  double rms = 0;  ///< of what is left
};

struct FittedRecord {
  std::string name;
  std::vector<double> times;
  Matrix measured, fitted;  ///< times x FitResult::columns, in their units; NaN where nothing was measured
  double t0 = 0;
  Vector q0, v0;  ///< the start of the motion
  /// Largest growth of a change of the start over the record and the time, NaN if none, at which errors of the size of
  /// the data have grown to that of the motion; growth is 0 where it was not looked for.
  double growth = 0, lost = std::numeric_limits<double>::quiet_NaN();
};

struct FitResult {
  bool converged = false;
  std::string message;  ///< how the search ended
  std::vector<FittedParameter> parameters;
  Matrix covariance, correlation;  ///< of the parameters; NaN beside one that has no error
  std::vector<FittedColumn> columns;
  std::vector<FittedRecord> records;
  double chi_squared = 0;  ///< sum of squares in units of sigma
  long values = 0;         ///< measured
  long determined = 0;     ///< directions that the data determine
  long degrees_of_freedom() const { return values - determined; }
  Vector singular_values;             ///< of J with columns of length one, the largest first
  std::vector<std::string> warnings;  ///< whole sentences
  int iterations = 0;
  long runs = 0, runs_with_derivatives = 0;
};

/// Throws Error(unknown_name) for names of parameters, columns and records, Error(bad_value) for times, units and
/// numbers, Error(refused) where the model has no motion or no derivatives where the search begins, and where Ceres is
/// missing.
GNOMON_EXPORT FitResult fit(const FitSetup& setup);

}  // namespace gnomon
