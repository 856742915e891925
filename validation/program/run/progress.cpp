#include "program/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace gnomon::program {

namespace {

volatile std::sig_atomic_t caught = 0;  // the only thing a signal handler may set

extern "C" void remember_signal(int signal) {
  caught = signal;
}

}  // namespace

Progress::Progress(double t0, double t_end, long steps, const InvariantMonitor& monitor)
    : t0_(t0),
      t_end_(t_end),
      steps_(steps),
      monitor_(&monitor),
      visible_(isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + std::chrono::milliseconds(500)) {
  std::signal(SIGINT, remember_signal);
  std::signal(SIGTERM, remember_signal);
}

Progress::~Progress() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Progress::interrupted() {
  return caught != 0;
}

bool Progress::observe(const State& z, long step) {
  if (caught) return false;
  if (!visible_) return true;
  const Clock::time_point now = Clock::now();
  if (now < next_) return true;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  fmt::print(stderr, "\r{:5.1f} %  t = {:<12.6g} step {} of {}  energy error {:.1e}\033[K",
             100 * (z.t - t0_) / (t_end_ - t0_), z.t, step, steps_, monitor_->energy().max_abs_error());
  std::fflush(stderr);
  return true;
}

void Progress::finish() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace gnomon::program
