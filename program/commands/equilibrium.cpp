/// gnomon equilibrium: a proved minimum of the potential of a problem, by descent or by any solver.
#include "measures/published/equilibrium.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/model/curves.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/modes/mode_table.hpp"
#include "report/json.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

using validation::Equilibrium;
using validation::to_json;

struct EquilibriumArguments {
  std::string problem, method = "exact";
  std::optional<std::string> solver, eps, levels, output;
  Assignments set, solver_options;
  bool json = false, modes = false;
};

validation::EquilibriumSearch search_of(const EquilibriumArguments& a) {
  Assignments assignments{{"method", a.method}, {"by", a.solver ? "solver" : "minimise"}};
  if (a.eps) assignments.emplace_back("eps", *a.eps);
  if (a.levels) assignments.emplace_back("levels", *a.levels);
  validation::EquilibriumSearch search;
  search.options = Options("equilibrium", validation::equilibrium_options(), assignments);
  if (a.solver) search.solver = *a.solver;
  if (!a.solver && !a.solver_options.empty())
    throw Error(ErrorCode::bad_value, "--solver-option was given, but it has an effect only with --solver");
  search.solver_options = a.solver_options;
  return search;
}

void print_summary(std::FILE* out, const EquilibriumArguments& a, const ProblemInstance& instance,
                   const Equilibrium& found) {
  const System& system = *instance.model->mechanical();
  const auto row = [out](const char* label, const std::string& text) { say(out, "  {:12} {}\n", label, text); };
  say(out, "{}, equilibrium ({}) {}\n", a.problem, a.method, a.solver ? "through " + *a.solver : "by descent");
  row("unknowns", fmt::format("{} coordinates, {} constraints", system.n(), system.m()));
  row("energy", found.penalty > 0 ? fmt::format("U = {:.10g}, penalty {:.10g}, sum {:.10g}", found.potential,
                                                found.penalty, found.potential + found.penalty)
                                  : fmt::format("U = {:.10g}", found.potential));
  if (system.m() > 0) row("constraints", fmt::format("max |g| {:.2e}", found.constraint));
  if (const Obstacles* obstacles = system.parts().obstacles) {
    const std::vector<std::string> names = obstacles->obstacle_names();
    std::string text;
    for (const Index i : found.closed)
      text += fmt::format("{}{} pushes by {:.6g}", text.empty() ? "" : ", ",
                          names.empty() ? std::to_string(i) : names[static_cast<std::size_t>(i)],
                          found.lambda[system.m() + i]);
    row("obstacles", text.empty() ? "none is touched" : text);
    if (system.parts().coulomb) row("friction", "left out: a minimum rests without it");
  }
  constexpr std::size_t few = 4;
  const auto curves = instance.curves ? instance.curves->curves() : std::vector<Curve>{};
  if (curves.size() <= few)
    for (std::size_t k = 0; k < curves.size(); ++k) {
      Matrix points(curves[k].dimension, curves[k].n_points);
      instance.curves->curve_points(static_cast<Index>(k), instance.t0, found.q, points);
      std::string text;
      for (const double x : points.col(curves[k].n_points / 2))
        text += fmt::format("{}{:.8g}", text.empty() ? "" : ", ", x);
      row(curves[k].name.c_str(), fmt::format("middle at ({})", text));
    }
  row("effort",
      fmt::format("{} iterations{}, scaled residual {:.1e}", found.report.iterations,
                  found.solves > 1 ? fmt::format(" in {} solves", found.solves) : "", found.report.residual_norm));
  if (found.second.proved) row("stability", found.second.text());
  if (!found.report.message.empty()) row("STOPPED", found.report.message);
}

void write_csv(const std::string& path, const Equilibrium& found) {
  tables::OutputFile file(path);
  fmt::print(file.stream(), "name,index,value\n");
  for (Index j = 0; j < found.q.size(); ++j) fmt::print(file.stream(), "q,{},{:.17g}\n", j, found.q[j]);
  for (Index i = 0; i < found.lambda.size(); ++i) fmt::print(file.stream(), "lambda,{},{:.17g}\n", i, found.lambda[i]);
  file.commit();
}

