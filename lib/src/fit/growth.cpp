#include "fit/growth.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

namespace {

/// The growth, in the second half, of a change that grows by the fourth power of time.
constexpr double by_power = 16;

/// Lengths of the change and of the motion after every step.
class Lengths final : public Observer {
 public:
  struct One {
    double t, dq, dv, way, speed;
  };
  Lengths(const Sensitivities& found, const System& system, const State& start)
      : found_(found), system_(system), q0_(start.q.value()) {}
  bool observe(const State& z, long) override {
    const Index n = system_.n();
    Vector scratch(n), v(n), dv(n);
    system_.velocity(z.q.value(), z.p.value(), scratch, v);
    system_.velocity(z.q.value(), found_.momenta().col(0), scratch, dv);
    all_.push_back({z.t, found_.positions().col(0).norm(), dv.norm(), (z.q.value() - q0_).norm(), v.norm()});
    return true;
  }
  const std::vector<One>& all() const { return all_; }

 private:
  const Sensitivities& found_;
  const System& system_;
  Vector q0_;
  std::vector<One> all_;
};

/// Numbers between 1/2 and 1 with signs, no two alike: no direction is left out.
Vector some_direction(Index n, double size, double phase) {
  Vector out(n);
  for (Index i = 0; i < n; ++i) {
    const double turn = std::sin(phase + 2.4 * static_cast<double>(i));
    out[i] = size * (turn < 0 ? -1 : 1) * (0.5 + 0.5 * std::abs(turn));
  }
  return out;
}

double size_of(const Vector& x) {
  const double size = x.lpNorm<Eigen::Infinity>();
  return size > 0 ? size : 1;
}

}  // namespace

bool Growth::exponential() const {
  return largest > by_power * half;
}

double Growth::doubling() const {
  return length / 2 / std::log2(largest / half);
}

Growth growth_of(const FittedMotion& motion, const FitSetup& setup, std::size_t record, const Vector& x,
                 double lost_at) {
  Growth out;
  const std::unique_ptr<Variant> main = motion.run_of(record, x);
  Integrator& run = main->integrator;
  const System& system = run.system();
  const Index n = system.n();
  const State start = run.state();
  Vector scratch(n), v(n);
  system.velocity(start.q.value(), start.p.value(), scratch, v);
  const Vector dq = some_direction(n, size_of(start.q.value()), 1), dv = some_direction(n, size_of(v), 2);
  const auto make = [&](std::size_t, double change) {
    ProblemInstance instance = main->instance;
    instance.q0 = start.q.value() + change * dq;
    instance.p0 = gnomon::momenta(*instance.model->mechanical(), instance.q0, v + change * dv);
    Integrator beside = setup.run(instance);
    return std::make_unique<Variant>(std::move(instance), std::move(beside));
  };
  Sensitivities found(run, {{"the start", 1, false, {}}}, make);
  if (!found.observe(run.state(), 0)) return out;
  Lengths lengths(found, system, start);
  lengths.observe(run.state(), 0);
  run.add_observer(found);
  run.add_observer(lengths);
  motion.advance(run, motion.end_of(record));

  double way = 0, speed = 0;
  for (const Lengths::One& one : lengths.all()) {
    way = std::max(way, one.way);
    speed = std::max(speed, one.speed);
  }
  if (!(way > 0 && speed > 0)) return out;
  const auto length = [&](const Lengths::One& one) { return std::hypot(one.dq / way, one.dv / speed); };
  const double first = length(lengths.all().front()), t0 = start.t;
  out.length = lengths.all().back().t - t0;
  for (const Lengths::One& one : lengths.all()) {
    const double growth = length(one) / first;
    out.largest = std::max(out.largest, growth);
    if (one.t - t0 <= out.length / 2) out.half = std::max(out.half, growth);
    if (std::isnan(out.lost) && growth >= lost_at) out.lost = one.t;
  }
  return out;
}

}  // namespace gnomon
