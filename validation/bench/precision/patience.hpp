#pragma once
/// \file
/// When runs are given up.

#include <condition_variable>
#include <csignal>
#include <limits>
#include <mutex>
#include <thread>

#include "gnomon/base/interrupt.hpp"

namespace gnomon::bench {

/// An error, or a time, that nothing reaches.
inline constexpr double never = std::numeric_limits<double>::infinity();

struct Patience {
  double deadline = never;                                ///< processor_seconds() of it: the run fails
  const volatile std::sig_atomic_t* interrupt = nullptr;  ///< not 0: the run throws Interrupted

  bool interrupted() const { return flag_is_set(interrupt); }
  bool over() const;
};
struct Interrupted {};

/// A flag that is set when the patience with the thread that makes it is over, whatever that thread does.
class Alarm {
 public:
  explicit Alarm(const Patience& patience);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  const Patience& patience() const { return patience_; }
  /// For IntegratorOptions::interrupt.
  const volatile std::sig_atomic_t* flag() const { return patience_.deadline < never ? &over_ : patience_.interrupt; }
  bool over() const { return flag_is_set(flag()); }

 private:
  Patience patience_;
  volatile std::sig_atomic_t over_ = 0;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread clock_;  // looks at the processor time; none where there is no deadline
};

}  // namespace gnomon::bench
