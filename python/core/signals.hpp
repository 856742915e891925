#pragma once
/// \file
/// Ctrl-C, looked for every few milliseconds.

#include <chrono>
#include <optional>

#include "core.hpp"

namespace gnomon::python {

/// Asks the interpreter for pending signals, at most every 10 ms, and reads the clock no more than that needs.
class Signals {
 public:
  /// True: a handler has raised, or had raised before; the exception is kept for raised().
  bool pending();
  void keep(py::error_already_set& error) { raised_.emplace(std::move(error)); }
  /// Null where nothing was raised. With the interpreter's lock.
  py::object raised() const { return raised_ ? raised_->value() : py::none(); }
  ~Signals();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point asked_ = Clock::now();
  long calls_ = 0, every_ = 1;
  std::optional<py::error_already_set> raised_;
};

}  // namespace gnomon::python
