#pragma once
/// \file
/// What a run looks like over time, in bounded memory: the figures of a report, and the motion of the model's curves.

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/model/solids.hpp"
#include "gnomon/run/dense_output.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/scheme/state.hpp"
#include "traces/decimated_series.hpp"

namespace gnomon::traces {

/// What a state does not know of the step that led to it; NaN: not known.
struct StepFigures {
  double energy_error;  ///< H less what it should be; not known: H - H(t0) where nothing does work, else none
  double iterations;
  bool jumped = false;  ///< velocities may have jumped within the step, as at an obstacle
  /// Of the energy that the scheme conserves, where that is another one.
  double discrete_error = std::numeric_limits<double>::quiet_NaN();
  double energy_scale = 0;  ///< the largest |T| or |U| of the run so far; 0: not known
};

/// A run of a scheme or a reference, state by state.
class RunTrace {
 public:
  struct Spec {
    std::string name;  ///< in legends
    bool reference = false;
    bool own_steps = true;  ///< the states are the ends of its steps
    double t_end = 0;
    std::string promises;         ///< what it keeps exactly, in words; "" of a reference
    std::string discrete_energy;  ///< what the scheme calls the energy that it conserves, where that is another one
    /// Numbers that the motion may have in all.
    std::size_t most_numbers = 150000;
    /// Times, increasing, at which q is wanted, by dense output.
    std::vector<double> targets;
  };
  /// A figure over time.
  struct Curve {
    std::string name;
    DecimatedSeries series = DecimatedSeries();
  };
  /// An event of it, "landing", "floor.a"; the second may be empty.
  struct Event {
    double t;
    std::string kind, where;
  };
  /// q and its rate at the end of a step, and the outputs of the model, which a reference has not.
  struct Sample {
    double t;
    Vector q, v, outputs;
  };

  RunTrace(const ProblemInstance& instance, Spec spec);

  /// The state at the start and after every step. A state of an earlier time than the last one takes back what lies
  /// between.
  void add(const State& z, const StepFigures& figures);

  /// In the order of time. Where the run ended before the end, `stopped` says so.
  void set_events(std::vector<Event> events, bool stopped) {
    events_ = std::move(events);
    stopped_ = stopped;
  }

  const Spec& spec() const { return spec_; }
  const std::vector<Event>& events() const { return events_; }
  bool stopped() const { return stopped_; }
  double last_time() const { return before_.t; }
  /// The largest |T| or |U| of all states, without an additive constant of U: what errors of energy are parts of.
  double energy_scale() const { return energy_scale_; }
  const ProblemInstance& instance() const { return instance_; }
  long states() const { return states_; }
  bool conservative() const { return conservative_; }
  const DecimatedSeries& energy_error() const { return energy_error_; }
  const DecimatedSeries& kinetic() const { return kinetic_; }
  const DecimatedSeries& potential() const { return potential_; }
  const DecimatedSeries& position() const { return position_; }  ///< |g|_inf
  const DecimatedSeries& velocity() const { return velocity_; }  ///< |G v + g_t|_inf
  const DecimatedSeries& step() const { return step_; }
  const DecimatedSeries& iterations() const { return iterations_; }
  const DecimatedSeries& work() const { return work_; }             ///< booked by an integrator
  const std::vector<Curve>& momentum() const { return momentum_; }  ///< less the start
  const std::vector<Curve>& integrals() const { return integrals_; }
  const DecimatedSeries& discrete_error() const { return discrete_error_; }
  /// Every state or, of long runs, every second, fourth, ... one.
  const std::vector<Sample>& samples() const { return samples_; }
  /// Of the model, one entry of Sample::outputs each.
  const std::vector<Output>& outputs() const { return outputs_.outputs(); }
  /// q at the targets that were reached, one a column.
  const std::vector<Vector>& at_targets() const { return at_targets_; }

  /// Equal intervals of time at which the curves are shown.
  const std::vector<double>& frame_times() const { return frame_times_; }
  /// One out of how many points of a curve is shown.
  Index point_stride() const { return point_stride_; }
  /// The points of curve k that are shown.
  std::size_t shown_points(std::size_t k) const;
  /// By frame, curve, point and coordinate; all curves have `dimension` coordinates. Frames that were not reached are
  /// missing.
  const std::vector<double>& frames() const { return frames_; }
  const std::vector<gnomon::Curve>& curves() const { return curves_; }
  /// Bodies as surfaces, and by frame and solid the nine numbers of their origins and first two axes.
  const std::vector<Solid>& solids() const { return solids_; }
  const std::vector<double>& poses() const { return poses_; }
  int dimension() const { return dimension_; }

 private:
  void prepare_frames();
  void rewind(double t);
  void sample(const State& z);
  void between(const State& z, bool jumped);
  Vector position_at(const State& z, double t, bool jumped);
  void add_frame(double t, const Vector& q);

  ProblemInstance instance_;
  Spec spec_;
  bool conservative_ = false;
  long states_ = 0;
  Measured now_;
  std::optional<Measured> start_;
  double energy_scale_ = 0;
  std::vector<Event> events_;
  bool stopped_ = false;
  DecimatedSeries energy_error_, kinetic_, potential_, position_, velocity_, step_, iterations_, work_, discrete_error_;
  std::vector<Curve> momentum_, integrals_;

  EvaluatedOutputs outputs_;
  std::vector<Sample> samples_;
  std::size_t most_samples_ = 0;
  long sample_stride_ = 1;

  StepInterpolant interpolant_;
  bool set_ = false, refused_ = false;  ///< the interpolant of the step at hand
  State before_;
  std::vector<Vector> at_targets_;

  std::vector<gnomon::Curve> curves_;
  int dimension_ = 2;
  Index point_stride_ = 1;
  std::vector<double> frame_times_;
  std::size_t next_frame_ = 0, numbers_a_frame_ = 0;
  std::vector<double> frames_;
  std::vector<Solid> solids_;
  std::vector<double> poses_;
};

}  // namespace gnomon::traces
