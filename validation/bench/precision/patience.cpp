#include "bench/precision/patience.hpp"

#include <pthread.h>

#include <chrono>

#include "bench/work.hpp"

namespace gnomon::bench {

bool Patience::over() const {
  return interrupted() || processor_seconds() >= deadline;
}

Alarm::Alarm(const Patience& patience) : patience_(patience) {
  over_ = patience.over() ? 1 : 0;
  if (over_ || patience.deadline == never) return;
  clockid_t clock;
  pthread_getcpuclockid(pthread_self(), &clock);
  clock_ = std::thread([this, clock] {
    constexpr std::chrono::milliseconds between(5);
    std::unique_lock<std::mutex> lock(mutex_);
    while (!end_.wait_for(lock, between, [this] { return ended_; }))
      if (patience_.interrupted() || processor_seconds(clock) >= patience_.deadline) return set_flag(over_, 1);
  });
}

Alarm::~Alarm() {
  if (!clock_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  clock_.join();
}

}  // namespace gnomon::bench