/// Beside an equilibrium at rest; print: after its summary.
Json::Value modes_beside(const ProblemInstance& instance, const Equilibrium& found, std::FILE* print) {
  const System& system = *instance.model->mechanical();
  const Linearisation linear =
      linearise(system, instance.t0, found.q, Vector::Zero(found.q.size()), found.lambda, found.closed);
  const std::vector<Mode> modes = modes_of(linear);
  print_modes(print, system, linear, modes, true);
  return modes_json(modes);
}

int equilibrium(const Registry& registry, const EquilibriumArguments& a) {
  if (a.modes && a.method != "exact")
    throw Error(ErrorCode::bad_value, "--modes is given with --method " + a.method +
                                          ": modes are those of the constraints, which --method exact keeps");
  const auto search = search_of(a);
  const ProblemInstance instance = registry.build(a.problem, a.set);
  if (a.output) tables::OutputFile probe(*a.output);
  const Equilibrium found = validation::find_equilibrium(registry, instance, search);
  print_summary(a.json ? stderr : stdout, a, instance, found);
  const bool converged = found.report.status == SolveStatus::converged;
  Json::Value modes(Json::arrayValue);
  if (a.modes && converged) modes = modes_beside(instance, found, a.json ? stderr : stdout);
  if (a.json) {
    Json::Value out;
    out["problem"] = a.problem;
    out["method"] = a.method;
    out["solver"] = a.solver.value_or("descent");
    out["status"] = converged ? "success" : to_string(found.report.status);
    if (!found.report.message.empty()) out["message"] = found.report.message;
    out["minimum"] = found.second.proved;
    for (const Index count : {found.second.inertia.positive, found.second.inertia.negative, found.second.inertia.zero})
      out["inertia"].append(Json::Int64(count));
    out["q"] = to_json(found.q);
    out["lambda"] = to_json(found.lambda);
    out["potential"] = to_json(found.potential);
    out["penalty"] = to_json(found.penalty);
    out["constraint_max"] = to_json(found.constraint);
    out["iterations"] = Json::Int64(found.report.iterations);
    out["residual"] = to_json(found.report.residual_norm);
    if (a.modes) out["modes"] = modes;
    say_lines(validation::json_text(out));
  }
  if (a.output && converged) write_csv(*a.output, found);
  return converged ? success : numerical_failure;
}

}  // namespace

void add_equilibrium(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<EquilibriumArguments>();
  CLI::App* command = app.add_subcommand("equilibrium", "static equilibrium of a problem, a minimum of its potential");
  command->footer("e.g. gnomon equilibrium beam --method penalty --eps 1.5e-4");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    return command->add_option(flag, value, help)->type_name(type);
  };
  add("PROBLEM", a->problem, "", "name of the problem, or a model file NAME.toml")->required();
  add_repeatable(*command, "--set", a->set, "a parameter of the problem (repeatable)");
  add("--method", a->method, "METHOD", "exact: grad U + G^T lambda = 0, g = 0; penalty: lambda = w g/eps")
      ->capture_default_str();
  add("--eps", a->eps, "EPS", "penalty parameter [1.5e-4]");
  add("--levels", a->levels, "N", "penalty: solve with eps 10^(N-1), then a tenth of it, down to eps [1]");
  add("--solver", a->solver, "NAME", "solve the equations by this solver from the start, in place of the descent");
  add_repeatable(*command, "--solver-option", a->solver_options, "an option of the solver (repeatable)");
  command->add_flag("--modes", a->modes, "frequencies, damping and modes beside it, as `gnomon linearise` has them");
  add("--output", a->output, "FILE", "write q and lambda to this CSV file");
  command->add_flag("--json", a->json, "one JSON object on standard output, the summary on standard error");
  command->callback(
      [&invocation, a] { invocation.action = [a](const Registry& registry) { return equilibrium(registry, *a); }; });
}

}  // namespace gnomon::program
