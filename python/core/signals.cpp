#include "signals.hpp"

#include <algorithm>

namespace gnomon::python {

Raised::~Raised() {
  if (!raised_) return;
  const py::gil_scoped_acquire locked;
  raised_.reset();
}

bool Signals::pending() {
  if (raised_) return true;
  if (++calls_ < every_) return false;
  calls_ = 0;
  const auto passed = Clock::now() - asked_;
  using std::chrono::milliseconds;
  if (passed < milliseconds(2)) {
    every_ = std::min(2 * every_, 1024L);
    return false;
  }
  if (passed > milliseconds(20)) every_ = 1;
  asked_ = Clock::now();
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) {
    raised_.emplace();
    return true;
  }
  if (!position_) return false;
  try {
    progress_(position_());
  } catch (py::error_already_set& error) {
    keep(error);
  }
  return raised_.has_value();
}

void Signals::tell(py::object progress, std::function<double()> position) {
  if (progress.is_none()) return;
  progress_ = std::move(progress);
  position_ = std::move(position);
}

}  // namespace gnomon::python
