#pragma once
/// \file
/// A scheme's promises against what the monitor measures: one set of gates, for the conformance cases and for the watch
/// that an Integrator keeps.

#include <string>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/run/monitor.hpp"
#include "gnomon/scheme/constraint_terms.hpp"
#include "gnomon/scheme/scheme.hpp"

namespace gnomon {

/// The promises that a run can measure.
enum class Promise { energy, discrete_energy, position, hidden, momentum };

/// One of them, with what was measured up to a step.
struct GNOMON_EXPORT PromiseMeasure {
  Promise promise = Promise::energy;
  Index which = 0;  ///< of momentum: the symmetry
  double error = 0, gate = 0;
  /// E.g. "discrete-energy", "momentum-0".
  std::string name() const;
};

/// The sizes that errors of constraints and of momentum maps count against, the largest over the states that were
/// recorded: those of the terms of each g_i and (G v)_i (gnomon/model/constraint_sizes.hpp), and per symmetry |xi_a(q)|
/// |p|, in the metrics of M and M^-1, |p| and a hundredth of (2 E)^1/2, E the largest energy: at rest p is rounding.
class GNOMON_EXPORT PromiseScales {
 public:
  /// The model outlives it.
  explicit PromiseScales(const Model& model) : model_(&model), terms_(model) {}
  /// Forgets what was recorded, and takes the sizes of z.
  void start(const State& z);
  void record(const State& z);
  /// Counts, at z, the state of the last record, what rounding of q makes of G v among the sizes of velocities, and
  /// the monitor's pulled_speed among the sizes of velocities and of momentum maps.
  void count_rounding(const State& z, double pulled_speed);
  const Vector& positions() const { return positions_; }
  const Vector& velocities() const { return velocities_; }
  double momentum(Index a) const { return momentum_[a]; }
  void serialize(Archive& archive);

 private:
  const Model* model_;
  ConstraintTerms terms_;
  Vector scratch_, momentum_, positions_, velocities_;

  /// Momentum maps of a momentum of the size `p` in the metric of M^-1.
  void record_momentum(const State& z, double p);
};

/// The row that is farthest from zero for its size: its error, and `gate` times its size.
GNOMON_EXPORT PromiseMeasure worst_row(Promise promise, const Vector& errors, const Vector& sizes, double gate);

/// Calls visit(PromiseMeasure) for each promise that the monitor measures. The gates, with N steps:
///
///     energy, discrete energy    InvariantMonitor::energy_gate()
///     position, hidden           1e-13 times the size of the terms of the row
///     momentum                   1e-14 sqrt(N) max |xi_a| |p|
///
/// Beyond those of hidden rows and of momentum, PromiseScales::count_rounding counts too.
template <class Visit>
void for_each_promise(const Promises& promises, const InvariantMonitor& monitor, const PromiseScales& scales,
                      Visit&& visit) {
  if (promises.energy)
    visit(PromiseMeasure{Promise::energy, 0, monitor.energy().max_abs_error(), monitor.energy_gate()});
  if (promises.discrete_energy)
    visit(
        PromiseMeasure{Promise::discrete_energy, 0, monitor.discrete_energy().max_abs_error(), monitor.energy_gate()});
  if (promises.position)
    visit(worst_row(Promise::position, monitor.position_rows(), scales.positions(), thresholds::constraint_rounding));
  if (promises.hidden)
    visit(worst_row(Promise::hidden, monitor.velocity_rows(), scales.velocities(), thresholds::constraint_rounding));
  if (promises.momentum)
    for (std::size_t a = 0; a < monitor.momentum().size(); ++a) {
      const auto which = static_cast<Index>(a);
      visit(PromiseMeasure{Promise::momentum, which, monitor.momentum()[a].max_abs_error(),
                           monitor.rounding_gate() * scales.momentum(which)});
    }
}

/// A promise that was seen to be broken.
struct GNOMON_EXPORT BrokenPromise {
  PromiseMeasure measure;
  long step = 0;  ///< after which it was seen
  double t = 0;   ///< there
  /// E.g. "energy at step 64, t = 0.64: error 3.12e-09, at most 8.05e-13 is allowed".
  std::string text() const;
  void serialize(Archive& archive);
};

/// Compares the promises of a run with its monitor, at the gates of the conformance cases times ten.
class GNOMON_EXPORT PromiseWatch {
 public:
  static constexpr double margin = 10;

  explicit PromiseWatch(const Model& model) : scales_(model) {}
  /// At the start of a run; what check() needs is allocated here.
  void start(const State& z, const Promises& promises, const InvariantMonitor& monitor);
  /// After step `step`, which led to z: names each broken promise once.
  void check(const State& z, long step, const Promises& promises, const InvariantMonitor& monitor);
  /// In the order in which they were seen.
  const std::vector<BrokenPromise>& broken() const { return broken_; }
  void serialize(Archive& archive);

 private:
  PromiseScales scales_;
  std::vector<BrokenPromise> broken_;
};

}  // namespace gnomon
