#include "program/run/run_arguments.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"

namespace gnomon::program {

namespace {

constexpr const char* fallback_solver = "kinsol-linesearch";
constexpr int fallback_halvings = 6;
constexpr const char* default_rtol = "1e-6";

/// What is not given, and what to give.
using Missing = std::vector<std::pair<std::string, std::string>>;

/// "--step and --until are missing: give the step size, e.g. --step 1e-3, and the end time, e.g. --until 10"
void refuse(const Missing& missing) {
  if (missing.empty()) return;
  std::string names, remedies;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    names += (i ? " and " : "") + missing[i].first;
    remedies += (i ? ", and " : "") + missing[i].second;
  }
  throw Error(ErrorCode::bad_value, names + (missing.size() > 1 ? " are" : " is") + " missing: give " + remedies);
}

void add_missing_end(Missing& missing, const RunArguments& arguments) {
  if (!arguments.until.empty() || !arguments.steps.empty()) return;
  missing.emplace_back("--until", std::string("the end time, e.g. --until 10") +
                                      (arguments.step.empty() ? "" : ", or --steps, the number of steps"));
}

double parse_tolerance(const std::string& text, const char* flag) {
  const double value = parse_real(text, flag);
  if (value <= 0) throw Error(ErrorCode::bad_value, fmt::format("{} = {} is not above zero", flag, text));
  return value;
}

}  // namespace

void add_system_flags(CLI::App& command, RunArguments& a) {
  const auto add = [&command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command.add_option(flag, value, help)->type_name(type);
  };
  add("PROBLEM", a.problem, "", "name of the problem, or a model file NAME.toml");
  add("--scheme", a.scheme, "NAME", "the scheme")->capture_default_str();
  add("--step", a.step, "H", "step size, in the same unit");
  add("--until", a.until, "T", "end time, in the unit of time of the problem; the last step is shortened to arrive");
  add("--steps", a.steps, "N", "number of steps, instead of --until");
  add_repeatable(command, "--set", a.set, "a parameter of the problem (repeatable)");
  add_repeatable(command, "--option", a.options, "an option of the scheme (repeatable)");
  add_repeatable(
      command, "--contact", a.contact,
      "how contacts with obstacles are treated: mode, restitution (of obstacles that have none of their own), "
      "zeno-speed (repeatable)");
  add("--jacobian", a.jacobian, "SOURCE", "analytic, dual or differences")->capture_default_str();
  command.add_flag("--project-start", a.project_start, "repair an inconsistent start in the mass metric");
  command.add_flag("--dependent-constraints", a.dependent_constraints,
                   "does nothing any more: constraints that repeat others are found");
}

void add_fallback_flags(CLI::App& command, RunArguments& a) {
  command.add_flag("--fallback", a.fallback,
                   fmt::format("where the solver fails on a step, solve with {}, then cut the step into up to 2^{} "
                               "substeps",
                               fallback_solver, fallback_halvings));
  command
      .add_option(
          "--max-halvings", a.max_halvings,
          "cut a refused step into up to 2^N substeps; 0: none [6 where the scheme takes variable steps, else 0]")
      ->type_name("N");
}

void add_tolerance_flags(CLI::App& command, RunArguments& a) {
  command
      .add_option("--rtol", a.rtol,
                  "error of q and of the velocities that is wanted, in parts of their sizes, in place of --step")
      ->check([](const std::string& text) { return std::string(text.empty() ? "\"\" is not a finite number" : ""); })
      ->type_name("R");
  command.add_option("--atol", a.atol, "and in their units; from the sizes of the motion if left out")->type_name("A");
}

void take_run_defaults(const Registry& registry, RunArguments& a) {
  Assignments defaults = registry.problem(a.problem).run_defaults();
  const std::vector<std::string> references = registry.references();
  if (a.scheme_named && std::count(references.begin(), references.end(), a.scheme) > 0)
    defaults.erase(std::remove_if(defaults.begin(), defaults.end(),
                                  [](const auto& one) { return one.first != "until" && one.first != "contact"; }),
                   defaults.end());
  take_run_defaults(defaults, a);
}

