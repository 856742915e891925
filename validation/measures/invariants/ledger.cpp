/// The energy balance of discrete-derivative schemes: H1 - H0 = booked work in every step, to rounding; and its terms
/// against the trapezoidal rule on the trajectory, with powers that no scheme evaluates.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// The largest work of one step: with a damper alone it must not be positive.
class LargestGain final : public Observer {
 public:
  bool observe(const State& z, long step) override {
    const long double work = z.work.total();
    if (step > 0) gain_ = std::max(gain_, static_cast<double>(work - before_));
    before_ = work;
    return true;
  }
  double gain() const { return gain_; }

 private:
  long double before_ = 0;
  double gain_ = -std::numeric_limits<double>::infinity();
};

/// The integrals over time of Q.v, of U_t and of lambda.g_t, lambda the index-1 multipliers, by the trapezoidal rule.
/// U_t is a central difference.
class Powers final : public Observer {
 public:
  explicit Powers(const System& system) : system_(&system) {
    for (Vector* v : {&v_, &scratch_, &force_, &a_}) v->setZero(system.n());
    for (Vector* v : {&lambda_, &rate_}) v->setZero(system.m());
  }
  bool observe(const State& z, long step) override {
    const Vector& q = z.q.value();
    system_->velocity(q, z.p.value(), scratch_, v_);
    double force = 0, potential = 0, support = 0;
    if (system_->parts().force) {
      system_->parts().force->force(z.t, q, v_, force_);
      force = force_.dot(v_);
    }
    if (system_->parts().time_dependence) {
      constexpr double d = 1e-4;
      potential = (system_->potential(z.t + d, q) - system_->potential(z.t - d, q)) / (2 * d);
      acceleration(*system_, z.t, q, v_, a_, lambda_);
      scratch_.setZero();
      system_->constraint_velocity(z.t, q, scratch_, rate_);  // of v = 0: g_t
      support = lambda_.dot(rate_);
    }
    if (step > 0) {
      of_force += 0.5 * z.last_h * (force_before_ + force);
      of_potential += 0.5 * z.last_h * (potential_before_ + potential);
      of_support += 0.5 * z.last_h * (support_before_ + support);
    }
    force_before_ = force;
    potential_before_ = potential;
    support_before_ = support;
    return true;
  }

  double of_force = 0, of_potential = 0, of_support = 0;

 private:
  const System* system_;
  Vector v_, scratch_, force_, a_, lambda_, rate_;
  double force_before_ = 0, potential_before_ = 0, support_before_ = 0;
};

/// |a - b| against b
double relative(long double a, double b) {
  return static_cast<double>(std::abs(a - b)) / (b != 0 ? std::abs(b) : 1);
}

}  // namespace

Quantities measure_ledger(const Registry& registry, const Case& c) {
  Integrator integrator = started(registry, build(registry, c), c.method);
  LargestGain gain;
  Powers powers(integrator.system());
  gain.observe(integrator.state(), 0);
  powers.observe(integrator.state(), 0);
  integrator.add_observer(gain);
  integrator.add_observer(powers);
  advance(integrator, c.steps, c.step.front());
  const InvariantMonitor& monitor = integrator.monitor();
  const Work& work = integrator.state().work;
  return {{"balance", monitor.energy().max_abs_error(), "max |H - H0 - work| over the run"},
          {"gate-ratio", monitor.energy().max_abs_error() / monitor.energy_gate(), "the same against the energy gate"},
          {"work", static_cast<double>(work.total()), "booked up to the end"},
          {"force", static_cast<double>(work.force), "of it by Q.dq"},
          {"potential", static_cast<double>(work.potential), "of it by D_t U"},
          {"position", static_cast<double>(work.position), "of it by lambda.D_t g"},
          {"velocity", static_cast<double>(work.velocity), "of it by gamma.D_t Psi"},
          {"force-trapezoidal", relative(work.force, powers.of_force), "relative to the integral of Q.v"},
          {"potential-trapezoidal", relative(work.potential, powers.of_potential), "relative to the integral of U_t"},
          {"support-trapezoidal", relative(work.position + work.velocity, powers.of_support),
           "relative to the integral of lambda.g_t"},
          {"largest-gain", gain.gain(), "largest work of one step"}};
}

}  // namespace gnomon::validation
