#pragma once
/// \file
/// Ensemble: many runs of one problem, whose parameters, starts and methods vary.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/ensemble/design.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon {

/// What is run. A variable of the design is named
///
///     NAME, or set.NAME      a parameter of the problem
///     start.X                entry X of q0, see coordinate_names.hpp
///     start.der(X)           entry of v0; p0 = M(q0) v0
///     start.p(X)             entry of p0
///     scheme  solver  step  rtol  until
///     option.NAME  solver-option.NAME
///
/// and replaces what the problem, or this, says. Where a start varies, the start of every run is projected onto the
/// constraints, see IntegratorOptions::project_start.
struct GNOMON_EXPORT EnsembleSetup {
  std::string problem;
  Assignments parameters;
  /// In place of the start of the problem; of an overdetermined DAE v0 is z0.
  std::optional<double> t0;
  std::optional<Vector> q0, v0;
  std::string scheme = "energy-momentum", solver = "kinsol-newton";
  Assignments scheme_options, solver_options;
  IntegratorOptions integrator;
  double step = 0;                       ///< 0: steps of a tolerance
  std::optional<Tolerances> tolerances;  ///< in place of a step
  double until = 0;
  long steps = 0;                 ///< in place of until, unless 0
  std::vector<std::string> keep;  ///< see kept_figures.hpp
  double time_limit = 0;          ///< seconds that one run may compute; 0: no limit
};

/// How a run ended.
enum class RunStatus {
  success,
  failed,          ///< the solver gave up, or the step became too small
  refused,         ///< parameters, start or method were refused
  promise_broken,  ///< it reached its end, and a promise of the scheme was seen broken
  time_limit,
};
GNOMON_EXPORT const char* to_string(RunStatus status);
/// Every status, in the order of their numbers.
GNOMON_EXPORT std::vector<std::string> run_statuses();

struct GNOMON_EXPORT EnsembleRow {
  long run = 0;
  RunStatus status = RunStatus::success;
  const double* values = nullptr;  ///< one a column
  std::string message;             ///< a sentence where status is not success
};

/// Where the numbers of the runs come from, and their rows go to.
class GNOMON_EXPORT EnsembleWork {
 public:
  virtual ~EnsembleWork() = default;
  /// The next runs, [begin, end); false where there are no more. May wait. Threads call it one at a time.
  virtual bool take(long& begin, long& end) = 0;
  /// A run that has ended. Threads call it one at a time; runs come in no order.
  virtual void done(const EnsembleRow& row) = 0;
  /// Called every few milliseconds by the thread that called Ensemble::run, while runs are under way.
  virtual void tick() {}
  /// The runs end early, by the interrupt or an exception: from now on take() returns false, and one that waits does.
  virtual void abandon() {}
};

/// All runs of [begin, end), handed out in ranges that become shorter towards the end.
class GNOMON_EXPORT RangeOfRuns {
 public:
  RangeOfRuns(long begin, long end) : next_(begin), end_(end) {}
  /// For one of `workers`.
  bool take(long workers, long& begin, long& end);
  long left() const { return end_ - next_; }

 private:
  long next_, end_;
};

/// Threads run it at once. What a run gives does not depend on the runs beside it and before it, nor on the number of
/// threads: the same bits.
class GNOMON_EXPORT Ensemble {
 public:
  /// Prepares the first run, and so finds what is wrong with all. Throws what Registry::build and
  /// Registry::integrator throw, Error(unknown_name) for a variable or figure with the nearest known ones. The registry
  /// outlives it.
  Ensemble(const Registry& registry, EnsembleSetup setup, Design design);
  ~Ensemble();

  const Design& design() const;
  const EnsembleSetup& setup() const;
  long runs() const { return design().runs(); }
  /// Names of the columns of a row: the variables, then the figures that are kept.
  const std::vector<std::string>& columns() const;
  /// The parameters, scheme, options and so on of a run, each as `name=value` with the names of EnsembleSetup.
  Assignments assignments(long run) const;

  /// Runs what `work` hands out, on `threads` threads beside the caller's. Returns false where the interrupt of the
  /// setup ended it: the runs under way then have no row. Throws what `work` throws, and what was not foreseen of a
  /// run, after the runs under way have ended.
  bool run(int threads, EnsembleWork& work) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gnomon
