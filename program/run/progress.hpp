#pragma once
/// \file
/// Progress of a run on a terminal, and the way to interrupt it.

#include <chrono>

#include "gnomon/run/integrator.hpp"
#include "program/cli/terminal.hpp"
#include "program/run/signals.hpp"

namespace gnomon::program {

/// Shows progress, and the time that is left, on standard error five times a second if that is a terminal. The first signal stops the run after the
/// last good step, so that what was computed is kept; see Signals.
class Progress final : public Observer {
 public:
  /// steps: 0 where their number is not known.
  Progress(double t0, double t_end, long steps, const InvariantMonitor& monitor);

  bool observe(const State& z, long step) override;
  /// Removes the progress line.
  void finish();
  static bool interrupted();

 private:
  Signals signals_;
  using Clock = std::chrono::steady_clock;
  double t0_, t_end_;
  long steps_;
  const InvariantMonitor* monitor_;
  bool visible_, shown_ = false;
  TimeLeft left_;
  Clock::time_point next_;
};

}  // namespace gnomon::program
