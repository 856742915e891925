#include "watcher.hpp"

namespace gnomon::python {

bool Watcher::step(double t0, double t1, const Vector& y1, const At& at) {
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

}  // namespace gnomon::python
