#pragma once
/// \file
/// Progress of a run on a terminal.

#include <chrono>

#include "program/cli/terminal.hpp"
#include "program/run/trajectory.hpp"

namespace gnomon::program {

/// Shows progress, and the time that is left, on standard error five times a second.
class Progress final : public Observer {
 public:
  /// Of this run, if standard error is a terminal.
  explicit Progress(Trajectory& run);

  bool observe(const State& z, long step) override;
  /// Removes the progress line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  const Trajectory* run_;
  bool shown_ = false;
  TimeLeft left_;
  Clock::time_point next_;
};

}  // namespace gnomon::program
