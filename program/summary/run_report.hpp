#pragma once
/// \file
/// What a run ended with: the summary for people, the JSON object for programs.

#include <json/json.h>

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/integrator.hpp"
#include "gnomon/run/reference.hpp"
#include "measures/run/error_estimate.hpp"
#include "program/run/run_arguments.hpp"
#include "program/summary/summary_row.hpp"

namespace gnomon::program {

/// The relative tolerance that a reference begins with, and why that one; 0: its own.
struct ReferenceTolerance {
  double rtol = 0;
  std::string why;
};

/// How a reference beside a run ended.
struct ReferenceOutcome {
  std::string name;
  ReferenceReport end;
  ReferenceTolerance wanted;

  /// With which it ended; 0: it has none.
  double rtol() const { return end.rtol > 0 ? end.rtol : wanted.rtol; }

  /// |q - q_ref|_2 / |q_ref|_2, where it got there.
  std::optional<double> position_error(const Vector& q) const;
};
/// "rtol = 1e-10, a ten-thousandth of the run's, own error 2.0e-09"; empty of a reference without a tolerance.
std::string tolerance_text(const ReferenceReport& end, const ReferenceTolerance& wanted);

/// What a summary needs beside the integrator or the reference itself.
struct RunFacts {
  RunArguments arguments;  ///< as given or as the tolerance chose them
  double step = 0, t0 = 0, wall_s = 0;
  long steps_before = 0;        ///< taken by the run that this one goes on from; wall_s is without them
  std::string status;           ///< "success", "interrupted" or what a solve ended with; of a reference "failed"
  std::string message;          ///< empty on success
  std::string moved_start;      ///< see moved_by(); empty where nothing was to be moved
  std::vector<Output> outputs;  ///< of the problem
  Vector output_values;         ///< at the end, one an output
  std::vector<ReferenceOutcome> references;
  std::optional<validation::ErrorEstimate> estimate;  ///< with --estimate-error
};

/// What a run ended with, whatever made its steps.
struct RunReport {
  std::string title, status;
  std::vector<SummaryRow> rows;
  std::vector<std::array<std::string, 4>> events;  ///< see event_rows
  Json::Value json;                                ///< null without --json
};

/// What the model file or --project-start moved: "crank by 0.12 and rocker by 0.03"; "nothing" where the start fitted,
/// and empty where neither is asked for. `given` has the start of the problem, q and p are that of the run.
std::string moved_by(const RunArguments& arguments, const ProblemInstance& given, const Vector& q, const Vector& p);

/// "h = 0.01", or "rtol = 1e-08, h = 0.001 .. 0.02".
std::string step_text(double step, const Integrator& integrator);

/// "pendulum, energy-momentum through kinsol-newton"
std::string title(const RunFacts& facts);
std::vector<SummaryRow> summary(const RunFacts& facts, const Integrator& integrator);
void print_summary(std::FILE* out, const std::string& title, const std::vector<SummaryRow>& rows);
void add_moved_start(std::vector<SummaryRow>& rows, const RunFacts& facts);
/// The first outputs: --output and --json have all.
void add_outputs(std::vector<SummaryRow>& rows, const std::vector<Output>& outputs, const Vector& values);
/// How far q at the end is from each.
void add_references(std::vector<SummaryRow>& rows, const std::vector<ReferenceOutcome>& references, const Vector& q);
/// What a reference's own run made of the invariants, where it has one.
void add_levels(std::vector<SummaryRow>& rows, const ReferenceReport& end);

/// [{name, step, t, error, allowed}]
Json::Value broken_json(const std::vector<BrokenPromise>& promises);

/// Keys: problem, scheme, scheme_options [name=value], solver, step (null with a tolerance), tolerance (with one:
/// {relative, absolute, smallest_step, largest_step}), steps, t, status, promises, broken_promises [{name, step, t,
/// error, allowed}], state {by the model's block names}, energy {initial, max_abs_error, max_rel_error (over the
/// largest |T| and |U|), slope} or null where the model declares none, constraints {position_max, velocity_max},
/// contact (see contact_json, with obstacles), momentum [{name, initial, max_abs_error, slope}], outputs {by name}
/// where the problem has some, counters, wall_s; message and warning unless empty; references [see reference_json] and
/// error_estimate (see estimate_json) when asked for.
Json::Value run_json(const RunFacts& facts, const Integrator& integrator);
/// What runs of schemes and references share of it; q is that of the end.
void add_facts(Json::Value& out, const RunFacts& facts, const Vector& q);

/// {name, success, t, position_error, message, warning} and levels_json of its own run.
Json::Value reference_json(const ReferenceOutcome& reference, const Vector& q);
/// {energy_max_abs_error, position_max, velocity_max, doubtful_from}
Json::Value levels_json(const ReferenceLevels& own);

}  // namespace gnomon::program
