#include "traces/run_trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::traces {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_frames = 600, least_frames = 60;
constexpr std::size_t most_samples = 2000;
constexpr std::size_t pose_numbers = 9;
constexpr Index most_kept_numbers = 20000000;

/// Nothing does work, so that H is constant.
bool conserves(const Model& model) {
  if (!model.has_energy()) return false;
  if (const System* system = model.mechanical()) {
    const Parts& parts = system->parts();
    return !parts.force && !parts.friction && !parts.time_dependence && !parts.obstacles;
  }
  return model.overdetermined()->traits().hamiltonian;
}

}  // namespace

RunTrace::RunTrace(const ProblemInstance& instance, Spec spec)
    : instance_(instance),
      spec_(std::move(spec)),
      conservative_(conserves(*instance.model)),
      outputs_(instance),
      interpolant_(*instance.model) {
  if (const System* system = instance_.model->mechanical()) {
    const Parts& parts = system->parts();
    for (Index a = 0; a < parts.n_symmetries(); ++a)
      momentum_.push_back({parts.symmetries->symmetry_name(a), DecimatedSeries()});
    for (Index a = 0; a < parts.n_integrals(); ++a)
      integrals_.push_back({parts.integrals->integral_name(a), DecimatedSeries()});
  }
  const Index width = 2 * std::max<Index>(1, instance_.q0.size()) + static_cast<Index>(outputs().size());
  most_samples_ = std::clamp<std::size_t>(static_cast<std::size_t>(most_kept_numbers / width), 20, most_samples);
  prepare_frames();
}

/// As many frames as the numbers allow; where that leaves too few, of each curve every second, third, ... point.
void RunTrace::prepare_frames() {
  if (!instance_.curves) return;
  curves_ = instance_.curves->curves();
  if (curves_.empty()) return;
  if (instance_.solids) solids_ = instance_.solids->solids();
  for (const gnomon::Curve& curve : curves_) dimension_ = std::max(dimension_, curve.dimension);
  const auto numbers = [this] {
    std::size_t points = 0;
    for (std::size_t k = 0; k < curves_.size(); ++k) points += shown_points(k);
    return points * static_cast<std::size_t>(dimension_);
  };
  while (numbers() * least_frames > spec_.most_numbers && numbers() > 2 * curves_.size() * dimension_) ++point_stride_;
  numbers_a_frame_ = numbers();
  const std::size_t all = numbers_a_frame_ + pose_numbers * solids_.size();
  const std::size_t count = std::clamp<std::size_t>(spec_.most_numbers / all, 2, most_frames);
  for (std::size_t i = 0; i <= count; ++i)
    frame_times_.push_back(instance_.t0 +
                           (spec_.t_end - instance_.t0) * static_cast<double>(i) / static_cast<double>(count));
}

std::size_t RunTrace::shown_points(std::size_t k) const {
  const auto points = static_cast<std::size_t>(curves_[k].n_points), stride = static_cast<std::size_t>(point_stride_);
  return points < 2 ? points : (points - 2) / stride + 2;  // the last one always
}

void RunTrace::add(const State& z, const StepFigures& figures) {
  if (states_ > 0 && z.t < before_.t) rewind(z.t);
  const Model& model = *instance_.model;
  model.measure(z.view(), now_);
  if (!start_) start_ = now_;
  for (const double part :
       {static_cast<double>(now_.kinetic), static_cast<double>(now_.potential), figures.energy_scale})
    energy_scale_ = std::max(energy_scale_, std::abs(part));
  double error = figures.energy_error;
  if (std::isnan(error) && conservative_) error = static_cast<double>(now_.energy - start_->energy);
  energy_error_.add(z.t, error);
  if (model.has_energy()) {
    kinetic_.add(z.t, model.mechanical() ? static_cast<double>(now_.kinetic) : none);
    const long double u = model.mechanical() ? now_.potential : now_.energy;
    potential_.add(z.t, static_cast<double>(u + model.traits().energy_constant));
  }
  if (model.m() > 0) {
    position_.add(z.t, now_.position);
    velocity_.add(z.t, now_.velocity);
  }
  for (std::size_t a = 0; a < momentum_.size(); ++a)
    momentum_[a].series.add(z.t, now_.momentum[static_cast<Index>(a)] - start_->momentum[static_cast<Index>(a)]);
  for (std::size_t a = 0; a < integrals_.size(); ++a)
    integrals_[a].series.add(z.t, now_.integrals[static_cast<Index>(a)] - start_->integrals[static_cast<Index>(a)]);
  if (spec_.own_steps && states_ > 0 && z.t > before_.t) step_.add(z.t, z.t - before_.t);
  if (!std::isnan(figures.iterations)) iterations_.add(z.t, figures.iterations);
  if (!std::isnan(figures.discrete_error)) discrete_error_.add(z.t, figures.discrete_error);
  work_.add(z.t, static_cast<double>(z.work.total()));
  between(z, figures.jumped);
  sample(z);
  before_ = z;
  ++states_;
}

