#pragma once
/// \file
/// Work that is timed, in processor time of the thread: other processes on the machine hardly count.

#include <time.h>

#include <string>

namespace gnomon::bench {

/// A piece of work that can be done again from the same beginning.
class Work {
 public:
  virtual ~Work() = default;
  /// Goes back to the beginning; not timed.
  virtual void rewind() = 0;
  /// Does it; empty, or why it failed.
  virtual std::string run() = 0;
};

/// Processor time of this thread, or of that of a clock, in seconds.
double processor_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID);

/// Once: from the beginning to the end.
struct TimedOnce {
  double seconds = 0;   ///< processor time of the thread
  std::string failure;  ///< empty, or why it failed
};
/// What it throws is thrown.
TimedOnce time_once(Work& work);

}  // namespace gnomon::bench
