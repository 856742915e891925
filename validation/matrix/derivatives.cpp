#include "matrix/derivatives.hpp"

#include <cmath>
#include <memory>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/run/adjoint.hpp"
#include "gnomon/run/sensitivities.hpp"

namespace gnomon::matrix {

namespace {

constexpr double h = 1e-2;
constexpr long steps = 2;

/// A run whose first momentum at the start is changed.
std::unique_ptr<Variant> variant(const Registry& registry, const std::string& scheme, ProblemInstance instance,
                                 double change) {
  instance.p0[0] += change;
  IntegratorOptions options;
  options.project_start = true;
  Integrator run = registry.integrator(instance, scheme, "newton", {}, {}, options);
  return std::make_unique<Variant>(std::move(instance), std::move(run));
}

/// Why there is none; empty: there is one, and it is not zero.
template <class F>
std::string why_none(const F& derivative) {
  try {
    return derivative();
  } catch (const Error& error) {
    return error.what();
  }
}

Derivative ask(const Registry& registry, const std::string& scheme, const ProblemInstance& instance) {
  Derivative found;
  found.taken = true;
  const auto make = [&](std::size_t, double change) { return variant(registry, scheme, instance, change); };
  const std::vector<Sensitivities::Parameter> by = {{"the start", 1, false, {}}};
  const auto failed = [](const StepReport& report) { return "the run stops: " + report.message; };
  found.forwards = why_none([&]() -> std::string {
    const auto run = make(0, 0);
    Sensitivities along(run->integrator, by, make);
    if (!along.observe(run->integrator.state(), 0)) return along.failure();
    run->integrator.add_observer(along);
    const StepReport report = run->integrator.advance(steps, h);
    if (!along.failure().empty() || !report.success())
      return along.failure().empty() ? failed(report) : along.failure();
    return along.momenta().isZero(0) ? "it is zero" : "";
  });
  found.backwards = why_none([&]() -> std::string {
    const auto run = make(0, 0);
    const Index size = size_of_motion(*run);
    Adjoint back(run->integrator, by, [&](const Vector& changes) { return make(0, changes[0]); },
                 {{h * steps}, size, measure_motion});
    back.observe(run->integrator.state(), 0);
    run->integrator.add_observer(back);
    const StepReport report = run->integrator.advance(steps, h);
    if (!report.success()) return failed(report);
    Vector gradient;
    Matrix weights = Matrix::Zero(size, static_cast<Index>(back.times().size()));
    weights.topRows(run->integrator.system().n()).setOnes();
    if (!back.gradient(weights, gradient)) return back.failure();
    return gradient.isZero(0) ? "it is zero" : "";
  });
  return found;
}

}  // namespace

std::vector<DerivativeRow> derivatives(const Registry& registry, const std::vector<ModelKind>& kinds,
                                       const std::vector<Row>& rows) {
  std::vector<DerivativeRow> all;
  for (const Row& row : rows) {
    if (row.is_reference) continue;
    DerivativeRow found{row.name, {}};
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const Cell& cell = row.cells[k];
      if (cell.refused())
        found.cells.emplace_back();
      else
        found.cells.push_back(
            ask(registry, row.name, cell.any.kind == Answer::Kind::refused ? *kinds[k].quadratic : kinds[k].any));
    }
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<Reason> reasons(const std::vector<DerivativeRow>& rows) {
  std::vector<Reason> all;
  for (const DerivativeRow& row : rows)
    for (std::size_t k = 0; k < row.cells.size(); ++k) {
      const Derivative& cell = row.cells[k];
      if (!cell.taken) continue;
      if (!cell.forwards.empty()) add(all, cell.forwards, false, row.name, k);
      if (!cell.backwards.empty()) add(all, cell.backwards, true, row.name, k);
    }
  return all;
}

}  // namespace gnomon::matrix
