/// gnomon linearise: the motion beside an equilibrium or a state of a run, to first order, and its modes.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/registry/varied_problem.hpp"
#include "gnomon/solve/linear_response.hpp"
#include "gnomon/solve/minimum.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/modes/floquet.hpp"
#include "program/modes/mode_plot.hpp"
#include "program/modes/mode_table.hpp"
#include "program/run/run_arguments.hpp"
#include "report/json.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

/// The tolerance of the run to a time.
constexpr const char* tolerance = "1e-10";

struct LineariseArguments {
  std::string problem, at = "equilibrium";
  std::vector<std::string> inputs;
  std::optional<std::string> output, plot, period, scheme, step;
  Assignments set;
  bool json = false, at_given = false;
};

/// Inputs and outputs by name, and their matrices.
struct Response {
  std::vector<std::string> inputs, outputs;
  LinearResponse matrices;
};

/// The place that is linearised, or why it was not found.
struct Place {
  std::string text, stopped;
  LinearisedAt at;
  Linearisation linear;
  std::vector<Mode> modes;
  std::optional<Response> response;
};

Place at_equilibrium(const ProblemInstance& instance) {
  const std::shared_ptr<const System> system = shared_system(instance.model);
  const Minimum found = find_minimum(system, instance.t0, instance.q0);
  Place place;
  place.text = "at an equilibrium";
  if (found.report.status != SolveStatus::converged) {
    place.stopped = found.report.message;
    return place;
  }
  if (found.second.proved) place.text += ", a " + found.second.text();
  place.at = {instance.t0, found.q, Vector::Zero(found.q.size()), found.lambda, found.closed};
  place.linear = linearise(*system, place.at.t, place.at.q, place.at.p, place.at.lambda, place.at.closed);
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
  place.at = {z.t, z.q.value(), z.p.value(), integrator.index1_multipliers(), z.closed, z.turns};
  const Windings turns(place.at.turns);
  place.linear = linearise(integrator.system(), z.t, place.at.q, place.at.p, place.at.lambda, place.at.closed);
  return place;
}

Response response_of(const Registry& registry, const ProblemInstance& instance, const LineariseArguments& a,
                     const Place& place) {
  Response response;
  response.inputs = names_in(a.inputs, "--inputs", "force,torque");
  const VariedProblem varied(registry.problem(a.problem), a.set, {}, response.inputs, "input");
  std::vector<ModelInput> inputs;
  for (const Sensitivities::Parameter& parameter : varied.parameters()) {
    if (!parameter.of_model)
      throw Error(ErrorCode::bad_value, "input " + parameter.name +
                                            " is an entry of the start, expected a parameter of " +
                                            registry.problem(a.problem).name());
    inputs.push_back({parameter.name, parameter.size});
  }
  if (instance.outputs)
    for (const Output& output : instance.outputs->outputs()) response.outputs.push_back(output.name);
  const auto changed = [&varied](std::size_t input, double change) { return varied.instance(input, change); };
  response.matrices = linear_response(instance, place.at, place.linear, inputs, changed);
  return response;
}

Place place_of(const Registry& registry, const ProblemInstance& instance, const LineariseArguments& a) {
  if (!instance.model->mechanical())
    throw Error(ErrorCode::refused, instance.model->name() +
                                        " is an overdetermined DAE, and linearised are mechanical "
                                        "systems");
  Place place = a.at == "equilibrium" ? at_equilibrium(instance)
                : a.at == "start"     ? in_motion(registry, instance, a, std::nullopt)
                                      : in_motion(registry, instance, a, parse_real(a.at, "--at"));
  if (!place.stopped.empty()) return place;
  place.modes = modes_of(place.linear);
  if (!a.inputs.empty()) place.response = response_of(registry, instance, a, place);
  return place;
}

void print_summary(std::FILE* out, const LineariseArguments& a, const System& system, const Place& place) {
  say(out, "{}, linearised {}\n", a.problem, place.text);
  if (!place.stopped.empty()) return say(out, "  STOPPED      {}\n", place.stopped);
  say(out, "  unknowns     {} coordinates, {} constraints\n", system.n(), system.m());
  print_modes(out, system, place.linear, place.modes, a.at == "equilibrium");
  if (!place.response) return;
  say(out, "  x' = A x + B u, outputs C x + D u\n");
  say(out, "  x            {} positions, {} velocities in minimal coordinates\n", place.linear.n_positions(),
      place.linear.n_velocities());
  say(out, "  u            {}\n", fmt::format("{}", fmt::join(place.response->inputs, ", ")));
  say(out, "  outputs      {}\n",
      place.response->outputs.empty() ? "none, the model has no [outputs]"
                                      : fmt::format("{}", fmt::join(place.response->outputs, ", ")));
}

