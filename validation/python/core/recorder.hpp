#pragma once
/// \file
/// What a run leaves behind: its states, in rows that NumPy takes; and Ctrl-C, looked for every few milliseconds.

#include <chrono>
#include <optional>
#include <vector>

#include "gnomon/run/dense_output.hpp"
#include "rows.hpp"

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

/// The columns of a run.
class Trajectory {
 public:
  Trajectory(Index width, Index multipliers)
      : t_(1), y_(static_cast<std::size_t>(width)), lambda_(static_cast<std::size_t>(multipliers)), error_(1) {}
  void reserve(std::size_t states);
  /// t: what the time of the state is called, where that differs by rounding.
  void add(const Instance& instance, const State& z, double energy_error, std::optional<double> t = {});
  /// Of an interpolated or a reference's state.
  void add(double t, const ConstVectorRef& column, const Vector& lambda, double energy_error);
  void drop_last();
  std::size_t size() const { return t_.size(); }
  double last_time() const { return *t_.last(); }
  py::dict take();

 private:
  void add_rest(double t, const Vector& lambda, double energy_error);
  Rows t_, y_, lambda_, error_;
};

/// Watches a run of an Integrator.
class Recorder {
 public:
  struct Request {
    double t_end = 0, step = 0;                ///< step 0: steps of a tolerance
    std::optional<std::vector<double>> times;  ///< where states are wanted; none: after every step
    bool every_step = false;                   ///< those too
    py::object watcher;                        ///< called with (t0, t1, y1, at) after every step, or None
  };
  Recorder(const Instance& instance, Integrator& integrator, Request request);

  /// Runs to the end. Called and returned from without the interpreter's lock.
  StepReport run();
  /// After every step; false: enough.
  bool step_taken(const State& z);
  /// {"steps": .., "output": .., "raised": ..}
  py::dict take();

 private:
  bool watch(const State& z);
  bool between_steps() const { return request_.step != 0 && !instance_.has_events(); }
  void interpolate_up_to(const State& z, double t);
  Vector column_at(const State& z, double t);
  double interpolated_error(const State& z, double t, const Vector& column) const;
  double error_now() const { return integrator_.monitor().energy().last_error(); }
  bool within(double t, double of) const;

  const Instance& instance_;
  Integrator& integrator_;
  Request request_;
  Trajectory steps_, output_;
  std::size_t next_ = 0;  ///< of request_.times
  State before_;
  StepInterpolant interpolant_;
  bool set_ = false;  ///< the interpolant is that of the step at hand
  std::optional<double> ended_at_;
  Signals signals_;
};

}  // namespace gnomon::python
