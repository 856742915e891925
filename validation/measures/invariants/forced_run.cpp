/// A system driven by a force that ends: the energy balance while it works, and the energy afterwards.
#include <algorithm>
#include <cmath>
#include <limits>

#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// T + U of the states since the work last changed, for a mass that depends on q or not.
class Energies final : public Observer {
 public:
  explicit Energies(const System& system) : system_(&system) {
    v_.setZero(system.n());
    scratch_.setZero(system.n());
  }

  bool observe(const State& z, long) override {
    const Vector& q = z.q.value();
    system_->velocity(q, z.p.value(), scratch_, v_);
    energy = 0.5 * z.p.value().dot(v_) + system_->potential(z.t, q);
    if (first_) start = energy;
    if (first_ || z.work.total() != work_) {
      lowest = std::numeric_limits<double>::infinity();
      highest = -lowest;
    }
    lowest = std::min(lowest, energy);
    highest = std::max(highest, energy);
    work_ = z.work.total();
    first_ = false;
    return true;
  }

  double start = 0, energy = 0, lowest = 0, highest = 0;

 private:
  const System* system_;
  Vector v_, scratch_;
  long double work_ = 0;
  bool first_ = true;
};

constexpr int shown = 16;

}  // namespace

Quantities measure_forced_run(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = mechanical(instance);
  const double h = c.step.front();
  const long steps = whole_steps(c.until - instance.t0, h);
  Integrator integrator = started(registry, instance, c.method);
  Energies energies(system);
  energies.observe(integrator.state(), 0);
  integrator.add_observer(energies);

  Quantities series;
  long done = 0;
  for (int k = 1; k <= shown; ++k) {
    const long next = steps * k / shown;
    advance(integrator, next - done, h);
    done = next;
    const State& z = integrator.state();
    const std::string at = "at t = " + short_number(z.t);
    series.push_back({"energy-" + std::to_string(k), energies.energy, "T + U " + at});
    for (Index j = 0; j < std::min<Index>(3, system.n()); ++j)
      series.push_back({"q" + std::to_string(j + 1) + "-" + std::to_string(k), z.q.value()[j], at});
  }
  const InvariantMonitor& monitor = integrator.monitor();
  const double count = static_cast<double>(steps);
  Quantities out{
      {"energy-start", energies.start, "T + U at the start"},
      {"energy-rest", system.potential(instance.t0, Vector::Zero(system.n())), "U at q = 0"},
      {"energy-after-low", energies.lowest, "smallest T + U since the force ended"},
      {"energy-after-high", energies.highest, "largest"},
      {"work", static_cast<double>(integrator.state().work.total()), "booked up to the end"},
      {"balance", monitor.energy().max_abs_error(), "max |H + P - H0 - P0 - work|"},
      {"balance-gate-ratio", monitor.energy().max_abs_error() / monitor.energy_gate(),
       "the same / InvariantMonitor::energy_gate()"},
      {"position", monitor.position_max(), "max |g|"},
      {"velocity", monitor.velocity_max(), "max |G v|"},
      {"iterations", static_cast<double>(integrator.counters().iterations) / count, "Newton iterations a step"},
      {"repeated-solves", static_cast<double>(integrator.counters().repeated_solves) / count,
       "a step: updates of multipliers that another solve followed"},
      {"solves", 1 + static_cast<double>(integrator.counters().repeated_solves) / count, "nonlinear solves a step"}};
  for (Index j = 0; j < std::min<Index>(3, system.n()); ++j)
    out.push_back({"q" + std::to_string(j + 1), integrator.state().q.value()[j], "at the end"});
  out.insert(out.end(), series.begin(), series.end());
  return out;
}

}  // namespace gnomon::validation
