#pragma once
/// \file
/// EnsembleRunner: prepares and runs one run of an ensemble after the other, on one thread.

#include <chrono>
#include <mutex>

#include "gnomon/ensemble/ensemble.hpp"
#include "gnomon/ensemble/kept_figures.hpp"

namespace gnomon {

/// What a variable replaces.
enum class Target {
  parameter,
  start_position,
  start_velocity,
  start_momentum,
  scheme,
  solver,
  step,
  relative_tolerance,
  until,
  scheme_option,
  solver_option
};

/// A variable, by what its name says.
struct Place {
  Target target = Target::parameter;
  std::string name;  ///< of the parameter, coordinate or option
};
bool varies(const std::vector<Place>& places, Target target);
/// Throws Error(unknown_name) for a name that is none of those of EnsembleSetup.
Place place_of(const Registry& registry, const EnsembleSetup& setup, const Variable& variable);

class EnsembleRunner {
 public:
  /// A row has `width` columns, the variables among them; not needed to prepare() only.
  EnsembleRunner(const Registry& registry, const EnsembleSetup& setup, const Design& design,
                 const std::vector<Place>& places, std::size_t width = 0);

  /// Makes the integrator of a run and starts it. Throws what that throws.
  void prepare(long run);
  const KeptFigures& figures() const { return *figures_; }

  /// False where stop() ended it: then there is no row. The row's values live until the next call.
  bool run(long run, EnsembleRow& row);

  /// From another thread: gives up the run under way, and every later one.
  void stop();
  /// From another thread: gives up the run under way if it has computed for longer than the time limit.
  void check_time();

 private:
  using Clock = std::chrono::steady_clock;
  class Watcher final : public Observer {
   public:
    explicit Watcher(EnsembleRunner& runner) : runner_(&runner) {}
    bool observe(const State&, long) override;

   private:
    EnsembleRunner* runner_;
  };

  void build();
  void make_integrator();
  void take_start(Vector& q, Vector& p) const;
  void start();
  StepReport advance();
  void set_time_frame(bool under_way);

  const Registry* registry_;
  const EnsembleSetup* setup_;
  const Design* design_;
  const std::vector<Place>* places_;
  std::size_t width_;

  std::vector<double> values_,
      built_;  // of the variables: of this run, and of what instance and integrator are made of
  ProblemInstance instance_;
  bool has_instance_ = false;
  double step_ = 0, until_ = 0;
  std::unique_ptr<KeptFigures> figures_;
  Watcher watcher_;
  std::optional<Integrator> integrator_;
  std::vector<double> row_;

  std::mutex mutex_;  // of what follows, which other threads read and write
  volatile std::sig_atomic_t interrupt_ = 0;
  bool stopped_ = false, late_ = false, under_way_ = false;
  Clock::time_point begin_;
};

}  // namespace gnomon
