#pragma once
/// \file
/// How the inputs of a campaign ended, and what they found; from any thread.

#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include "campaign/campaign.hpp"

namespace gnomon::campaign {

class Tally {
 public:
  explicit Tally(const Range& range) : range_(range) {}

  void add(const std::string& outcome) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++outcomes_[outcome];
  }
  /// Prints it with the numbers that repeat it.
  void found(long number, const std::string& input, const std::string& what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++findings_;
    std::printf("--seed %llu --first %ld --count 1 (%s): %s\n", static_cast<unsigned long long>(range_.seed), number,
                input.c_str(), what.c_str());
    std::fflush(stdout);
  }
  /// The table; returns the number of findings.
  long print() const {
    for (const auto& [outcome, count] : outcomes_) std::printf("%8ld  %s\n", count, outcome.c_str());
    return findings_;
  }

 private:
  const Range& range_;
  std::mutex mutex_;
  std::map<std::string, long> outcomes_;
  long findings_ = 0;
};

}  // namespace gnomon::campaign
