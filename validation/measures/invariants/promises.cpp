/// Conformance: every promise of a scheme, for the system it is bound to. What is not promised is not tested here;
/// negative controls are cases of their own.
#include <fmt/format.h>

#include <algorithm>

#include "measures/invariants/structure.hpp"
#include "measures/invariants/symplectic_exact.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

namespace {

/// The scales of the gates, over every step.
class ScalesObserver final : public Observer {
 public:
  explicit ScalesObserver(const Integrator& integrator) : scales_(integrator.model()) {
    scales_.start(integrator.state());
  }
  bool observe(const State& z, long) override {
    scales_.record(z);
    return true;
  }
  const PromiseScales& scales() const { return scales_; }

 private:
  PromiseScales scales_;
};

std::string note_of(const PromiseMeasure& found, const Integrator& integrator) {
  switch (found.promise) {
    case Promise::discrete_energy:
      return integrator.equations().discrete_energy_name();
    case Promise::hidden:
      return "against the terms of its row";
    case Promise::momentum:
      return integrator.system().parts().symmetries->symmetry_name(found.which);
    default:
      return {};
  }
}

/// What a run does to the energy and the constraints where nothing is promised of them: for the summary of a scheme.
void add_figures(Quantities& out, const Integrator& integrator) {
  const InvariantMonitor& monitor = integrator.monitor();
  const auto add = [&out](const char* name, double value, const char* note) {
    const bool measured = std::any_of(out.begin(), out.end(), [&](const Quantity& one) { return one.name == name; });
    if (!measured) out.push_back({name, value, note});
  };
  if (integrator.model().has_energy())
    add("energy-relative", monitor.relative_energy_error(), relative_energy_error_text);
  if (integrator.model().m() == 0) return;
  add("position", monitor.position_max(), "max |g|, not promised");
  add("hidden", monitor.velocity_max(), "max |G v|, not promised");
}

/// `steps` steps of h, and what the monitor measured of the quantities that the scheme promises to keep.
Promises run_and_check(Quantities& out, const Registry& registry, const ProblemInstance& instance, const Method& method,
                       long steps, double h) {
  Integrator integrator = started(registry, instance, method);
  ScalesObserver observer(integrator);
  integrator.add_observer(observer);
  advance(integrator, steps, h);
  for_each_promise(integrator.promises(), integrator.monitor(), observer.scales(), [&](const PromiseMeasure& found) {
    out.push_back({found.name(), found.error, note_of(found, integrator), Gate::at_most(found.gate)});
  });
  add_figures(out, integrator);
  return integrator.promises();
}

/// The method's own solution with 512 steps, for orders that are too high to be measured against a reference.
Comparison own_comparison(const Registry& registry, const ProblemInstance& instance, const Method& method,
                          double length) {
  const Phase fine = state_after(registry, instance, method, 512, length / 512);
  const Phase coarse = state_after(registry, instance, method, 256, length / 256);
  const double change = std::max(relative_error(coarse.q, fine.q), relative_error(coarse.p, fine.p));
  return {"its own solution with 512 steps", fine, std::max(change, 2e-14)};
}

}  // namespace

Quantities measure_promises(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  Quantities out;
  const Promises promises = run_and_check(out, registry, instance, c.method, c.steps, h);

  if (promises.symmetric)
    out.push_back({"symmetric", symmetry_defect(registry, instance, c.method, h, 5, 20), "step(-h) after step(h)",
                   Gate::at_most(1e-12)});
  if (promises.symplectic && instance.q0.size() <= 12 && c.symplectic_step > 0)
    out.push_back({"symplectic", symplectic_defect(registry, instance, c.method, c.symplectic_step, 10),
                   "change of dq^dp over 10 steps", Gate::at_most(1e-7)});
  if (promises.symplectic && instance.q0.size() <= 12) {
    Integrator integrator = started(registry, instance, c.method);
    if (integrator.equations().differentiate(nullptr))
      out.push_back({"symplectic-exact", exact_symplecticity(integrator, 100, h).defect, "change of dq^dp in a step",
                     Gate::at_most(1e-13)});
  }
  if (promises.order > 0 && promises.constrained_limit && c.order_until > 0) {
    Comparison comparison = best_comparison(registry, instance, instance.t0 + c.order_until);
    Convergence found = refine(registry, instance, c.method, comparison, c.order_until, 4096);
    // An order that is too high for the reference is measured against the method's own fine solution, over longer
    // horizons while the errors are below rounding; that solution must then agree with the reference. Points between
    // the reference's accuracy and steps too large to be asymptotic do not lie on a line.
    constexpr double straight = 0.15;
    bool settled = found.points == 3 && found.bend < straight;
    for (double length = c.order_until; !settled && length <= 4 * c.order_until; length *= 2) {
      const Comparison own = own_comparison(registry, instance, c.method, length);
      if (length == c.order_until) {
        const double apart = std::max(relative_error(own.z.q, comparison.z.q), relative_error(own.z.p, comparison.z.p));
        out.push_back({"limit", apart, "its own solution with 512 steps against " + comparison.name,
                       Gate::at_most(30 * comparison.accuracy + 10 * own.accuracy)});
      }
      const Convergence against_own = refine(registry, instance, c.method, own, length, 200, 1.5);
      settled = against_own.points == 3;
      if (!settled && found.points == 3) continue;  // bent, but better than nothing
      found = against_own;
      comparison.name = own.name;
    }
    const int momentum_order = promises.momentum_order > 0 ? promises.momentum_order : promises.order;
    const std::string note = fmt::format("{} steps against {}", found.points, comparison.name);
    const auto gate = [](int order) { return Gate::around(order, 0.15).or_better(Gate::Better::above); };
    out.push_back({"order-q", found.position_order, note, gate(promises.order)});
    out.push_back({"order-p", found.momentum_order, note, gate(momentum_order)});
  }
  return out;
}

Quantities measure_invariants(const Registry& registry, const Case& c) {
  Quantities out;
  run_and_check(out, registry, build(registry, c), c.method, c.steps, c.step.front());
  return out;
}

Quantities measure_symplectic(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  return {{"defect", symplectic_defect(registry, instance, c.method, c.symplectic_step, 10), ""}};
}

}  // namespace gnomon::validation
