#pragma once
/// \file
/// Progress of a run, and of the references beside it, on a terminal.

#include <chrono>
#include <string>

#include "program/cli/terminal.hpp"
#include "program/run/reference_trajectory.hpp"

namespace gnomon::program {

/// Shows progress, and the time that is left, on standard error five times a second.
class Progress final : public Observer {
 public:
  /// Of this run, if standard error is a terminal.
  explicit Progress(Trajectory& run);
  /// For a reference beside a run, which goes to t_end.
  Progress(ReferenceTrajectory& reference, double t_end);

  bool observe(const State& z, long step) override;
  /// Removes the progress line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void watch(Trajectory& run);
  bool is_due();
  /// A reference that has arrived and looks for its own error.
  void show_second_solution();

  const Trajectory* run_;
  double t_end_;
  std::string name_;  ///< of a reference beside a run
  bool shown_ = false;
  TimeLeft left_;
  Clock::time_point next_;
};

}  // namespace gnomon::program
