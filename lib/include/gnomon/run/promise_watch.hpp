#pragma once
/// \file
/// A scheme's promises against what the monitor measures: one set of gates, for the conformance cases and for the watch
/// that an Integrator keeps.

#include <string>
#include <vector>

#include "gnomon/run/monitor.hpp"
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

/// Largest |v| and, per symmetry, largest |xi_a(q)| |p| over the states that were recorded: the scales of the hidden
/// constraint and of the momentum maps. And the sizes of the terms of g and of G v, whose rounding is an error that no
/// scheme can avoid: largest sum_j |G_ij q_j| and sum_j |G_ij v_j|.
class GNOMON_EXPORT PromiseScales {
 public:
  /// The model outlives it.
  explicit PromiseScales(const Model& model) : model_(&model) {}
  /// Forgets what was recorded, and takes the sizes of z.
  void start(const State& z);
  void record(const State& z);
  double speed() const { return speed_; }
  double momentum(Index a) const { return momentum_[a]; }
  double position_terms() const { return position_terms_; }
  double velocity_terms() const { return velocity_terms_; }
  void serialize(Archive& archive);

 private:
  const Model* model_;
  Vector v_, scratch_, momentum_, jacobian_;
  double speed_ = 0, position_terms_ = 0, velocity_terms_ = 0;
};

/// Calls visit(PromiseMeasure) for each promise that the monitor measures. The gates, with N steps:
///
///     energy, discrete energy    1e-14 sqrt(N) max(1, max|T|, max|U|)
///     position                   1e-13
///     hidden                     1e-13 max(1, max|v|)
///     momentum                   1e-14 sqrt(N) max(1, max |xi_a| |p|)
template <class Visit>
void for_each_promise(const Promises& promises, const InvariantMonitor& monitor, const PromiseScales& scales,
                      Visit&& visit) {
  const auto at_least_one = [](double scale) { return scale > 1 ? scale : 1; };
  if (promises.energy)
    visit(PromiseMeasure{Promise::energy, 0, monitor.energy().max_abs_error(), monitor.energy_gate()});
  if (promises.discrete_energy)
    visit(
        PromiseMeasure{Promise::discrete_energy, 0, monitor.discrete_energy().max_abs_error(), monitor.energy_gate()});
  if (promises.position) visit(PromiseMeasure{Promise::position, 0, monitor.position_max(), 1e-13});
  if (promises.hidden)
    visit(PromiseMeasure{Promise::hidden, 0, monitor.velocity_max(), 1e-13 * at_least_one(scales.speed())});
  if (promises.momentum)
    for (std::size_t a = 0; a < monitor.momentum().size(); ++a) {
      const auto which = static_cast<Index>(a);
      visit(PromiseMeasure{Promise::momentum, which, monitor.momentum()[a].max_abs_error(),
                           monitor.rounding_gate() * at_least_one(scales.momentum(which))});
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

/// Compares the promises of a run with its monitor, at the gates of the conformance cases times ten. Those of the
/// constraints are for models of size one: where their terms are larger, by so much more.
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
  double terms_of(Promise promise) const;

  PromiseScales scales_;
  std::vector<BrokenPromise> broken_;
};

}  // namespace gnomon
