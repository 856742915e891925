#pragma once
/// \file
/// What a run ended with: the summary for people, the JSON object for programs.

#include <json/json.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/integrator.hpp"
#include "gnomon/run/reference.hpp"
#include "measures/run/error_estimate.hpp"

namespace gnomon::program {

struct RunReport {
  std::string problem, scheme, solver;
  std::vector<std::string> scheme_options;  ///< name=value, as given or as the tolerance chose them
  double step = 0, t0 = 0, wall_s = 0;
  long steps_before = 0;        ///< taken by the run that this one goes on from; wall_s is without them
  std::string status;           ///< "success", "interrupted" or what a solve ended with
  std::string message;          ///< empty on success
  std::vector<Output> outputs;  ///< of the problem
  Vector output_values;         ///< at the end, one an output
  std::string reference;
  std::optional<ReferenceReport> reference_end;
  std::optional<validation::ErrorEstimate> estimate;  ///< with --estimate-error

  /// |q - q_ref|_2 / |q_ref|_2 against a reference that got there.
  std::optional<double> reference_error(const Integrator& integrator) const;
};

/// "h = 0.01", or "rtol = 1e-08, h = 0.001 .. 0.02".
std::string step_text(const RunReport& report, const Integrator& integrator);

void print_summary(std::FILE* out, const RunReport& report, const Integrator& integrator);

/// [{name, step, t, error, allowed}]
Json::Value broken_json(const std::vector<BrokenPromise>& promises);

/// Keys: problem, scheme, scheme_options [name=value], solver, step (null with a tolerance), tolerance (with one: {relative,
/// absolute, smallest_step, largest_step}), steps, t, status, promises, broken_promises [{name, step, t, error, allowed}],
/// state {by the model's block names}, energy {initial,
/// max_abs_error, max_rel_error (over max(1, max|T|, max|U|)), slope} or null where the model declares none, constraints
/// {position_max, velocity_max}, contact (see contact_json, with obstacles), momentum [{name, initial, max_abs_error,
/// slope}], outputs {by name} where the problem has some, counters, wall_s; message and warning unless empty; reference {name, success, t, position_error, message,
/// energy_max_abs_error, position_max, velocity_max, doubtful_from (of its own run), warning} and error_estimate (see
/// estimate_json) when asked for.
Json::Value run_json(const RunReport& report, const Integrator& integrator);

}  // namespace gnomon::program
