#include "measures/setup.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "measures/measure.hpp"
#include "measures/table_file.hpp"

namespace gnomon::validation {

ProblemInstance build(const Registry& registry, const Case& c) {
  return registry.build(c.problem, c.set);
}

Phase start_of(const ProblemInstance& instance) {
  return {instance.q0, instance.p0};
}

Phase phase_of(const Integrator& integrator) {
  const State& z = integrator.state();
  return {z.q.value(), integrator.model().second_half(z.view())};
}

Phase phase_of(const ReferenceReport& report, const ProblemInstance& instance) {
  if (instance.model->mechanical()) return {report.q, report.p};
  Phase phase{report.q, instance.p0};
  Index1(*instance.model->overdetermined()).solve_momentum(report.q, report.p, phase.p);
  return phase;
}

const System& mechanical(const ProblemInstance& instance) {
  if (const System* system = instance.model->mechanical()) return *system;
  throw Error(ErrorCode::refused, "this measure needs a mechanical system with mass and potential, and \"" +
                                      instance.model->name() + "\" is an overdetermined DAE");
}

Integrator started(const Registry& registry, const ProblemInstance& instance, const Method& method,
                   const Phase& start) {
  ProblemInstance from = instance;
  from.q0 = start.q;
  from.p0 = start.p;
  return started(registry, from, method);
}

Integrator started(const Registry& registry, const ProblemInstance& instance, const Method& method) {
  IntegratorOptions options;
  options.contact = contact_options(method.contact);
  return registry.integrator(instance, method.scheme, method.solver, method.options, method.solver_options, options);
}

void advance(Integrator& integrator, long steps, double h) {
  const StepReport report = integrator.advance(steps, h);
  if (!report.success()) throw RunFailed(report.t, report.message);
}

long whole_steps(double interval, double h) {
  const double count = interval / h;
  if (!(count >= 0.5) || std::abs(count - std::round(count)) > 1e-6 * count)
    throw Error(ErrorCode::bad_value, fmt::format("step {} does not divide the interval {}", h, interval));
  return std::lround(count);
}

Phase state_after(const Registry& registry, const ProblemInstance& instance, const Method& method, long steps,
                  double h) {
  Integrator integrator = started(registry, instance, method);
  advance(integrator, steps, h);
  return phase_of(integrator);
}

double relative_error(const Vector& a, const Vector& b) {
  const double scale = b.norm();
  return (a - b).norm() / (scale > 0 ? scale : 1);
}

std::unique_ptr<ReferenceSolution> start_reference(const Registry& registry, const ProblemInstance& instance,
                                                   const std::string& reference, double tolerance,
                                                   const Assignments& options) {
  const Reference& chosen = registry.reference(reference);
  Assignments assignments;
  constexpr double usual = 1e-12;
  for (const auto& spec : chosen.options())
    if (spec.name == "rtol")
      assignments.emplace_back("rtol", fmt::format("{:.17g}", tolerance > 0 ? tolerance : usual));
  assignments.insert(assignments.end(), options.begin(), options.end());
  return chosen.start(instance, Options("reference " + reference, chosen.options(), assignments));
}

std::unique_ptr<ReferenceSolution> start_reference(const Registry& registry, const ProblemInstance& instance,
                                                   const Case& c, const std::string& reference, double tolerance) {
  const auto options = c.reference_options.find(reference);
  return start_reference(registry, instance, reference, tolerance,
                         options == c.reference_options.end() ? Assignments() : options->second);
}

namespace {

Phase state_at(const ProblemInstance& instance, ReferenceSolution& solution, const std::string& reference, double t) {
  const ReferenceReport report = solution.advance_to(t);
  if (!report.success) throw RunFailed(report.t, reference + ": " + report.message);
  return phase_of(report, instance);
}

}  // namespace

Phase reference_state(const Registry& registry, const ProblemInstance& instance, const std::string& reference,
                      double tolerance, double t) {
  return state_at(instance, *start_reference(registry, instance, reference, tolerance), reference, t);
}

Phase reference_state(const Registry& registry, const ProblemInstance& instance, const Case& c,
                      const std::string& reference, double tolerance, double t) {
  return state_at(instance, *start_reference(registry, instance, c, reference, tolerance), reference, t);
}

Phase table_state(const Case& c, const ProblemInstance& instance) {
  const std::string path = c.data_folder + "/" + c.table.file;
  Phase z{Vector::Constant(instance.q0.size(), NAN), Vector::Constant(instance.p0.size(), NAN)};
  for (const TableFile::Row& row : TableFile(path)) {
    const std::string& component = row.text(1);
    long i = 0;
    if (row.text(0) != c.table.name || component.empty() || !read_number(std::string_view(component).substr(1), i) ||
        i < 0)
      continue;
    Vector* const block = component[0] == 'q' ? &z.q : component[0] == 'p' ? &z.p : nullptr;
    if (block != nullptr && i < block->size()) (*block)[i] = row.number(3);
  }
  if (!z.q.allFinite() || !z.p.allFinite())
    throw Error(ErrorCode::bad_file, fmt::format("table \"{}\" has no complete state \"{}\" of {} coordinates", path,
                                                 c.table.name, z.q.size()));
  return z;
}

}  // namespace gnomon::validation