/// The rows [A B; C D]: the derivatives of y1, ..., w1, ... and the outputs, by these and the inputs.
void write_response(const std::string& path, const Place& place) {
  const Response& response = *place.response;
  const LinearResponse& matrices = response.matrices;
  std::vector<std::string> state;
  for (Index j = 0; j < place.linear.n_positions(); ++j) state.push_back(fmt::format("y{}", j + 1));
  for (Index j = 0; j < place.linear.n_velocities(); ++j) state.push_back(fmt::format("w{}", j + 1));
  tables::OutputFile file(path);
  fmt::print(file.stream(), "row");
  for (const std::string& name : state) fmt::print(file.stream(), ",{}", name);
  for (const std::string& name : response.inputs) fmt::print(file.stream(), ",{}", tables::csv_field(name));
  fmt::print(file.stream(), "\n");
  const auto write = [&](const std::string& name, const Matrix& of_state, const Matrix& of_inputs, Index row) {
    fmt::print(file.stream(), "{}", tables::csv_field(name));
    for (const double value : of_state.row(row)) fmt::print(file.stream(), ",{:.17g}", value);
    for (const double value : of_inputs.row(row)) fmt::print(file.stream(), ",{:.17g}", value);
    fmt::print(file.stream(), "\n");
  };
  for (std::size_t k = 0; k < state.size(); ++k)
    write("der(" + state[k] + ")", place.linear.matrix, matrices.B, static_cast<Index>(k));
  for (std::size_t k = 0; k < response.outputs.size(); ++k)
    write(response.outputs[k], matrices.C, matrices.D, static_cast<Index>(k));
  file.commit();
}

Json::Value names_json(const std::vector<std::string>& names) {
  Json::Value out(Json::arrayValue);
  for (const std::string& name : names) out.append(name);
  return out;
}

Json::Value json_of(const LineariseArguments& a, const System& system, const Place& place) {
  Json::Value out;
  out["problem"] = a.problem;
  out["at"] = a.at;
  out["status"] = place.stopped.empty() ? "success" : "stopped";
  if (!place.stopped.empty()) out["message"] = place.stopped;
  out["coordinates"] = names_json(coordinate_names(system));
  out["matrix"] = matrix_json(place.linear.matrix);
  out["positions"] = matrix_json(place.linear.positions);
  out["momenta"] = matrix_json(place.linear.momenta);
  out["modes"] = modes_json(place.modes);
  if (!place.response) return out;
  out["inputs"] = names_json(place.response->inputs);
  out["outputs"] = names_json(place.response->outputs);
  out["A"] = out["matrix"];
  out["B"] = matrix_json(place.response->matrices.B);
  out["C"] = matrix_json(place.response->matrices.C);
  out["D"] = matrix_json(place.response->matrices.D);
  return out;
}

/// --period is about a motion, and what is asked of a place has no meaning beside it.
FloquetArguments floquet_arguments(const LineariseArguments& a) {
  const char* const other = !a.inputs.empty()               ? "--inputs"
                            : a.plot                        ? "--plot"
                            : a.at_given && a.at != "start" ? "--at"
                                                            : nullptr;
  if (other)
    throw Error(ErrorCode::bad_value, std::string("--period is given with ") + other +
                                          ": a monodromy matrix is that of a motion from the start");
  FloquetArguments out;
  out.problem = a.problem;
  out.period = *a.period;
  out.scheme = a.scheme;
  out.step = a.step;
  out.set = a.set;
  out.output = a.output;
  out.json = a.json;
  return out;
}

int linearise_problem(const Registry& registry, const LineariseArguments& a) {
  if (!a.period && (a.scheme || a.step))
    throw Error(ErrorCode::bad_value,
                std::string(a.scheme ? "--scheme" : "--step") + " was given, but it has an effect only with --period");
  const ProblemInstance instance = registry.build(a.problem, a.set);
  if (a.period) return print_monodromy(registry, instance, floquet_arguments(a));
  if (a.output) tables::OutputFile probe(*a.output);
  if (a.plot) require_mode_plot(instance, *a.plot);
  const Place place = place_of(registry, instance, a);
  const System& system = *instance.model->mechanical();
  print_summary(a.json ? stderr : stdout, a, system, place);
  if (a.json) say_lines(validation::json_text(json_of(a, system, place)));
  if (!place.stopped.empty()) return numerical_failure;
  if (a.output && place.response)
    write_response(*a.output, place);
  else if (a.output)
    write_modes(*a.output, system, place.modes);
  if (a.plot) draw_modes(instance, place.at.t, place.at.q, place.modes, a.problem + ", modes " + place.text, *a.plot);
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
  const CLI::Option* at = add("--at", a->at, "WHERE",
                              "equilibrium: the one that `gnomon equilibrium` finds; start; or a time of the motion")
                              ->capture_default_str();
  add_repeatable(
      *command, "--inputs", a->inputs, "NAMES",
      "parameters of the problem that are inputs u, e.g. force,torque: x' = A x + B u and the [outputs] of the "
      "model C x + D u, in --json and --output (repeatable)");
  add("--period", a->period, "T",
      "the motion from the start comes back after T: its monodromy matrix and Floquet multipliers");
  add("--scheme", a->scheme, "NAME",
      "with --period: the scheme of the steps [that of `gnomon run`, without --step line-integral-ggl]");
  add("--step", a->step, "H",
      "with --period: steps of T/N, N the whole number next to T/H [those of the tolerance 1e-10, at least 128]");
  add("--output", a->output, "FILE",
      "write the modes to this CSV file, with --inputs the rows [A B; C D], with --period the multipliers");
  add("--plot", a->plot, "FILE", "draw the shapes of the first six modes that oscillate (.svg, .png or .pdf)");
  command->add_flag("--json", a->json, "one JSON object on standard output, the summary on standard error");
  command->callback([&invocation, a, at] {
    a->at_given = at->count() > 0;
    invocation.action = [a](const Registry& registry) { return linearise_problem(registry, *a); };
  });
}

}  // namespace gnomon::program
