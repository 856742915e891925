#pragma once
/// \file
/// Team: what processes do together, by messages to and from rank 0. Waiting sleeps, it takes no core.

#include <deque>
#include <exception>
#include <string>
#include <vector>

#include "ensembles/processes/processes.hpp"

namespace gnomon::ensembles {

class Team {
 public:
  explicit Team(Processes& processes) : processes_(&processes), boxes_(static_cast<std::size_t>(processes.size())) {}

  Processes& processes() const { return *processes_; }
  bool leads() const { return processes_->rank() == 0; }
  int size() const { return processes_->size(); }

  void send(int to, const std::string& message) { processes_->send(to, message); }
  void send_all(const std::string& message);
  /// The next message of this rank; false where there is none yet.
  bool next(int from, std::string& message);

  /// Every rank calls it; all get what rank 0 gives.
  std::string from_leader(const std::string& text);
  /// Every rank calls it, with a sentence where something is wrong with it: all throw the first of them, as
  /// Error(refused).
  void agree(const std::string& sentence);
  /// Every rank calls it: where one of the functions throws, all do.
  template <class F>
  void together(F&& function) {
    std::string sentence;
    try {
      function();
    } catch (const std::exception& error) {
      sentence = error.what();
    }
    agree(sentence);
  }

 private:
  /// The next message of from_leader or agree; others before it are dropped, they were on their way to work that has
  /// ended.
  std::string wait(int from);

  Processes* processes_;
  std::vector<std::deque<std::string>> boxes_;  // messages that have arrived, by rank
};

}  // namespace gnomon::ensembles
