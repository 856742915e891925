/// The exact ledger of discrete-derivative schemes: H1 - H0 = booked work in every step, to rounding.
#include <algorithm>
#include <cmath>
#include <limits>

#include "measure.hpp"
#include "setup.hpp"

namespace gnomon::validation {

namespace {

/// The largest work of one step: with a damper alone it must not be positive.
class LargestGain final : public Observer {
 public:
  bool observe(const State& z, long step) override {
    if (step > 0) gain_ = std::max(gain_, static_cast<double>(z.work - before_));
    before_ = z.work;
    return true;
  }
  double gain() const { return gain_; }

 private:
  long double before_ = 0;
  double gain_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

Quantities measure_ledger(const Registry& registry, const Case& c) {
  Integrator integrator = started(registry, build(registry, c), c.method);
  LargestGain gain;
  integrator.add_observer(gain);
  advance(integrator, c.steps, c.step.front());
  const InvariantMonitor& monitor = integrator.monitor();
  return {
      {"balance", monitor.energy().max_abs_error(), {}, "max |H - H0 - work| over the run"},
      {"gate-ratio", monitor.energy().max_abs_error() / monitor.energy_gate(), {}, "the same against the energy gate"},
      {"work", static_cast<double>(integrator.state().work), {}, "booked up to the end"},
      {"largest-gain", gain.gain(), {}, "largest work of one step"}};
}

}  // namespace gnomon::validation
