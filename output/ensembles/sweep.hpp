#pragma once
/// \file
/// A sweep: an ensemble whose rows are stored to a table, by threads and processes, and that goes on after any end.

#include <csignal>
#include <functional>
#include <string>

#include "ensembles/processes/processes.hpp"
#include "ensembles/store/sweep_table.hpp"

namespace gnomon::ensembles {

/// What is run.
struct SweepJob {
  Json::Value definition;  ///< see definition_of
  long begin = 0, end = 0;
  /// Ensemble::run, or what does as it does.
  std::function<bool(int threads, EnsembleWork& work)> run;
};
/// Of all runs of an ensemble, or a shard of them.
SweepJob sweep_job(const Ensemble& ensemble, const Shard& shard, const Json::Value& origin);

struct SweepProgress {
  long runs, done, failed;  ///< all; those that are done, before this too; of those done now that did not succeed
  long before;              ///< done before this
};

struct SweepSettings {
  std::string output;
  bool resume = false;
  int threads = 1;
  /// Not 0 once a signal came to this process. Null: none is looked for.
  const volatile std::sig_atomic_t* caught = nullptr;
  /// What the interrupt of the ensemble looks at: it is set where the runs are to end, in this process or another one.
  volatile std::sig_atomic_t* stop = nullptr;
  /// Called on rank 0 every few milliseconds.
  std::function<void(const SweepProgress&)> progress;
};

enum class SweepEnd {
  complete,      ///< the table is written
  was_complete,  ///< it was there already
  interrupted,   ///< the part folder is left to go on with
};

struct SweepResult {
  SweepEnd end = SweepEnd::complete;
  long before = 0, done = 0;  ///< runs done before, and now
  double seconds = 0;         ///< of the runs
  SweepSummary summary;       ///< on rank 0, where it is complete
};

/// Every process calls it, with the same job: prepare() is called on each, and where it throws, or something goes wrong
/// later, on one of them, all throw the same sentence as Error(refused).
SweepResult run_sweep(Processes& processes, const std::function<SweepJob()>& prepare, const SweepSettings& settings);

}  // namespace gnomon::ensembles
