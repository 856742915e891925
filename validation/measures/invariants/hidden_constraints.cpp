/// The effect of the hidden constraints G v = 0 imposed beside g = 0: Leyendecker, Betsch, Steinmann, Remark 2.2,
/// "besides a prevention of oscillatory behaviour in the multipliers and the fulfillment of the 'hidden' constraints
/// themselves, the method did not influence the solution substantially".
#include <algorithm>

#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// q and lambda of every step.
class HiddenRun final : public Observer {
 public:
  HiddenRun(const Registry& registry, const ProblemInstance& instance, const Method& method, double h, double until) {
    Integrator run = started(registry, instance, method);
    run.add_observer(*this);
    advance(run, whole_steps(until - instance.t0, h), h);
    hidden_ = run.monitor().velocity_max();
  }
  bool observe(const State& z, long) override {
    q_.push_back(z.q.value());
    lambda_.push_back(z.lambda);
    return true;
  }
  double hidden() const { return hidden_; }
  /// How far the multipliers are from a smooth curve, sum |lambda_{n+1} - 2 lambda_n + lambda_{n-1}|/(4 sum
  /// |lambda_n|): one where they change their signs from step to step, O(h^2) where they are smooth.
  double oscillation() const {
    double second = 0, size = 0;
    for (std::size_t n = 1; n + 1 < lambda_.size(); ++n) {
      second += (lambda_[n + 1] - 2 * lambda_[n] + lambda_[n - 1]).norm();
      size += lambda_[n].norm();
    }
    return second / (4 * size);
  }
  double distance(const HiddenRun& other) const {
    double largest = 0, size = 0;
    for (std::size_t n = 0; n < q_.size(); ++n) {
      largest = std::max(largest, (q_[n] - other.q_[n]).norm());
      size = std::max(size, q_[n].norm());
    }
    return largest / size;
  }

 private:
  std::vector<Vector> q_, lambda_;
  double hidden_ = 0;
};

}  // namespace

Quantities measure_hidden_constraints(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  const HiddenRun with(registry, instance, c.method, h, c.until), without(registry, instance, c.other, h, c.until);
  return {{"hidden", with.hidden(), "max |G v|"},
          {"hidden-without", without.hidden(), "the same of " + c.other.scheme},
          {"oscillation", with.oscillation(), "of the multipliers: second differences beside their sizes"},
          {"oscillation-without", without.oscillation(), "the same of " + c.other.scheme},
          {"apart", with.distance(without), "max |q - q'|/max |q|"}};
}

}  // namespace gnomon::validation