void take_run_defaults(const Assignments& defaults, RunArguments& a) {
  const bool by_size = !a.step.empty() || !a.steps.empty(), by_tolerance = !a.rtol.empty();
  const bool ends = !a.until.empty(), counted = !a.steps.empty();
  const bool own_scheme = !a.scheme_named, own_solver = !a.solver_named, own_contact = a.contact.empty();
  const bool own_reference = a.references.empty() && a.reference_options.empty();
  const auto take = [](std::string& argument, bool allowed, const std::string& value) {
    if (allowed && argument.empty()) argument = value;
  };
  for (const auto& [name, value] : defaults) {
    if (name == "step") take(a.step, !by_tolerance, value);
    if (name == "steps") take(a.steps, !by_tolerance && !ends, value);
    if (name == "until") take(a.until, !counted, value);
    if (name == "rtol") take(a.rtol, !by_size, value);
    if (name == "atol") take(a.atol, !by_size, value);
    if (name == "max-halvings") take(a.max_halvings, true, value);
    if (name == "scheme" && own_scheme) {
      a.scheme = value;
      a.scheme_named = true;
    }
    if (name == "solver" && own_solver) {
      a.solver = value;
      a.solver_named = true;
    }
    if (name == "option" && own_scheme) add_assignment(a.options, value, "--option");
    if (name == "solver-option" && own_solver) add_assignment(a.solver_options, value, "--solver-option");
    if (name == "contact" && own_contact) add_assignment(a.contact, value, "--contact");
    if (name == "reference" && own_reference) a.references.push_back(value);
    if (name == "reference-option" && own_reference) add_assignment(a.reference_options, value, "--reference-option");
  }
}

void choose_scheme(const Registry& registry, const ProblemInstance& instance, const IntegratorOptions& options,
                   RunArguments& arguments) {
  const bool given = !arguments.options.empty(), of_one_size = arguments.rtol.empty();
  if (arguments.scheme_named ? given || of_one_size : given && of_one_size) return;
  if (given)
    throw Error(ErrorCode::bad_value,
                fmt::format("--option {} is given with --rtol and without --scheme: the tolerance chooses the scheme, "
                            "name the one whose option it is",
                            assignment_texts(arguments.options).front()));
  SuitedRun run;
  run.start = instance;
  if (!of_one_size) run.relative = parse_tolerance(arguments.rtol, "--rtol");
  run.solver = &registry.solver(arguments.solver);
  run.solver_options = Options("solver " + arguments.solver, run.solver->options(), arguments.solver_options);
  run.options = options;
  SchemeChoice choice{arguments.scheme, 0, {}};
  if (arguments.scheme_named)
    choice.options = suited_options(registry, run, arguments.scheme);
  else
    choice = suited_scheme(registry, run);
  arguments.scheme = choice.scheme;
  arguments.options.insert(arguments.options.end(), choice.options.begin(), choice.options.end());
}

StepReport advance(Integrator& integrator, const Span& span) {
  if (span.tolerances) return integrator.advance_to(span.t_end);
  return span.by_time ? integrator.advance_to(span.t_end, span.h) : integrator.advance(span.steps, span.h);
}

void require_problem(const RunArguments& arguments, const std::string& remedy) {
  if (!arguments.problem.empty()) return;
  Missing missing{{"PROBLEM", remedy}};
  add_missing_end(missing, arguments);
  refuse(missing);
}

double parse_end(const RunArguments& arguments, double t0) {
  Missing missing;
  add_missing_end(missing, arguments);
  refuse(missing);
  const double t_end = parse_real(arguments.until, "--until");
  if (t_end <= t0)
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} is not after the start time {}", arguments.until, number_text(t0)));
  return t_end;
}

namespace {

Span parse_tolerance_span(const RunArguments& arguments, double t0) {
  if (!arguments.step.empty())
    throw Error(ErrorCode::bad_value, "both --step and --rtol are given: steps are of one size or of a tolerance");
  if (!arguments.steps.empty())
    throw Error(
        ErrorCode::bad_value,
        "both --steps and --rtol are given: how many steps a tolerance takes is found, --until says how far to go");
  Span span;
  span.by_time = true;
  span.tolerances = Tolerances(parse_tolerance(arguments.rtol, "--rtol"));
  if (!arguments.atol.empty()) span.tolerances->absolute = parse_tolerance(arguments.atol, "--atol");
  span.t_end = parse_end(arguments, t0);
  return span;
}

}  // namespace

