#pragma once
/// \file
/// What a user of `gnomon run` said, and what of it `gnomon compare` shares.

#include <optional>
#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "program/cli/cli11.hpp"

namespace gnomon::program {

struct RunArguments {
  std::string problem, scheme = "energy-momentum", solver = "kinsol-newton";
  std::string step, rtol, atol, until, steps, every = "1", max_halvings;
  Assignments set, options, solver_options, reference_options, contact;
  std::vector<std::string> references, sensitivity;
  std::string jacobian = "analytic";
  std::optional<std::string> output, times, report, checkpoint, checkpoint_every, restart, snapshots, snapshot_every;
  std::optional<std::string> plot;
  bool json = false, project_start = false, dependent_constraints = false, fallback = false, events = false,
       strict = false, estimate_error = false;
  bool scheme_named = false, solver_named = false;  ///< --scheme, --solver are given
  bool default_tolerance = false;                   ///< --rtol is not given, and is the one of choose_steps
};

/// Calls f with the name, the flag and the value of everything that says how the problem is run, but for its end.
template <class Arguments, class F>
void what_is_run(Arguments& a, F f) {
  f("set", "--set", a.set);
  f("scheme", "--scheme", a.scheme);
  f("scheme_options", "--option", a.options);
  f("solver", "--solver", a.solver);
  f("solver_options", "--solver-option", a.solver_options);
  f("contact", "--contact", a.contact);
  f("step", "--step", a.step);
  f("rtol", "--rtol", a.rtol);
  f("atol", "--atol", a.atol);
  f("jacobian", "--jacobian", a.jacobian);
  f("max_halvings", "--max-halvings", a.max_halvings);
  f("project_start", "--project-start", a.project_start);
  f("dependent_constraints", "--dependent-constraints", a.dependent_constraints);
  f("fallback", "--fallback", a.fallback);
}

/// The problem, the scheme, how far to go and in which steps.
void add_system_flags(CLI::App& command, RunArguments& arguments);
/// What happens on steps that the solver refuses.
void add_fallback_flags(CLI::App& command, RunArguments& arguments);

/// What the problem says of its runs, where the user says nothing: a step, a tolerance, a number of steps or an end on
/// the command line removes what it replaces, a scheme or a solver its options. Of a reference on the command line only
/// the end and how contacts are treated: the rest is said of another scheme.
void take_run_defaults(const Registry& registry, RunArguments& arguments);
/// The same of defaults from elsewhere, by the names of Problem::run_defaults.
void take_run_defaults(const Assignments& defaults, RunArguments& arguments);

/// Steps of a tolerance instead of a size.
void add_tolerance_flags(CLI::App& command, RunArguments& arguments);
/// The scheme where the user names none, and with a tolerance the options that set its order where he gives none, by
/// the rule of gnomon/registry/suited_scheme.hpp. Options without a scheme are those of the default one with steps of
/// one size; with a tolerance they throw Error(bad_value).
void choose_scheme(const Registry& registry, const ProblemInstance& instance, const IntegratorOptions& options,
                   RunArguments& arguments);

/// How far to go: to a time, or a number of steps.
struct Span {
  double h = 0, t_end = 0;
  long steps = 0;  ///< 0: not known, with a tolerance
  bool by_time = false;
  std::optional<Tolerances> tolerances;  ///< in place of h
};

/// The steps of a span. The report is that of the last of them.
StepReport advance(Integrator& integrator, const Span& span);

/// These throw Error(bad_value | unknown_name) naming the flag, and one that names everything that is missing.

/// `remedy`: what to give where there is no PROBLEM.
void require_problem(const RunArguments& arguments, const std::string& remedy);
double parse_end(const RunArguments& arguments, double t0);
/// no_tolerance: why there must be a step, or empty.
Span parse_span(const RunArguments& arguments, double t0, const std::string& no_tolerance = {});
/// The same of a run that takes --rtol 1e-6 where neither a step nor a tolerance is given and it can take one, with the
/// scheme by choose_scheme unless the run is restarted.
Span choose_steps(const Registry& registry, const ProblemInstance& instance, const IntegratorOptions& options,
                  RunArguments& arguments);
IntegratorOptions parse_integrator_options(const Registry& registry, const RunArguments& arguments);

}  // namespace gnomon::program
