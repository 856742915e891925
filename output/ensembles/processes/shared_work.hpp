#pragma once
/// \file
/// SharedWork: runs that several processes share. Rank 0 hands out ranges of them; each process hands its ranges to its
/// threads, and asks for the next before they are empty. All messages go between the main threads, in tick().

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "ensembles/processes/gaps.hpp"
#include "ensembles/processes/team.hpp"
#include "ensembles/store/records.hpp"
#include "ensembles/sweep.hpp"

namespace gnomon::ensembles {

/// Messages, as words with spaces between them:
///
///     to rank 0      ask N F    the next range, please; N runs are done by now, F of them did not succeed
///                    done N F
///                    left N F   all of them are; no more messages
///                    broken N F the same, because of an error or a signal
///     from rank 0    range B E  runs B .. E-1
///                    none       there are no more
///                    stop       end the runs that are under way
class SharedWork final : public EnsembleWork {
 public:
  /// gaps: on rank 0, what is to be done of `runs` runs.
  SharedWork(Team& team, Gaps gaps, std::unique_ptr<RecordWriter> writer, const SweepSettings& settings, long runs);

  /// Does all runs, until they are done on all ranks. What was thrown, as a sentence, or "".
  std::string run(const std::function<bool(int, EnsembleWork&)>& ensemble);
  /// Runs that are done, on rank 0 by all.
  long done() const;
  /// A signal ended it, on rank 0 that of any process.
  bool interrupted() const { return interrupted_; }

  bool take(long& begin, long& end) override;
  void done(const EnsembleRow& row) override;
  void tick() override;
  void abandon() override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Tally {
    long done = 0, failed = 0;
  };
  Tally own() const;
  Tally total() const;
  void stop_runs();
  void stop_all();
  void ask_and_tell();
  void serve();
  void answer(int rank, const std::string& message);
  void wait_for_others();

  Team* team_;
  const SweepSettings* settings_;
  std::unique_ptr<RecordWriter> writer_;
  long runs_, before_;

  mutable std::mutex mutex_;  // of what follows, up to the tally
  std::condition_variable more_;
  Gaps gaps_;  // on rank 0: of all
  Gaps hand_;  // of this process
  bool over_ = false;
  Tally own_;

  // Of the main thread.
  std::vector<Tally> tallies_;  // on rank 0, by rank
  std::vector<bool> left_;
  bool asked_ = false, interrupted_ = false, stopped_ = false;
  long given_ = 0;  // runs of the range that was given last
  Clock::time_point told_;
};

}  // namespace gnomon::ensembles
