#include "bench/work.hpp"

#include <time.h>

namespace gnomon::bench {

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TimedOnce time_once(Work& work) {
  work.rewind();
  TimedOnce once;
  const double start = processor_seconds();
  once.failure = work.run();
  once.seconds = processor_seconds() - start;
  return once;
}

}  // namespace gnomon::bench
