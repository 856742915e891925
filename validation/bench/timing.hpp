#pragma once
/// \file
/// Times pieces of work by Google Benchmark: repeated until a least time has passed, the best of several repetitions,
/// in processor time of the thread, so that other processes on the machine hardly count.

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/work.hpp"

namespace gnomon::bench {

/// What is timed, made when its turn comes and freed before the next one is made.
struct Task {
  std::string name;
  std::function<std::unique_ptr<Work>()> make;
  std::function<void(double seconds, Work& work)> done;  ///< takes the time of one run
  std::function<void(const std::string& why)> failed;
};

struct TimingRule {
  double least_seconds = 0.05;  ///< a repetition
  int repetitions = 3;
  double long_run = std::numeric_limits<double>::infinity();  ///< a run of so many seconds is timed once, not repeated
};

/// Times the tasks in order. A task that cannot be made (an exception) or fails is reported by `failed`.
void time_tasks(const std::vector<Task>& tasks, const TimingRule& rule);

}  // namespace gnomon::bench
