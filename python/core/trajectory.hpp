#pragma once
/// \file
/// The states that a run leaves behind, in rows that NumPy takes.

#include "gnomon/run/events.hpp"
#include "rows.hpp"

namespace gnomon::python {

/// The columns of a run.
class Trajectory {
 public:
  explicit Trajectory(const Instance& instance)
      : t_(1),
        y_(static_cast<std::size_t>(instance.width())),
        lambda_(static_cast<std::size_t>(instance.multipliers())),
        error_(1),
        turns_(static_cast<std::size_t>(instance.n_angles())) {}
  void reserve(std::size_t states);
  void add(const Instance& instance, const State& z, double energy_error);
  /// Of an interpolated or a reference's state.
  void add(double t, const ConstVectorRef& column, const Vector& lambda, double energy_error);
  void drop_last();
  std::size_t size() const { return t_.size(); }
  double last_time() const { return *t_.last(); }
  py::dict take();

 private:
  void add_rest(double t, const Vector& lambda, double energy_error);
  /// turns_: quarter turns of angles; NaN where they are not known.
  Rows t_, y_, lambda_, error_, turns_;
};

/// What happened at obstacles, as dicts.
py::list events_of(const std::vector<ContactEvent>& events);

}  // namespace gnomon::python
