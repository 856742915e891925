/// Obstacles c(q) >= 0 that a penalty keeps: how deep the state goes in at the nodes, contact by contact.
#include <algorithm>

#include "measures/contact/contact_run.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// The deepest point of every interval in which some obstacle is penetrated, and the gap at equal intervals.
class Contacts final : public Observer {
 public:
  struct Contact {
    double t, depth;
  };

  explicit Contacts(const Obstacles& obstacles) : obstacles_(obstacles), c_(Vector::Zero(obstacles.n_obstacles())) {}

  bool observe(const State& z, long) override {
    obstacles_.obstacles(z.q.value(), c_);
    const double depth = -c_.minCoeff();
    if (depth > 0 && !inside_) contacts.push_back({z.t, depth});
    inside_ = depth > 0;
    if (inside_ && depth > contacts.back().depth) contacts.back() = {z.t, depth};
    gap = -depth;
    return true;
  }

  std::vector<Contact> contacts;
  double gap = 0;  ///< of the last state

 private:
  const Obstacles& obstacles_;
  Vector c_;
  bool inside_ = false;
};

constexpr int gaps_shown = 20;

}  // namespace

Quantities measure_penetration(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  const long steps = whole_steps(c.until - instance.t0, h);
  Integrator integrator = started(registry, instance, c.method);
  Contacts contacts(*with_obstacles(instance).parts().obstacles);
  integrator.add_observer(contacts);

  Quantities out;
  Quantities series;
  long done = 0;
  for (int k = 1; k <= gaps_shown; ++k) {
    const long next = steps * k / gaps_shown;
    advance(integrator, next - done, h);
    done = next;
    const double t = integrator.state().t;
    series.push_back({"gap-" + std::to_string(k), contacts.gap, "smallest c at t = " + short_number(t)});
  }
  double deepest = 0;
  for (const auto& contact : contacts.contacts) deepest = std::max(deepest, contact.depth);
  out.push_back({"penetration", deepest, "largest -c at the nodes"});
  out.push_back({"contacts", static_cast<double>(contacts.contacts.size()), ""});
  for (std::size_t k = 0; k < contacts.contacts.size() && k < 9; ++k) {
    const std::string name = "contact-" + std::to_string(k + 1);
    out.push_back({name, contacts.contacts[k].depth, "its largest -c"});
    out.push_back({name + "-time", contacts.contacts[k].t, "of that"});
  }
  const InvariantMonitor& monitor = integrator.monitor();
  out.push_back({"energy-relative", monitor.relative_energy_error(),
                 std::string(relative_energy_error_text) + ", H with the penalty"});
  out.push_back(
      {"energy-gate-ratio", monitor.energy().max_abs_error() / monitor.energy_gate(), "the same / (1e-14 sqrt(N))"});
  out.push_back({"iterations", static_cast<double>(integrator.counters().iterations) / static_cast<double>(steps),
                 "Newton iterations a step"});
  out.insert(out.end(), series.begin(), series.end());
  return out;
}

}  // namespace gnomon::validation
