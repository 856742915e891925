#pragma once
/// \file
/// InvariantMonitor: always on; for each invariant and constraint the largest error and the drift slope, in O(1)
/// memory.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "gnomon/base/finite.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/model/model.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// One monitored scalar: error = value - initial value (constraints: the value itself, in max norm).
class GNOMON_EXPORT Drift {
 public:
  void start(long double initial);
  void record(double t, long double value);
  /// The value was changed from outside, to this one: that is no error.
  void shift(long double value) { initial_ = value - last_; }

  double initial() const { return static_cast<double>(initial_); }
  double last_error() const { return last_; }
  double max_abs_error() const { return max_abs_; }
  /// Least-squares slope of the error against time.
  double slope() const;
  /// Least-squares slope of log max|error| against log N over N = 2^k, k >= 10; 0 with fewer than three such points.
  /// Values below `floor` count as the floor, so that rounding noise does not look like growth.
  double growth_exponent(double floor) const;
  long count() const { return count_; }
  void serialize(Archive& archive);

 private:
  long double initial_ = 0;
  double last_ = 0, max_abs_ = 0;
  long count_ = 0;
  double mean_t_ = 0, mean_e_ = 0, stt_ = 0, ste_ = 0;
  std::array<double, 48> max_at_power_{};
  int powers_ = 0;
};

/// Measures the compensated state (value + tail) in extended precision where the model allows, so that what it reports
/// is the error of the run and not of the measurement. A model without an energy has constraint levels only.
class GNOMON_EXPORT InvariantMonitor {
 public:
  /// The model outlives it.
  explicit InvariantMonitor(const Model& model) : model_(&model) {}
  /// Evaluates everything at z. The energy is H and added_energy, which the scheme conserves together with it (see
  /// StepEquations::added_energy), less the work booked in z. False when a value is not finite; a callback may throw.
  bool evaluate(const State& z, long double added_energy = 0);
  /// The scheme's own energy of the step that led to the state of the last evaluate, see
  /// StepEquations::discrete_energy; counted from the first step on. False when it is not finite.
  bool evaluate_discrete(long double energy);
  /// Whether a row of g at the last evaluate, which was of z, is 1000 times the run's largest, and more than rounding.
  bool is_off_constraints(const State& z) const;
  /// The larger one of |T| and |U| at the last evaluate.
  double size_now() const;
  /// That energy at the last evaluate.
  long double energy_now() const { return energy_now_; }
  /// Takes the values of the last evaluate, which was of z, as the start of a run.
  void start(const State& z);
  /// Takes the values of the last evaluate as the end of a step.
  void record();
  /// Takes the values of the last evaluate as what an event has made of those of the last record: no error.
  void shift();

  const Drift& energy() const { return energy_; }
  const Drift& discrete_energy() const { return discrete_energy_; }  ///< without records: the scheme has none
  const std::vector<Drift>& momentum() const { return momentum_; }
  const std::vector<Drift>& integrals() const { return integrals_; }  ///< those that the system declares
  const Vector& position_rows() const { return position_rows_; }      ///< max over the run of |g_i|
  const Vector& velocity_rows() const { return velocity_rows_; }      ///< max over the run of |(G v + g_t)_i|
  double position_max() const { return max_norm(position_rows_); }    ///< max over the run of |g|_inf
  double velocity_max() const { return max_norm(velocity_rows_); }    ///< max over the run of |G v + g_t|_inf
  double kinetic_max() const { return kinetic_max_; }
  double potential_max() const { return potential_max_; }
  /// The energy that errors of energy are compared with: max(max|T|, max|U|).
  double energy_scale() const { return std::max(kinetic_max_, potential_max_); }
  /// max |H - H_expected| / max(max|T|, max|U|), H_expected = H at the start plus the booked work; zero without error.
  double relative_energy_error() const { return part_of(energy_.max_abs_error(), energy_scale()); }
  /// The gate for a promise of exact energy over N steps: r = 1e-14 sqrt(N) times E, the largest |T|, |U|. Where the
  /// error is above that, two more sizes count: sum_j |U_j q_j| instead of E, for what rounding of q makes of U where
  /// its terms cancel, and the energy of a speed that is off by r s, s = pulled_speed(): r s (2 E)^1/2 + (r s)^2/2.
  double energy_gate() const;
  /// The same for sizes of at most 1: 1e-14 sqrt(N).
  double rounding_gate() const;
  /// The speed that the forces of the start would make in the longest step, if nothing held them, in the mass norm:
  /// at exact rest that is what roundings of a step are parts of.
  double pulled_speed() const { return pull_ * longest_step_; }
  /// What was measured up to now, for a checkpoint. Reading takes the place of start(), after an evaluate(): throws
  /// Error(bad_file) where H differs by 1e-9 of the run's largest energy.
  void serialize(Archive& archive);
  /// Throws Error(bad_file) where the z of the last evaluate, that of a checkpoint, is off the constraints.
  void require_on_constraints(const State& z) const;

 private:
  const Model* model_;
  Measured now_;
  long double energy_now_ = 0;  ///< that of now_ and added_energy, less the booked work
  double t_ = 0, recorded_t_ = 0, longest_step_ = 0, pull_ = 0;
  Drift energy_, discrete_energy_;
  long double discrete_now_ = 0;
  bool discrete_known_ = false, discrete_shifted_ = false;
  std::vector<Drift> momentum_, integrals_;
  Vector position_rows_, velocity_rows_;
  double kinetic_max_ = 0, potential_max_ = 0, terms_max_ = 0, seen_pulled_ = 0;
  long steps_ = 0;
  bool started_ = false;

  void look_at_terms(const State& z);
  /// The longest step, that to the last evaluate among them.
  double step_now() const { return std::max(longest_step_, std::abs(t_ - recorded_t_)); }
};

}  // namespace gnomon
