#pragma once
/// \file
/// Records a run of an Integrator.

#include <memory>
#include <optional>
#include <vector>

#include "gnomon/run/sensitivities.hpp"
#include "gnomon/run/states_at_times.hpp"
#include "trajectory.hpp"
#include "watcher.hpp"

namespace gnomon::python {

class Recorder {
 public:
  struct Request {
    double t_end = 0, step = 0;                        ///< step 0: steps of a tolerance
    std::optional<std::vector<double>> times;          ///< where states are wanted; none: after every step
    bool every_step = false;                           ///< those too
    py::object events;                                 ///< see Watcher
    py::object progress;                               ///< called with the time, see Signals
    StatesAtTimes::SideMaker side;                     ///< a second integrator, for states between steps
    std::vector<Sensitivities::Parameter> parameters;  ///< by which derivatives are wanted
    Sensitivities::Make variant;
  };
  Recorder(const Instance& instance, Integrator& integrator, Request request);

  /// Runs to the end. Called and returned from without the interpreter's lock.
  StepReport run();
  /// After every step; false: enough.
  bool step_taken(const State& z);
  /// {"steps": .., "output": .., "raised": .., "no_derivative": why the run stopped for want of one,
  /// "derivative_warning", "steps_by", "output_by": derivatives}
  py::dict take();

 private:
  void add(Trajectory& states, Rows& derivatives, const State& z, double energy_error);
  /// Of the step that ended at z.
  const State& inside(const State& z, double t);
  void add_between(const State& at, bool end);
  double error_of(const State& z) const;
  double error_now() const { return integrator_.monitor().energy().last_error(); }

  const Instance& instance_;
  Integrator& integrator_;
  Request request_;
  Trajectory steps_, output_;
  std::unique_ptr<Sensitivities> sensitivities_;
  std::unique_ptr<Rows> of_steps_, of_output_;  ///< derivatives, a row a state: Sensitivities::motion()
  std::unique_ptr<StatesAtTimes> at_times_;
  Signals signals_;
  Watcher watcher_;
  std::optional<InsideStep> inside_;  ///< for events
};

}  // namespace gnomon::python
