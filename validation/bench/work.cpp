#include "bench/work.hpp"

namespace gnomon::bench {

double processor_seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
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
