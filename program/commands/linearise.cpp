/// gnomon linearise: the motion beside an equilibrium or a state of a run, to first order, and its modes.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/solve/linearisation.hpp"
#include "gnomon/solve/minimum.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/run/run_arguments.hpp"
#include "report/json.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

using validation::to_json;

/// The tolerance of the run to a time.
constexpr const char* tolerance = "1e-10";

struct LineariseArguments {
  std::string problem, at = "equilibrium";
  std::optional<std::string> output;
  Assignments set;
  bool json = false;
};

/// The place that is linearised, or why it was not found.
struct Place {
  std::string text, stopped;
  Linearisation linear;
  std::vector<Mode> modes;
};

Place at_equilibrium(const ProblemInstance& instance) {
  const std::shared_ptr<const System> system = shared_system(instance.model);
  const Minimum found = find_minimum(system, instance.t0, instance.q0);
  Place place{"at an equilibrium", {}, {}, {}};
  if (found.report.status != SolveStatus::converged) {
    place.stopped = found.report.message;
    return place;
  }
  if (found.second.proved) place.text += ", a " + found.second.text();
  place.linear = linearise(*system, instance.t0, found.q, Vector::Zero(found.q.size()), found.lambda, found.closed);
  return place;
}

/// The state of a run at this time; none: its start.
Place in_motion(const Registry& registry, const ProblemInstance& instance, const LineariseArguments& a,
                std::optional<double> time) {
  RunArguments run;
  run.problem = a.problem;
  run.set = a.set;
  run.rtol = tolerance;
  choose_scheme(registry, instance, {}, run);
  Integrator integrator = registry.integrator(instance, run.scheme, run.solver, run.options);
  integrator.set_tolerances(Tolerances(parse_real(tolerance, "--rtol")));
  Place place;
  if (time) {
    const StepReport report = integrator.advance_to(*time);
    if (!report.success()) place.stopped = report.message;
  }
  const State& z = integrator.state();
  place.text = fmt::format("at t = {:g} of its motion", z.t);
  if (!place.stopped.empty()) return place;
  const Windings turns(z.turns);
  place.linear =
      linearise(integrator.system(), z.t, z.q.value(), z.p.value(), integrator.index1_multipliers(), z.closed);
  return place;
}

Place place_of(const Registry& registry, const ProblemInstance& instance, const LineariseArguments& a) {
  if (!instance.model->mechanical())
    throw Error(ErrorCode::refused, instance.model->name() +
                                        " is an overdetermined DAE, and linearised are mechanical "
                                        "systems");
  Place place = a.at == "equilibrium" ? at_equilibrium(instance)
                : a.at == "start"     ? in_motion(registry, instance, a, std::nullopt)
                                      : in_motion(registry, instance, a, parse_real(a.at, "--at"));
  if (place.stopped.empty()) place.modes = modes_of(place.linear);
  return place;
}

/// The coordinates that move most, in the metric of the mass, each with its part: "x (1), y (-0.3)".
std::string moving_most(const System& system, const std::vector<std::string>& names, const Mode& mode) {
  constexpr std::size_t shown = 3;
  constexpr double least = 0.1;
  const Vector weighed = mode.shape.cwiseAbs().cwiseProduct(system.mass().diagonal_entries().cwiseSqrt());
  std::vector<Index> order(names.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return weighed[i] > weighed[j]; });
  std::string text;
  for (std::size_t k = 0; k < std::min(shown, order.size()); ++k) {
    const double part = std::abs(mode.shape[order[k]]) / std::abs(mode.shape[order[0]]);
    if (weighed[order[k]] < least * weighed[order[0]]) break;
    const double sign = mode.shape[order[k]].real() * mode.shape[order[0]].real() < 0 ? -1 : 1;
    text += fmt::format("{}{} ({:.3g})", k > 0 ? ", " : "", names[static_cast<std::size_t>(order[k])], sign * part);
  }
  return text;
}

