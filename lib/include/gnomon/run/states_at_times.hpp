#pragma once
/// \file
/// States at given times, without disturbing the steps.

#include <functional>
#include <memory>
#include <vector>

#include "gnomon/run/dense_output.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

/// States inside a step of a run, without disturbing it. There are two ways:
///
///     polynomial   StepInterpolant: O(h^6) from the solution in q and O(h^5) in p where the steps are as accurate;
///                  energy and constraints are off by the error of the scheme's steps, not by rounding.
///     side step    a second integrator steps from the start of the step to the time: a state of the scheme, with its
///                  error, energy and constraints, whatever order, tolerance or events. It costs a step a time.
///
/// With steps of a tolerance the polynomial may be 4000 times the tolerance off, no polynomial goes over the events of
/// contacts and friction, and none exists in singular positions: there it should be side steps. Where the way that is
/// preferred fails the other one is taken; a state that neither finds is NaN.
class GNOMON_EXPORT InsideStep {
 public:
  /// Makes the second integrator, of the same problem, scheme, solver and options; it is called at most once.
  using SideMaker = std::function<Integrator()>;

  /// The run outlives it. prefer_side: side steps first; without `side` there are none.
  explicit InsideStep(const Integrator& run, SideMaker side = nullptr, bool prefer_side = false);
  ~InsideStep();

  /// The step to come begins at z.
  void begin(const State& z);
  const State& before() const { return before_; }
  /// The state at t, inside the step that ended at z; valid until the next call. Its work has, beside its own, what
  /// impacts change in the step after t. It is NaN where it is not known, the polynomial's in a step that did work.
  const State& at(const State& z, double t);
  long side_steps() const { return n_side_; }
  long polynomials() const { return n_polynomials_; }

 private:
  bool by_polynomial(const State& z, double t);
  bool by_side_step(double t);

  const Integrator* run_;
  SideMaker make_side_;
  bool prefer_side_;
  double impact_ = 0;  ///< of the run, before the step
  long n_side_ = 0, n_polynomials_ = 0;
  bool set_ = false;
  State before_, at_;
  Vector first_, second_;
  StepInterpolant interpolant_;
  std::unique_ptr<Integrator> side_;
};

/// An observer of a run that hands on states at given times. The steps of the run are the same, bit by bit, with and
/// without it. A time within 1e-9 of a step from its end gets the state there; between two ends it is that of
/// InsideStep.
class GNOMON_EXPORT StatesAtTimes final : public Observer {
 public:
  /// A state at one of the times. end: it is that at the end of the last step.
  using Receiver = std::function<void(const State& at, bool end)>;
  using SideMaker = InsideStep::SideMaker;

  /// times ascend. The run outlives it. side, prefer_side: of InsideStep. Throws Error(bad_value) where a time is not
  /// finite, not above the one before or before the state of the run.
  StatesAtTimes(const Integrator& run, std::vector<double> times, Receiver receiver, SideMaker side = nullptr,
                bool prefer_side = false);

  /// Once before the first step, then after every step: add_observer.
  bool observe(const State& z, long step) override;
  /// Times that have not been reached.
  std::size_t left() const { return times_.size() - next_; }
  long side_steps() const { return inside_.side_steps(); }
  long polynomials() const { return inside_.polynomials(); }

 private:
  std::vector<double> times_;
  Receiver receiver_;
  std::size_t next_ = 0;
  bool begun_ = false;
  State at_;
  InsideStep inside_;
};

/// The solution at the given times of a started run, one a column: positions q over velocities q', 2n x times; of an
/// overdetermined DAE y over z. The run takes steps of h up to the last time, and what lies between them is dense
/// output (StepInterpolant): the steps are those of advance_to(times.back(), h). With obstacles or friction steps end
/// at the times. Columns that were not reached are NaN, and `report`, unless it is null, says why. Throws
/// Error(bad_value) for times as StatesAtTimes does, and for h as Integrator::advance_to does.
GNOMON_EXPORT Matrix solve(Integrator& run, const std::vector<double>& times, double h, StepReport* report = nullptr);
/// The same with the steps of a tolerance, see Integrator::set_tolerances, which end at the times: states to that
/// tolerance.
GNOMON_EXPORT Matrix solve(Integrator& run, const std::vector<double>& times, StepReport* report = nullptr);

}  // namespace gnomon
