#include "program/run/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace gnomon::program {

Progress::Progress(double t0, double t_end, long steps, const InvariantMonitor& monitor)
    : t0_(t0),
      t_end_(t_end),
      steps_(steps),
      monitor_(&monitor),
      visible_(is_terminal(stderr)),
      next_(Clock::now() + std::chrono::milliseconds(500)) {}

bool Progress::interrupted() {
  return *Signals::caught() != 0;
}

bool Progress::observe(const State& z, long step) {
  if (interrupted()) return false;
  if (!visible_) return true;
  const Clock::time_point now = Clock::now();
  if (now < next_) return true;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  const double share = (z.t - t0_) / (t_end_ - t0_);
  fmt::print(stderr, "\r{:5.1f} %{}  t = {:<12.6g} step {}{}  energy error {:.1e}\033[K", 100 * share,
             left_.text(share), z.t, step, steps_ > 0 ? fmt::format(" of {}", steps_) : "",
             monitor_->energy().max_abs_error());
  std::fflush(stderr);
  return true;
}

void Progress::finish() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace gnomon::program