void RunTrace::rewind(double t) {
  for (DecimatedSeries* series :
       {&energy_error_, &kinetic_, &potential_, &position_, &velocity_, &step_, &iterations_, &work_, &discrete_error_})
    series->rewind(t);
  for (auto* curves : {&momentum_, &integrals_})
    for (Curve& curve : *curves) curve.series.rewind(t);
  while (!samples_.empty() && samples_.back().t > t) samples_.pop_back();
  while (next_frame_ > 0 && frame_times_[next_frame_ - 1] > t) --next_frame_;
  frames_.resize(std::min(frames_.size(), next_frame_ * numbers_a_frame_));
  poses_.resize(std::min(poses_.size(), next_frame_ * pose_numbers * solids_.size()));
  while (!at_targets_.empty() && spec_.targets[at_targets_.size() - 1] > t) at_targets_.pop_back();
  before_.t = t;
}

void RunTrace::sample(const State& z) {
  if (states_ % sample_stride_ != 0) return;
  if (samples_.size() >= most_samples_) {
    for (std::size_t i = 0; 2 * i < samples_.size(); ++i) std::swap(samples_[i], samples_[2 * i]);
    samples_.resize((samples_.size() + 1) / 2);
    sample_stride_ *= 2;
    if (states_ % sample_stride_ != 0) return;
  }
  Vector v(z.q.value().size()), scratch(z.q.value().size());
  instance_.model->velocity(z.view(), scratch, v);
  samples_.push_back({z.t, z.q.value(), std::move(v), spec_.reference ? Vector() : outputs_.evaluate(z)});
}

/// Frames and targets up to this state. Those at its own time, within rounding, take it as it is.
void RunTrace::between(const State& z, bool jumped) {
  set_ = refused_ = false;
  const double rounding = 1e-9 * (states_ > 0 ? z.t - before_.t : 1);
  const auto at = [&](double t) {
    return states_ == 0 || t >= z.t - rounding ? z.q.value() : position_at(z, t, jumped);
  };
  while (next_frame_ < frame_times_.size() && frame_times_[next_frame_] <= z.t + rounding) {
    add_frame(frame_times_[next_frame_], at(frame_times_[next_frame_]));
    ++next_frame_;
  }
  while (at_targets_.size() < spec_.targets.size() && spec_.targets[at_targets_.size()] <= z.t + rounding)
    at_targets_.push_back(at(spec_.targets[at_targets_.size()]));
}

/// Within the step to z, by dense output; where that has no accelerations, or not those of closed contacts, by the
/// cubic of positions and velocities; over an impact on a straight line.
Vector RunTrace::position_at(const State& z, double t, bool jumped) {
  const Model& model = *instance_.model;
  const System* system = model.mechanical();
  const Index n = z.q.value().size();
  if (!set_ && !refused_ && !jumped && !(system && system->parts().obstacles)) {
    try {
      interpolant_.set(before_, z);
      set_ = true;
    } catch (const Error&) {
      refused_ = true;
    }
  }
  if (set_) {
    Vector q(n), second(system ? n : instance_.p0.size());
    interpolant_.evaluate(t, 0, q, second);
    return q;
  }
  const double h = z.t - before_.t, s = (t - before_.t) / h, r = 1 - s;
  if (jumped) return r * before_.q.value() + s * z.q.value();
  Vector v0(n), v1(n), scratch(n);
  model.velocity(before_.view(), scratch, v0);
  model.velocity(z.view(), scratch, v1);
  return r * r * ((1 + 2 * s) * before_.q.value() + s * h * v0) + s * s * ((1 + 2 * r) * z.q.value() - r * h * v1);
}

void RunTrace::add_frame(double t, const Vector& q) {
  for (std::size_t k = 0; k < curves_.size(); ++k) {
    Matrix points(curves_[k].dimension, curves_[k].n_points);
    instance_.curves->curve_points(static_cast<Index>(k), t, q, points);
    const std::size_t shown = shown_points(k);
    for (std::size_t i = 0; i < shown; ++i) {
      const Index column = i + 1 == shown ? points.cols() - 1 : static_cast<Index>(i) * point_stride_;
      for (Index c = 0; c < dimension_; ++c) frames_.push_back(c < points.rows() ? points(c, column) : 0.0);
    }
  }
  Matrix pose;
  for (std::size_t k = 0; k < solids_.size(); ++k) {
    instance_.solids->pose(static_cast<Index>(k), t, q, pose);
    poses_.insert(poses_.end(), pose.data(), pose.data() + pose_numbers);
  }
}

}  // namespace gnomon::traces
