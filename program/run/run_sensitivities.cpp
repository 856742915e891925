#include "program/run/run_sensitivities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"

namespace gnomon::program {

namespace {

VariedProblem varied(const Registry& registry, const RunArguments& a) {
  if (a.restart)
    throw Error(ErrorCode::bad_value, "--sensitivity is given with --restart: a checkpoint has no derivatives");
  IntegratorOptions options = parse_integrator_options(registry, a);
  options.project_start = true;
  const auto run = [&registry, a, options](const ProblemInstance& instance) {
    return registry.integrator(instance, a.scheme, a.solver, a.options, a.solver_options, options);
  };
  return VariedProblem(registry.problem(a.problem), a.set, run, names_in(a.sensitivity, "--sensitivity", "k,start.x"));
}

}  // namespace

RunSensitivities::RunSensitivities(const Registry& registry, const ProblemInstance& instance,
                                   const RunArguments& arguments, Integrator& run)
    : found_([&] {
        const VariedProblem problem = varied(registry, arguments);
        return Sensitivities(run, problem.parameters(), problem.make());
      }()) {
  const tables::StateColumns state(instance);
  for (const tables::Kind kind :
       {tables::Kind::position, tables::Kind::velocity, tables::Kind::multiplier, tables::Kind::output})
    for (const tables::Column& column : state.columns())
      if (column.kind == kind) motion_.push_back(column);
  for (const Sensitivities::Parameter& parameter : found_.parameters())
    for (const tables::Column& column : motion_)
      columns_.push_back({"d(" + column.name + ")/d(" + parameter.name + ")", "", tables::Kind::other});
  if (!found_.observe(run.state(), 0)) throw Error(ErrorCode::refused, found_.failure());
  run.add_observer(found_);
}

void RunSensitivities::fill(double t, double* values) {
  Eigen::Map<Matrix> out(values, static_cast<Index>(motion_.size()), static_cast<Index>(found_.parameters().size()));
  if (found_.at(t))
    out = found_.motion();
  else
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void RunSensitivities::report(std::vector<SummaryRow>& rows) {
  constexpr std::size_t most = 6;
  const auto is_output = [](const tables::Column& column) { return column.kind == tables::Kind::output; };
  const bool outputs = std::any_of(motion_.begin(), motion_.end(), is_output);
  const Matrix motion = found_.motion();
  for (std::size_t k = 0; k < found_.parameters().size(); ++k) {
    std::string text;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < motion_.size() && shown < most; ++i)
      if (outputs ? is_output(motion_[i]) : motion_[i].kind == tables::Kind::position)
        text += fmt::format("{}{} {:.8g}", shown++ ? ", " : "", motion_[i].name,
                            motion(static_cast<Index>(i), static_cast<Index>(k)));
    rows.push_back({k == 0 ? "derivatives" : "", "by " + found_.parameters()[k].name + ": " + text});
  }
  if (const std::string warning = found_.warning(); !warning.empty()) rows.push_back({"WARNING", warning, true});
}

Json::Value RunSensitivities::json() {
  Json::Value out(Json::objectValue);
  const Matrix motion = found_.motion();
  for (std::size_t k = 0; k < found_.parameters().size(); ++k)
    for (std::size_t i = 0; i < motion_.size(); ++i)
      out[found_.parameters()[k].name][motion_[i].name] = motion(static_cast<Index>(i), static_cast<Index>(k));
  return out;
}

}  // namespace gnomon::program
