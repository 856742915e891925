#include "timing.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>

namespace gnomon::bench {

namespace {

/// The work of the task that is being timed. Google Benchmark calls the timed function several times: the work is made
/// once.
struct Current {
  const Task* task = nullptr;
  std::unique_ptr<Work> work;
  TimedOnce last;  ///< of this task

  Work& of(const Task& wanted) {
    if (task != &wanted) {
      task = nullptr;
      work.reset();
      work = wanted.make();
      last = {};
      task = &wanted;
    }
    return *work;
  }
};

void time_task(benchmark::State& state, const Task& task, double long_run, Current& current) {
  try {
    Work& work = current.of(task);
    for (auto iteration : state) {
      static_cast<void>(iteration);
      const TimedOnce once = current.last.seconds < long_run ? time_once(work) : current.last;
      current.last = once;
      state.SetIterationTime(once.seconds);
      if (!once.failure.empty()) {
        state.SkipWithError(once.failure.c_str());
        return;
      }
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

/// Hands each task its best repetition as soon as it is known. Google Benchmark reports the runs of one task together
/// and the tasks in order.
class Reporter final : public benchmark::BenchmarkReporter {
 public:
  Reporter(const std::vector<Task>& tasks, Current& current) : tasks_(&tasks), current_(&current) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    double best = 0;
    std::string failure;
    bool any = false;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) {
        failure = run.error_message;
        continue;
      }
      const double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      best = any ? std::min(best, seconds) : seconds;
      any = true;
    }
    if (!any && failure.empty()) return;  // the statistics of the runs reported before
    const Task& task = (*tasks_)[next_++];
    if (failure.empty())
      task.done(best, current_->of(task));
    else
      task.failed(failure);
  }

 private:
  const std::vector<Task>* tasks_;
  Current* current_;
  std::size_t next_ = 0;
};

}  // namespace

void time_tasks(const std::vector<Task>& tasks, const TimingRule& rule) {
  Current current;
  for (const Task& task : tasks)
    benchmark::RegisterBenchmark(
        task.name.c_str(),
        [&task, &rule, &current](benchmark::State& state) { time_task(state, task, rule.long_run, current); })
        ->UseManualTime()
        ->MinTime(rule.least_seconds)
        ->Repetitions(rule.repetitions);
  Reporter reporter(tasks, current);
  benchmark::RunSpecifiedBenchmarks(&reporter, "all");
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace gnomon::bench
