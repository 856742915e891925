#include "program/run/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "program/cli/say.hpp"

namespace gnomon::program {

Progress::Progress(Trajectory& run) : run_(&run), next_(Clock::now() + std::chrono::milliseconds(500)) {
  if (is_terminal(stderr)) run.observe(*this);
}

bool Progress::observe(const State& z, long step) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return true;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  const double t0 = run_->instance().t0, share = (z.t - t0) / (run_->t_end() - t0);
  const long steps = run_->planned_steps();
  const InvariantMonitor* const monitor = run_->monitor();
  say(stderr, "\r{:5.1f} %{}  t = {:<12.6g} step {}{}{}\033[K", 100 * share, left_.text(share), z.t, step,
      steps > 0 ? fmt::format(" of {}", steps) : "",
      monitor ? fmt::format("  energy error {:.1e}", monitor->energy().max_abs_error()) : "");
  std::fflush(stderr);
  return true;
}

void Progress::finish() {
  if (shown_) say(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace gnomon::program
