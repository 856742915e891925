/// After start() nothing allocates, but where a matrix that is rarely needed is made: the scheme with every solver that
/// takes it. That is counted by itself, and the steps after it.
#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/run/counting_malloc.hpp"
#include "measures/setup.hpp"
#include "measures/solver/kinsol_messages.hpp"

namespace gnomon::validation {

Quantities measure_allocations(const Registry& registry, const Case& c) {
  constexpr long steps = 20;
  const ProblemInstance instance = build(registry, c);
  Quantities out;
  for (const auto& solver : registry.solvers()) {
    Method method = c.method;
    method.solver = solver;
    StepReport report;
    long count = 0;
    try {
      Integrator integrator = started(registry, instance, method);
      const CountAllocations allocations;
      report = integrator.advance(steps, c.step.front());
      count = allocations.count();
      if (report.success() && count > 0 && makes_matrices_late(integrator)) {
        out.push_back({"allocations-late-" + solver, static_cast<double>(count), "a matrix was needed on the way"});
        const long before = allocations.count();
        report = integrator.advance(steps, c.step.front());
        count = allocations.count() - before;
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      continue;  // the solver does not take the scheme
    }
    if (!report.success()) throw RunFailed(report.t, report.message);
    if (CountAllocations::available())
      out.push_back({"allocations-" + solver, static_cast<double>(count), "", Gate::at_most(0),
                     formats_messages(solver) ? kinsol_messages : ""});
    else
      out.push_back({"allocations-" + solver, 0, "not counted in this build"});
  }
  return out;
}

}  // namespace gnomon::validation
