#pragma once
/// \file
/// The run of a reference: beside another run, or by itself.

#include <optional>

#include "gnomon/run/reference.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "program/run/trajectory.hpp"

namespace gnomon::program {

class ReferenceTrajectory final : public Trajectory {
 public:
  /// Starts it. Throws what Registry::reference, Options and Reference::start throw.
  ReferenceTrajectory(const Registry& registry, const std::string& name, ProblemInstance instance,
                      const Assignments& options, const Assignments& contact);
  /// The one whose name is given as that of a scheme, see start_trajectory.
  ReferenceTrajectory(const Registry& registry, ProblemInstance instance, RunArguments& arguments);

  const std::string& name() const { return facts_.arguments.scheme; }
  /// The tolerance that it begins with, and why that one.
  const ReferenceTolerance& wanted() const { return wanted_; }
  void set_wanted(ReferenceTolerance wanted) { wanted_ = std::move(wanted); }
  const State& state() const override { return state_; }
  std::string label() const override { return name() + tolerance_; }

  /// The observer is shown the states after the steps that the reference takes by itself; of one that takes none, as a
  /// closed form, those at the times of the page and at the end.
  void observe(Observer& observer) override;
  void fill(tables::StateColumns& columns, double* values) const override;
  std::unique_ptr<Observer> rows_at(std::vector<double> times, tables::StateColumns& columns, Row row) override;
  const char* between_steps() const override { return "the reference a second time, which ends a step at each time"; }
  std::unique_ptr<Observer> trace(RunPage& page) override;
  /// Called often while it goes on, and also while a second solution shows its own error, which no observer sees.
  void on_evaluation(std::function<void()> call) { on_evaluation_ = std::move(call); }

  bool advance() override { return advance_to(t_end_).success; }
  /// Stops where an observer says so, and at a signal.
  const ReferenceReport& advance_to(double t);
  RunReport report(std::vector<ReferenceOutcome> references) const override;

 private:
  void take(const ReferenceReport& at);
  void show();

  std::function<std::unique_ptr<ReferenceTrajectory>()> make_;  ///< the same once more
  std::unique_ptr<ReferenceSolution> solution_;
  RunFacts facts_;
  ReferenceTolerance wanted_;
  std::string tolerance_;
  std::function<void()> on_evaluation_;
  State state_;
  std::optional<Index1> index1_;  ///< of an overdetermined DAE
  std::vector<Observer*> observers_;
  std::vector<double> times_;  ///< of the page
  bool go_on_ = true;
  long step_ = 0;
  ReferenceReport end_;
};

/// The tolerance of a reference beside a run that says none: this part of the run's, or this one beside steps of one
/// size. Measured at the end of motions: multistep codes are off by 10 to 1000 times their tolerance, Gnomon by 0.03 to
/// 20 times its own.
constexpr double part_of_run = 1e-4, beside_fixed_steps = 1e-10;

/// Of these references each gets those of the options that it has. Throws Error(bad_value) for an option that none of
/// them has, and for a name that is there twice.
std::vector<std::unique_ptr<ReferenceTrajectory>> start_references(const Registry& registry,
                                                                   const RunArguments& arguments,
                                                                   const ProblemInstance& instance);

}  // namespace gnomon::program
