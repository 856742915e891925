#pragma once
/// \file
/// Interrupt, termination and hang-up signals while a run is under way.

#include <csignal>

namespace gnomon::program {

/// While it lives the first such signal is remembered, and a second one ends the program at once. A signal that was
/// ignored before (nohup) still is. One at a time.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  /// Not 0 once a signal came; for IntegratorOptions::interrupt.
  static const volatile std::sig_atomic_t* caught();
  static bool interrupted() { return *caught() != 0; }
};

}  // namespace gnomon::program
