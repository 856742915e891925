#pragma once
/// \file
/// Events of a run: what Python looks at after every step, and the solution inside the step.

#include <functional>
#include <optional>

#include "signals.hpp"

namespace gnomon::python {

/// An object of gnomon.events, called with (t0, t1, y1, at) after every step, or None.
class Watcher {
 public:
  using At = std::function<Vector(double t)>;
  Watcher(py::object events, Signals& signals) : events_(std::move(events)), signals_(signals) {}
  bool watches() const { return !events_.is_none(); }
  /// False: the run ends, at ended_at() inside this step where that is known; what the events raise is kept by signals.
  bool step(double t0, double t1, const Vector& y1, const At& at) {
    const py::gil_scoped_acquire locked;
    try {
      const py::cpp_function inside([&at](double t) { return array_of(at(t)); });
      const py::object end = events_(t0, t1, array_of(y1), inside);
      if (end.is_none()) return true;
      ended_at_ = end.cast<double>();
    } catch (py::error_already_set& error) {
      signals_.keep(error);
    }
    return false;
  }
  const std::optional<double>& ended_at() const { return ended_at_; }

 private:
  py::object events_;
  Signals& signals_;
  std::optional<double> ended_at_;
};

}  // namespace gnomon::python
