#include "program/modes/floquet.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/run/monodromy.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/modes/mode_table.hpp"
#include "program/run/run_arguments.hpp"
#include "report/json.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

using validation::to_json;

/// Steps without a size: their tolerance, and their scheme where none is named, which is symmetric and keeps energy and
/// both levels of the constraints.
constexpr const char *tolerance = "1e-10", *scheme_of_tolerance = "line-integral-ggl";
constexpr double least_steps = 128;

double above_zero(const std::string& text, const std::string& flag) {
  const double value = parse_real(text, flag);
  if (!(value > 0)) throw Error(ErrorCode::bad_value, flag + " = " + text + " is not above zero");
  return value;
}

/// How far the multipliers are from pairs whose product is one: the largest distance from 1 of the best product.
double off_pairs(const Monodromy& found) {
  double most = 0;
  for (const std::complex<double>& one : found.multipliers) {
    double best = std::numeric_limits<double>::infinity();
    for (const std::complex<double>& other : found.multipliers) best = std::min(best, std::abs(one * other - 1.0));
    most = std::max(most, best);
  }
  return most;
}

void print_table(std::FILE* out, const FloquetArguments& a, const std::string& scheme, const System& system,
                 const Monodromy& found) {
  say(out, "{}, monodromy over the period {:.10g} in {} steps by {}\n", a.problem, found.period, found.steps, scheme);
  say(out, "  unknowns     {} coordinates, {} constraints: {} free positions, {} free velocities\n", system.n(),
      system.m(), found.linear.n_positions(), found.linear.n_velocities());
  if (!found.stopped.empty()) return say(out, "  STOPPED      {}\n", found.stopped);
  say(out, "  closes       to {:.2g} of the largest distance from the start\n", found.gap);
  say(out, "  derivatives  of the steps, four points off six by {:.2g} at most\n", found.remainder);
  if (found.multipliers.empty()) return say(out, "  no freedom   constraints and motors determine the motion\n");
  std::complex<double> product = 1;
  for (const std::complex<double>& one : found.multipliers) product *= one;
  say(out, "  product      of all multipliers {:.12g}, pairs with the product 1 to {:.2g}\n", product.real(),
      off_pairs(found));
  say(out, "  {:>10}  {:>14}  {:>14}  {:>32}\n", "multiplier", "modulus", "angle [deg]", "value");
  for (std::size_t k = 0; k < found.multipliers.size(); ++k) {
    const std::complex<double>& one = found.multipliers[k];
    say(out, "  {:>10}  {:>14.9g}  {:>14.8g}  {:>15.8g} {:>+14.8g} i\n", k + 1, std::abs(one),
        std::arg(one) * 180 / std::acos(-1), one.real(), one.imag());
  }
}

void write_table(const std::string& path, const Monodromy& found) {
  tables::OutputFile file(path);
  fmt::print(file.stream(), "multiplier,real,imag,modulus,angle\n");
  for (std::size_t k = 0; k < found.multipliers.size(); ++k) {
    const std::complex<double>& one = found.multipliers[k];
    fmt::print(file.stream(), "{},{:.17g},{:.17g},{:.17g},{:.17g}\n", k + 1, one.real(), one.imag(), std::abs(one),
               std::arg(one));
  }
  file.commit();
}

Json::Value json_of(const FloquetArguments& a, const std::string& scheme, const System& system,
                    const Monodromy& found) {
  Json::Value out;
  out["problem"] = a.problem;
  out["status"] = found.stopped.empty() ? "success" : "stopped";
  if (!found.stopped.empty()) out["message"] = found.stopped;
  out["scheme"] = scheme;
  out["period"] = to_json(found.period);
  out["steps"] = Json::Int64(found.steps);
  out["gap"] = to_json(found.gap);
  out["remainder"] = to_json(found.remainder);
  for (const std::string& name : coordinate_names(system)) out["coordinates"].append(name);
  out["monodromy"] = matrix_json(found.matrix);
  out["positions"] = matrix_json(found.linear.positions);
  out["momenta"] = matrix_json(found.linear.momenta);
  out["multipliers"] = Json::Value(Json::arrayValue);
  for (const std::complex<double>& one : found.multipliers)
    out["multipliers"].append(to_json(Vector(Eigen::Vector2d(one.real(), one.imag()))));
  return out;
}

}  // namespace

int print_monodromy(const Registry& registry, const ProblemInstance& instance, const FloquetArguments& a) {
  if (!instance.model->mechanical())
    throw Error(ErrorCode::refused,
                instance.model->name() + " is an overdetermined DAE, and linearised are mechanical systems");
  const double period = above_zero(a.period, "--period");
  RunArguments run;
  run.problem = a.problem;
  run.set = a.set;
  run.scheme_named = a.scheme || !a.step;
  if (run.scheme_named) run.scheme = a.scheme.value_or(scheme_of_tolerance);
  long steps = 0;
  if (a.step)
    steps = std::max(1L, std::lround(period / above_zero(*a.step, "--step")));
  else
    run.rtol = tolerance;
  choose_scheme(registry, instance, {}, run);
  IntegratorOptions options;
  options.project_start = true;
  // The tolerance is one of the motion, and where that is slow or rests its derivatives need steps that are short.
  StepLimits limits;
  limits.largest = period / least_steps;
  const auto start = [&](const ProblemInstance& of) {
    Integrator integrator = registry.integrator(of, run.scheme, run.solver, run.options, {}, options);
    if (!a.step) integrator.set_tolerances(Tolerances(parse_real(tolerance, "--rtol")), limits);
    return integrator;
  };
  const auto over = [&](Integrator& integrator) {
    return a.step ? integrator.advance(steps, period / static_cast<double>(steps))
                  : integrator.advance_to(instance.t0 + period);
  };
  if (a.output) tables::OutputFile probe(*a.output);
  const Monodromy found = monodromy(instance, start, period, over);
  print_table(a.json ? stderr : stdout, a, run.scheme, *instance.model->mechanical(), found);
  if (a.json) say_lines(validation::json_text(json_of(a, run.scheme, *instance.model->mechanical(), found)));
  if (!found.stopped.empty()) return numerical_failure;
  if (a.output) write_table(*a.output, found);
  return success;
}

}  // namespace gnomon::program
