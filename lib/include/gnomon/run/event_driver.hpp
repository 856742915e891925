#pragma once
/// \file
/// EventDriver: takes the steps of a run that are cut at events, by integrators of its own for the pieces between them.

#include <vector>

#include "gnomon/run/events.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

/// Says whether the error of a step is one that a tolerance allows.
class GNOMON_EXPORT StepJudge {
 public:
  virtual ~StepJudge() = default;
  /// Of a step from `before`, as far as `after`: error_q in units of q, error_v in units of q per unit of time.
  virtual bool passes(const State& before, const State& after, const Vector& error_q, const Vector& error_v) = 0;
};

/// What an Integrator hands its steps to for a system with obstacles. The driver stands above the Integrator: it is
/// made by IntegratorOptions::event_driver and drives integrators of models without obstacles.
class GNOMON_EXPORT EventDriver {
 public:
  virtual ~EventDriver() = default;

  /// As Integrator::start. Throws Error(inconsistent_start) for a start inside an obstacle.
  virtual void start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& turns) = 0;
  /// One step of size h > 0. On failure everything is as before, events and book included. With a judge the step fails
  /// as error_too_large where the errors of its smooth pieces, added up, do not pass; estimate_errors(true) goes
  /// before.
  virtual bool step(double h, StepReport& report, StepJudge* judge = nullptr) = 0;
  /// Smooth pieces estimate their errors from now on: see StepEquations::estimate_errors. Returns the lowest order of a
  /// piece; 0: the scheme has no estimate for all of them, and nothing changed. In a run that has begun, what the
  /// scheme keeps of earlier steps is forgotten.
  virtual int estimate_errors(bool on) = 0;
  /// Events happened in the last step: its error does not say how large the next one may be.
  virtual bool interrupted() const = 0;
  /// Nothing moves, under forces that change: no error says how fast.
  virtual bool waits() const = 0;
  /// Everything as before the last step, whether it failed or not.
  virtual void undo() = 0;

  /// lambda holds the multipliers of the constraints and then one for each obstacle.
  virtual const State& state() const = 0;
  /// From a state that a run had; where last_h is 0, without what the scheme keeps of earlier steps.
  virtual void restore(const State& checkpoint) = 0;
  /// Of the state, in the order of its lambda; see Integrator::index1_multipliers.
  virtual Vector index1_multipliers() const = 0;
  /// Everything, for a checkpoint; reading takes the place of start().
  virtual void serialize(Archive& archive) = 0;

  virtual const std::vector<ContactEvent>& events() const = 0;
  virtual EnergyBook book() const = 0;
  /// Impact losses up to now: H less them and the work booked in the state is what the run would conserve if it were
  /// exact.
  virtual long double impact_losses() const = 0;
  virtual double deepest_penetration() const = 0;
  virtual const Promises& promises() const = 0;
  virtual const RunCounters& counters() const = 0;
  /// The rank of the constraints of the system at the start.
  virtual const ConstraintRank& constraint_rank() const = 0;
  /// Where the constraints of the present phase, closed contacts among them, nearly lost their rank in the last step or
  /// before; step 0: nowhere.
  virtual const SingularPosition& singular_position() const = 0;
  /// Throws Error(refused) while nothing moves.
  virtual StepEquations& equations() = 0;
  /// See Integrator::solved_steps: those of the last piece of the last step.
  virtual void keep_solved_steps(bool on) = 0;
  virtual const std::vector<SolvedStep>& solved_steps() const = 0;
};

}  // namespace gnomon
