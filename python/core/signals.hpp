#pragma once
/// \file
/// Ctrl-C, looked for every few milliseconds.

#include <chrono>

#include "core.hpp"

namespace gnomon::python {

/// Asks the interpreter for pending signals, at most every 10 ms, and reads the clock no more than that needs.
class Signals : public Raised {
 public:
  /// True: a handler has raised, or had raised before; the exception is kept for raised().
  bool pending();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point asked_ = Clock::now();
  long calls_ = 0, every_ = 1;
};

}  // namespace gnomon::python