Span parse_span(const RunArguments& arguments, double t0, const std::string& no_tolerance) {
  if (!arguments.rtol.empty()) return parse_tolerance_span(arguments, t0);
  Missing missing;
  if (arguments.step.empty())
    missing.emplace_back("--step",
                         "the step size, e.g. --step 1e-3" +
                             (no_tolerance.empty() ? ", or a tolerance, e.g. --rtol 1e-6" : " (" + no_tolerance + ")"));
  add_missing_end(missing, arguments);
  refuse(missing);
  if (!arguments.atol.empty()) throw Error(ErrorCode::bad_value, "--atol is given without --rtol");
  Span span;
  span.h = parse_real(arguments.step, "--step");
  if (span.h <= 0) throw Error(ErrorCode::bad_value, "--step = " + arguments.step + " is not above zero");
  if (!arguments.until.empty() && !arguments.steps.empty())
    throw Error(ErrorCode::bad_value, "both --until and --steps are given: only one of them can hold");
  if (!arguments.steps.empty()) {
    span.steps = parse_count(arguments.steps, "--steps", 1);
    span.t_end = t0 + static_cast<double>(span.steps) * span.h;
    if (!std::isfinite(span.t_end))
      throw Error(ErrorCode::bad_value, fmt::format("--steps = {} of --step = {} end beyond the range of numbers",
                                                    arguments.steps, arguments.step));
    return span;
  }
  span.by_time = true;
  span.t_end = parse_end(arguments, t0);
  const double count = std::ceil((span.t_end - t0) / span.h - 1e-9);
  if (count < 1)
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} is less than 1e-9 steps after the start time {}: that is "
                            "no step at all",
                            arguments.until, number_text(t0)));
  if (!(count <= 1e15))
    throw Error(ErrorCode::bad_value,
                fmt::format("--until = {} with --step = {} would take {:g} steps, at most 1e15 are possible",
                            arguments.until, arguments.step, count));
  span.steps = static_cast<long>(count);
  return span;
}

namespace {

/// Takes the default tolerance and its scheme, or says why there must be a step.
std::string take_default_tolerance(const Registry& registry, const ProblemInstance& instance,
                                   const IntegratorOptions& options, RunArguments& a) {
  if (!a.steps.empty()) return "--steps counts steps of one size";
  if (a.estimate_error) return "--estimate-error compares steps of one size with their halves";
  if (!a.scheme_named && !a.options.empty())
    return "a tolerance would choose the scheme, and --option is given without one";
  RunArguments chosen = a;
  chosen.rtol = default_rtol;
  chosen.default_tolerance = true;
  std::optional<Integrator> named;
  if (a.scheme_named) {
    choose_scheme(registry, instance, options, chosen);
    named.emplace(
        registry.integrator(instance, chosen.scheme, chosen.solver, chosen.options, chosen.solver_options, options));
  }
  try {
    if (named)
      named->set_tolerances(Tolerances(parse_tolerance(default_rtol, "--rtol")));
    else
      choose_scheme(registry, instance, options, chosen);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    return error.what();
  }
  a = chosen;
  return "";
}

}  // namespace

Span choose_steps(const Registry& registry, const ProblemInstance& instance, const IntegratorOptions& options,
                  RunArguments& a) {
  std::string no_tolerance;
  if (a.step.empty() && a.rtol.empty()) no_tolerance = take_default_tolerance(registry, instance, options, a);
  const Span span = parse_span(a, instance.t0, no_tolerance);
  if (!a.restart && !a.default_tolerance) choose_scheme(registry, instance, options, a);
  return span;
}

IntegratorOptions parse_integrator_options(const Registry& registry, const RunArguments& arguments) {
  IntegratorOptions options;
  if (arguments.fallback) {
    if (arguments.solver == fallback_solver)
      throw Error(ErrorCode::bad_value,
                  fmt::format("--fallback is given with --solver {}, which is what it falls back to", fallback_solver));
    options.fallback = &registry.solver(fallback_solver);
    options.max_halvings = fallback_halvings;
  }
  options.project_start = arguments.project_start;
  if (arguments.dependent_constraints)
    say(stderr,
        "gnomon: --dependent-constraints does nothing any more: constraints that repeat others are found, and "
        "their multipliers are those of least norm\n");
  options.contact = contact_options(arguments.contact);
  if (!arguments.max_halvings.empty())
    options.max_halvings = static_cast<int>(parse_count(arguments.max_halvings, "--max-halvings", 0));
  if (options.max_halvings > 40)
    throw Error(ErrorCode::bad_value, "--max-halvings = " + arguments.max_halvings + " is above 40");
  std::vector<std::string> known;
  for (const auto source : {JacobianSource::analytic, JacobianSource::dual, JacobianSource::differences}) {
    if (arguments.jacobian == to_string(source)) {
      options.jacobian = source;
      return options;
    }
    known.emplace_back(to_string(source));
  }
  throw unknown_name("Jacobian source", arguments.jacobian, known);
}

}  // namespace gnomon::program
