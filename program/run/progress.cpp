#include "program/run/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "program/cli/say.hpp"

namespace gnomon::program {

Progress::Progress(Trajectory& run)
    : run_(&run), t_end_(run.t_end()), next_(Clock::now() + std::chrono::milliseconds(500)) {
  watch(run);
}

Progress::Progress(ReferenceTrajectory& reference, double t_end)
    : run_(&reference),
      t_end_(t_end),
      name_("reference " + reference.name() + "  "),
      next_(Clock::now() + std::chrono::milliseconds(500)) {
  watch(reference);
}

void Progress::watch(Trajectory& run) {
  if (!is_terminal(stderr)) return;
  run.observe(*this);
  if (auto* const reference = dynamic_cast<ReferenceTrajectory*>(&run))
    reference->on_evaluation([this] { show_second_solution(); });
}

bool Progress::is_due() {
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  return true;
}

void Progress::show_second_solution() {
  if (run_->state().t < t_end_ || !is_due()) return;
  say(stderr, "\r{}at t = {:.6g}, a second solution shows its own error\033[K", name_, t_end_);
  std::fflush(stderr);
}

bool Progress::observe(const State& z, long step) {
  if (!is_due()) return true;
  const double t0 = run_->instance().t0, share = (z.t - t0) / (t_end_ - t0);
  const long steps = run_->planned_steps();
  const InvariantMonitor* const monitor = run_->monitor();
  say(stderr, "\r{}{:5.1f} %{}  t = {:<12.6g} step {}{}{}\033[K", name_, 100 * share, left_.text(share), z.t, step,
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
