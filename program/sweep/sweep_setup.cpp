#include <fmt/format.h>

#include <algorithm>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "program/arguments.hpp"
#include "program/run/provenance.hpp"
#include "program/sweep/sweep_arguments.hpp"

namespace gnomon::program {

namespace {

constexpr const char* usual_figures = "max_energy_error,max_position_error,max_velocity_error,steps,q_end";

/// At commas that are in no brackets: "steps,max(x)".
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      names.emplace_back();
    else
      names.back() += c;
  }
  return names;
}

/// A value that the variable takes, for what must be known before the runs; "" where it is not varied.
std::string typical(const Design& design, const std::string& name) {
  for (const Variable& variable : design.variables())
    if (variable.name == name)
      return variable.values.value_text(variable.values.drawn() ? variable.values.quantile(0.5)
                                                                : variable.values.listed(0));
  return "";
}

/// What is varied counts as given: it removes its rivals from the defaults.
void stand_in(std::string& argument, const std::string& value, const char* flag) {
  if (value.empty()) return;
  if (!argument.empty())
    throw Error(ErrorCode::bad_value,
                fmt::format("--{0} is given, and --vary varies {0}: only one of them can hold", flag));
  argument = value;
}

}  // namespace

Design sweep_design(const SweepArguments& a) {
  std::vector<Variable> variables;
  for (const auto& [name, values] : a.vary) variables.push_back({name, Distribution("--vary " + name, values)});
  if (variables.empty())
    throw Error(ErrorCode::bad_value, "--vary is missing: it says what varies, e.g. --vary k=uniform(1,9)");
  const auto drawn =
      std::find_if(variables.begin(), variables.end(), [](const Variable& v) { return v.values.drawn(); });
  if (a.samples.empty() && drawn != variables.end())
    throw Error(
        ErrorCode::bad_value,
        fmt::format("--runs is missing: it says how many values of {} are drawn, e.g. --runs 1000", drawn->name));
  double seed = 0;
  constexpr double most = 9007199254740992;  // what a double counts up to
  if (!a.seed.empty() && (!read_number(a.seed, seed) || seed < 0 || seed > most ||
                          seed != static_cast<double>(static_cast<std::uint64_t>(seed))))
    throw Error(ErrorCode::bad_value, fmt::format("--seed = \"{}\" is not a whole number between 0 and 2^53", a.seed));
  return Design(std::move(variables), a.sampling.empty() ? Sampling::random : sampling_named(a.sampling),
                a.samples.empty() ? 1 : parse_count(a.samples, "--runs", 1), static_cast<std::uint64_t>(seed));
}

ensembles::Shard sweep_shard(const SweepArguments& a) {
  ensembles::Shard shard;
  if (a.shard.empty()) return shard;
  const std::string::size_type slash = a.shard.find('/');
  constexpr long most = 1000000;
  if (slash == std::string::npos || !read_number(a.shard.substr(0, slash), shard.index) ||
      !read_number(a.shard.substr(slash + 1), shard.count) || shard.index < 1 || shard.index > shard.count ||
      shard.count > most)
    throw Error(ErrorCode::bad_value, fmt::format("--shard = \"{}\" is not I/N with 1 <= I <= N <= {}", a.shard, most));
  return shard;
}

EnsembleSetup sweep_setup(const Registry& registry, SweepArguments& a, const Design& design) {
  if (a.problem.empty())
    throw Error(ErrorCode::bad_value, "PROBLEM is missing: give the name of a problem, a model file or a sweep file");
  if (a.scheme_named && !typical(design, "scheme").empty())
    throw Error(ErrorCode::bad_value, "--scheme is given, and --vary varies scheme: only one of them can hold");
  const std::string step = typical(design, "step"), rtol = typical(design, "rtol"), until = typical(design, "until"),
                    scheme = typical(design, "scheme");
  stand_in(a.step, step, "step");
  stand_in(a.rtol, rtol, "rtol");
  stand_in(a.until, until, "until");
  if (!scheme.empty()) {
    a.scheme = scheme;
    a.scheme_named = true;
  }
  take_run_defaults(registry, a);
  EnsembleSetup setup;
  setup.problem = a.problem;
  setup.parameters = a.set;
  setup.integrator = parse_integrator_options(registry, a);
  const ProblemInstance instance = registry.build(a.problem, setup.parameters);
  const Span span = parse_span(a, instance.t0);
  if (scheme.empty()) choose_scheme(registry, instance, setup.integrator, a);
  setup.scheme = a.scheme;
  setup.solver = a.solver;
  setup.scheme_options = a.options;
  setup.solver_options = a.solver_options;
  setup.step = step.empty() ? span.h : 0;
  if (rtol.empty()) setup.tolerances = span.tolerances;
  if (until.empty() && span.by_time) setup.until = span.t_end;
  if (!span.by_time) setup.steps = span.steps;
  if (!a.time_limit.empty()) {
    setup.time_limit = parse_real(a.time_limit, "--time-limit");
    if (!(setup.time_limit > 0))
      throw Error(ErrorCode::bad_value, fmt::format("--time-limit = {} is not above zero", a.time_limit));
  }
  for (const std::string& names : a.keep.empty() ? std::vector<std::string>{usual_figures} : a.keep)
    for (const std::string& name : split_names(names)) setup.keep.push_back(name);
  // Whoever reads the arguments later sees what is run.
  if (!step.empty()) a.step.clear();
  if (!rtol.empty()) a.rtol.clear();
  if (!until.empty()) a.until.clear();
  return setup;
}

std::string command_of_run(const SweepArguments& a, const Assignments& values) {
  const auto starts_with = [](const std::string& text, const char* begin) { return text.rfind(begin, 0) == 0; };
  RunArguments run = a;
  bool start = false;
  std::string vary;
  const auto rest = [](const std::string& name, const char* begin) { return name.substr(std::string(begin).size()); };
  for (const auto& [name, value] : values) {
    if (starts_with(name, "start.")) {
      start = true;
      vary += " --vary " + shell_word(name + "=list(" + value + ")");
    } else if (name == "scheme") {
      run.scheme = value;
    } else if (name == "solver") {
      run.solver = value;
    } else if (name == "step") {
      run.step = value;
    } else if (name == "rtol") {
      run.rtol = value;
    } else if (name == "until") {
      run.until = value;
    } else if (starts_with(name, "option.")) {
      run.options.emplace_back(rest(name, "option."), value);
    } else if (starts_with(name, "solver-option.")) {
      run.solver_options.emplace_back(rest(name, "solver-option."), value);
    } else {
      const std::string parameter = starts_with(name, "set.") ? rest(name, "set.") : name;
      run.set.erase(
          std::remove_if(run.set.begin(), run.set.end(), [&](const auto& given) { return given.first == parameter; }),
          run.set.end());
      run.set.emplace_back(parameter, value);
    }
  }
  return start ? command_of(run, "sweep") + vary + " --output one.h5" : command_of(run, "run");
}

}  // namespace gnomon::program
