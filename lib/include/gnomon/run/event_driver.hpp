#pragma once
/// \file
/// EventDriver: takes the steps of a run that are cut at events, by integrators of its own for the pieces between them.

#include <vector>

#include "gnomon/run/events.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

/// What an Integrator hands its steps to for a system with obstacles. The driver stands above the Integrator: it is
/// made by IntegratorOptions::event_driver and drives integrators of models without obstacles.
class GNOMON_EXPORT EventDriver {
 public:
  virtual ~EventDriver() = default;

  /// Throws Error(inconsistent_start) for a start inside an obstacle.
  virtual void start(double t0, const Vector& q0, const Vector& p0) = 0;
  /// One step of size h > 0. On failure everything is as before, events and book included.
  virtual bool step(double h, StepReport& report) = 0;
  /// Everything as before the last step, whether it failed or not.
  virtual void undo() = 0;

  /// lambda holds the multipliers of the constraints and then one for each obstacle.
  virtual const State& state() const = 0;
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
  /// Of the constraints of the system at the start.
  virtual const ConstraintRank& constraint_rank() const = 0;
  /// Where the constraints of the present phase, closed contacts among them, nearly lost their rank in the last step or
  /// before; step 0: nowhere.
  virtual const SingularPosition& singular_position() const = 0;
  /// Throws Error(refused) while nothing moves.
  virtual StepEquations& equations() = 0;
};

}  // namespace gnomon