void print_modes(std::FILE* out, const LineariseArguments& a, const System& system, const Place& place) {
  say(out, "{}, linearised {}\n", a.problem, place.text);
  if (!place.stopped.empty()) return say(out, "  STOPPED      {}\n", place.stopped);
  say(out, "  unknowns     {} coordinates, {} constraints: {} free positions, {} free velocities\n", system.n(),
      system.m(), place.linear.n_positions(), place.linear.n_velocities());
  if (place.modes.empty())
    return say(out, "  no freedom   constraints, motors and closed contacts determine the motion\n");
  say(out, "  frequencies in cycles a unit of time, Hz where that is a second{}\n",
      a.at == "equilibrium" ? "" : "; beside a motion they depend on the chart of positions");
  say(out, "  {:>4}  {:>12}  {:>12}  {:>12}  {:>26}  {}\n", "mode", "frequency", "period", "damping", "s",
      "moves most");
  const std::vector<std::string> names = coordinate_names(system);
  for (std::size_t k = 0; k < place.modes.size(); ++k) {
    const Mode& mode = place.modes[k];
    const double frequency = mode.frequency();
    say(out, "  {:>4}  {:>12}  {:>12}  {:>12.5g}  {:>12.5g} {:>+12.5g} i  {}\n", k + 1,
        frequency > 0 ? fmt::format("{:.7g}", frequency) : "-",
        frequency > 0 ? fmt::format("{:.7g}", 1 / frequency) : "-", mode.damping_ratio(), mode.s.real(), mode.s.imag(),
        moving_most(system, names, mode));
  }
}

/// A row a mode: its numbers, then the real and the imaginary part of each coordinate.
void write_modes(const std::string& path, const System& system, const Place& place) {
  tables::OutputFile file(path);
  fmt::print(file.stream(), "mode,frequency,damping_ratio,s_real,s_imag");
  for (const std::string& name : coordinate_names(system))
    fmt::print(file.stream(), ",{},{}", tables::csv_field(name), tables::csv_field("imag(" + name + ")"));
  fmt::print(file.stream(), "\n");
  for (std::size_t k = 0; k < place.modes.size(); ++k) {
    const Mode& mode = place.modes[k];
    fmt::print(file.stream(), "{},{:.17g},{:.17g},{:.17g},{:.17g}", k + 1, mode.frequency(), mode.damping_ratio(),
               mode.s.real(), mode.s.imag());
    for (const std::complex<double>& x : mode.shape) fmt::print(file.stream(), ",{:.17g},{:.17g}", x.real(), x.imag());
    fmt::print(file.stream(), "\n");
  }
  file.commit();
}

Json::Value matrix_json(const Matrix& matrix) {
  Json::Value rows(Json::arrayValue);
  for (Index i = 0; i < matrix.rows(); ++i) rows.append(to_json(Vector(matrix.row(i))));
  return rows;
}

Json::Value json_of(const LineariseArguments& a, const System& system, const Place& place) {
  Json::Value out;
  out["problem"] = a.problem;
  out["at"] = a.at;
  out["status"] = place.stopped.empty() ? "success" : "stopped";
  if (!place.stopped.empty()) out["message"] = place.stopped;
  for (const std::string& name : coordinate_names(system)) out["coordinates"].append(name);
  out["matrix"] = matrix_json(place.linear.matrix);
  out["positions"] = matrix_json(place.linear.positions);
  out["momenta"] = matrix_json(place.linear.momenta);
  out["modes"] = Json::Value(Json::arrayValue);
  for (const Mode& mode : place.modes) {
    Json::Value one;
    one["s"] = to_json(Vector(Eigen::Vector2d(mode.s.real(), mode.s.imag())));
    one["frequency"] = to_json(mode.frequency());
    one["damping_ratio"] = to_json(mode.damping_ratio());
    one["real"] = to_json(Vector(mode.shape.real()));
    one["imag"] = to_json(Vector(mode.shape.imag()));
    out["modes"].append(one);
  }
  return out;
}

int linearise_problem(const Registry& registry, const LineariseArguments& a) {
  const ProblemInstance instance = registry.build(a.problem, a.set);
  if (a.output) tables::OutputFile probe(*a.output);
  const Place place = place_of(registry, instance, a);
  const System& system = *instance.model->mechanical();
  print_modes(a.json ? stderr : stdout, a, system, place);
  if (a.json) say_lines(validation::json_text(json_of(a, system, place)));
  if (!place.stopped.empty()) return numerical_failure;
  if (a.output) write_modes(*a.output, system, place);
  return success;
}

}  // namespace

void add_linearise(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<LineariseArguments>();
  CLI::App* command =
      app.add_subcommand("linearise", "frequencies, damping and modes beside an equilibrium or a state");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add("PROBLEM", a->problem, "", "name of the problem, or a model file NAME.toml")->required();
  add_repeatable(*command, "--set", a->set, "a parameter of the problem (repeatable)");
  add("--at", a->at, "WHERE", "equilibrium: the one that `gnomon equilibrium` finds; start; or a time of the motion")
      ->capture_default_str();
  add("--output", a->output, "FILE", "write the modes to this CSV file");
  command->add_flag("--json", a->json, "one JSON object on standard output, the summary on standard error");
  command->callback([&invocation, a] {
    invocation.action = [a](const Registry& registry) { return linearise_problem(registry, *a); };
  });
}

}  // namespace gnomon::program
