#pragma once
/// \file
/// Ctrl-C, looked for every few milliseconds, and progress, told as often.

#include <chrono>
#include <functional>

#include "core.hpp"

namespace gnomon::python {

/// Asks the interpreter for pending signals, at most every 10 ms, and reads the clock no more than that needs.
class Signals : public Raised {
 public:
  /// True: a handler has raised, or had raised before; the exception is kept for raised().
  bool pending();
  /// From now on pending() calls progress(position()), too, unless it is None; what that raises is kept likewise.
  void tell(py::object progress, std::function<double()> position);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point asked_ = Clock::now();
  long calls_ = 0, every_ = 1;
  py::object progress_;
  std::function<double()> position_;
};

}  // namespace gnomon::python
