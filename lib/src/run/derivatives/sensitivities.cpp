#include "gnomon/run/sensitivities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "run/derivatives/step_line.hpp"
#include "start/saddle_point.hpp"

namespace gnomon {

namespace {

/// Changes of a parameter, in parts of its size: the largest one, and how many times smaller ones are tried.
constexpr double largest_change = 0x1p-9, smaller = 0.25;
constexpr int most_changes = 24, most_over_events = 8;  // events of changes as small as rounding say nothing
/// Steps before a larger change is tried again, and twice as many each time that it is too large.
constexpr int first_patience = 256, most_patience = 1 << 20;
/// Changes of positions count against those of velocities in so many steps.
constexpr double time_in_steps = 16;

}  // namespace

Variant::Variant(ProblemInstance changed, Integrator run)
    : instance(std::move(changed)), integrator(std::move(run)), outputs(instance) {}

Index size_of_motion(const Variant& of) {
  const Model& model = of.integrator.model();
  return 2 * model.mechanical()->n() + n_state_multipliers(model) + static_cast<Index>(of.outputs.outputs().size());
}

void measure_motion(Variant& of, const State& z, VectorRef out) {
  const System& system = of.integrator.system();
  const Index n = system.n(), m = n_state_multipliers(system);
  const Windings turns(z.turns);
  out.head(n) = z.q.value();
  Vector scratch(n), v(n);
  system.velocity(z.q.value(), z.p.value(), scratch, v);
  out.segment(n, n) = v;
  try {
    if (system.parts().obstacles) {
      of.integrator.restore(z);
      out.segment(2 * n, m) = of.integrator.index1_multipliers();
    } else {
      out.segment(2 * n, m) = index1_multipliers(system, z.view());
    }
  } catch (const std::exception&) {
    out.segment(2 * n, m).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  out.tail(out.size() - 2 * n - m) = of.outputs.evaluate(z);
}

namespace {

/// By which part of a derivative another one differs from it. What differs by no more than the rounding of the state
/// after the largest change does not differ: derivatives that are zero are known to that. Positions count against
/// velocities in a time; where that is zero, each part by itself. Also how far states are apart.
class Remainder {
 public:
  Remainder(const Mass& mass, const State& z, double time, double rounding = thresholds::term_rounding)
      : rounding_(rounding), weights_(mass.diagonal_entries().cwiseAbs().cwiseSqrt()), z_(z), time_(time) {}

  double operator()(const Vector& off_q, const Vector& off_p, const Vector& q, const Vector& p, double largest) const {
    const auto part = [this, largest](double off, double size, double whole) {
      return off == 0 || off * largest <= rounding_ * whole ? 0 : off / size;
    };
    // At rest momenta are rounding: they count against those of all energy.
    const double z_q = of_q(z_.q.value()), z_p = std::max(of_p(z_.p.value()), std::sqrt(2 * z_.energy_scale));
    if (time_ == 0) return std::max(part(of_q(off_q), of_q(q), z_q), part(of_p(off_p), of_p(p), z_p));
    return part(both(off_q, off_p), both(q, p), std::max(z_q / time_, z_p));
  }
  /// From the state to another one after the same step, as a part of it.
  double apart(const State& other) const {
    const double whole = std::max(both(z_.q.value(), z_.p.value()), std::sqrt(2 * z_.energy_scale));
    const double off = both(other.q.value() - z_.q.value(), other.p.value() - z_.p.value());
    return off == 0 ? 0 : off / whole;
  }
  /// Whether a change of a derivative shows in the state: is above its rounding.
  bool shows(const Vector& q, const Vector& p, double change) const {
    const Vector &z_q = z_.q.value(), &z_p = z_.p.value();
    return of_q(q) * change > thresholds::change_rounding * of_q(z_q) ||
           of_p(p) * change > thresholds::change_rounding * std::max(of_p(z_p), std::sqrt(2 * z_.energy_scale));
  }

 private:
  double of_q(const Vector& q) const { return q.cwiseProduct(weights_).lpNorm<Eigen::Infinity>(); }
  double of_p(const Vector& p) const { return p.cwiseQuotient(weights_).lpNorm<Eigen::Infinity>(); }
  double both(const Vector& q, const Vector& p) const { return std::max(of_q(q) / time_, of_p(p)); }

  double rounding_;
  Vector weights_;
  const State& z_;
  double time_;
};

}  // namespace

/// The motion's changes with one parameter.
struct Sensitivities::Direction {
  std::size_t parameter = 0;
  double change = 0;  ///< a
  std::array<std::unique_ptr<Variant>, n_points> variants;
  StepLine::States at;  ///< the states at the points
  struct Change {
    Vector q, p, data, lambda, held;
  };
  Change start, end, shown;  ///< dz of the last step, and of the state
  bool shows = false;        ///< a change has been above the rounding of the state

  void change_by(double factor) {
    change *= factor;
    for (auto& variant : variants) variant.reset();
  }
  /// Before the change of a step is looked for: from time to time with a larger one than in the step before, at most
  /// `largest`, which may have become possible again. Returns the change.
  double begin(double largest, bool at_start) {
    tries_ = !at_start && change < largest && --steps_left_ <= 0;
    if (tries_) change_by(1 / smaller);
    return change;
  }
  /// at_first: what begin() returned.
  void end_search(double at_first) {
    if (!tries_) return;
    patience_ = change < at_first ? std::min(2 * patience_, most_patience) : first_patience;
    steps_left_ = patience_;
  }

  /// d f(k)/d s of what f gives at the points
  template <class F>
  Vector slope(const F& f) const {
    Vector sum;
    for (std::size_t k = 0; k < n_points; ++k) {
      const InUse in_use(*variants[k]);
      const Vector term = (k % 2 == 0 ? 1 : -1) * static_cast<double>(sixth[k / 2]) * Vector(f(k));
      sum = k == 0 ? term : Vector(sum + term);
    }
    return sum / change;
  }
  /// By which the middle of the points is off the end of the step that was taken again, over the change. Points on
  /// different branches of a function have another middle, whatever their differences are.
  template <class Part>
  void off_middle(const State& middle, const Part& part, Vector& out) const {
    for (Index j = 0; j < out.size(); ++j) {
      const auto pair = [&](std::size_t k) { return static_cast<Extended>(part(at[k], j)) + part(at[k + 1], j); };
      out[j] = static_cast<double>(((15 * pair(0) - 6 * pair(2) + pair(4)) / 20 - part(middle, j)) / change);
    }
  }
  template <class Part>
  void combine(const LineWeights& weights, const Part& part, Vector& out) const {
    for (Index j = 0; j < out.size(); ++j)
      out[j] = static_cast<double>(difference(weights, [&](std::size_t k) { return part(at[k], j); }) / change);
  }

 private:
  int patience_ = first_patience, steps_left_ = first_patience;
  bool tries_ = false;
};

Sensitivities::Sensitivities(Integrator& run, std::vector<Parameter> parameters, Make make)
    : run_(&run), parameters_(std::move(parameters)), make_(std::move(make)) {
  const System* system = run.model().mechanical();
  const std::string name = "system \"" + run.model().name() + "\"";
  if (!system)
    throw Error(ErrorCode::refused,
                name + " is an overdetermined DAE, and sensitivities are those of mechanical systems");
  run.keep_solved_steps(true);
}

Sensitivities::~Sensitivities() = default;

bool Sensitivities::observe(const State& z, long step) {
  if (!failure_.empty()) return false;
  if (step == 0) begin(z);
  if (step > 0) find_steps(z);
  end_ = z;
  for (const SolvedStep& solved : steps_) {
    for (Direction& direction : directions_) direction.start = direction.end;
    if (!take(solved, true)) {
      const std::string what = step == 0 ? "start" : "step to t = " + number_text(z.t);
      failure_ = "the " + what + " has no derivative: " + failure_;
      return false;
    }
    for (Direction& direction : directions_) direction.end = direction.shown;
  }
  shown_ = z.t;
  return true;
}

/// Sets steps_ to those that led from end_ to z, and whole_.
void Sensitivities::find_steps(const State& z) {
  const double whole = (z.t - end_.t) + (z.t_tail - end_.t_tail);
  steps_ = run_->solved_steps();
  double way = 0;
  for (const SolvedStep& solved : steps_) way += solved.h;
  const std::size_t events = run_->events().size() + static_cast<std::size_t>(run_->counters().overstepped_switches);
  // With friction by events only the driver renews the border.
  const bool driven_border = run_->system().parts().friction && !run_->constraint_rank().dependent.empty();
  whole_ = events != events_ || run_->system().parts().obstacles || driven_border ||
           std::abs(whole - way) > thresholds::end_of_step * std::abs(way) + thresholds::same_time * std::abs(z.t);
  events_ = events;
  if (whole_) steps_ = {{end_, whole, {}}};
}

/// Where a step of the run led: to the start of the next one, or to end_.
const State* Sensitivities::end_of(const SolvedStep& step) const {
  for (std::size_t k = 0; k + 1 < steps_.size(); ++k)
    if (&steps_[k] == &step) return &steps_[k + 1].start;
  return nullptr;
}

bool Sensitivities::at(double t) {
  if (!failure_.empty() || t == shown_) return failure_.empty();
  const SolvedStep* from = &steps_.front();  // the last one that begins before t
  for (const SolvedStep& solved : steps_)
    if ((solved.start.t - t) * solved.h <= 0) from = &solved;
  if (from->h == 0) throw Error(ErrorCode::bad_value, "there is no step yet whose inside could be asked for");
  const bool whole = t == end_.t;
  const SolvedStep part{from->start, t - from->start.t - from->start.t_tail, {}};
  if (take(whole ? *from : part, whole)) {
    shown_ = t;
    return true;
  }
  failure_ = "the state at t = " + number_text(t) + " has no derivative: " + failure_;
  return false;
}

void Sensitivities::begin(const State& z) {
  end_ = z;
  steps_ = {{z, 0, {}}};
  step_ = std::make_unique<StepLine>();
  unchanged_.clear();
  unchanged_.resize(n_points);
  directions_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    directions_.emplace_back();
    Direction& direction = directions_.back();
    direction.parameter = i;
    direction.change = largest_change * parameters_[i].size;
    direction.end.q.setZero(end_.q.value().size());
    direction.end.p.setZero(end_.p.value().size());
    direction.end.data.setZero(end_.scheme_data.size());
  }
  if (!directions_.empty()) same_ = make_(0, 0);
}

/// The derivatives of a step, of the start where it goes over no time. solved: the run has taken it.
bool Sensitivities::take(const SolvedStep& step, bool solved) {
  const Windings turns(step.start.turns);
  const State* const next = solved ? end_of(step) : nullptr;
  const State& led_to = next ? *next : end_;
  start_ = step.start;
  if (!whole_) start_.history = end_.history;  // for start values of solves alone
  again_ = led_to;
  if (step.h != 0 && !directions_.empty()) {
    // Equations know neither what a driver of events does before a step nor which of two near solutions the run took.
    if (!whole_ && !again(step, solved, led_to)) whole_ = true;
    if (whole_ && !again(step, solved, led_to)) return false;
  }
  for (Direction& direction : directions_)
    if (!find(direction, step.h)) {
      failure_ = "by " + parameters_[direction.parameter].name + ", " + failure_;
      return false;
    }
  return true;
}

/// The step of the run, by its equations or whole; false where that does not lead to the same state.
bool Sensitivities::again(const SolvedStep& step, bool solved, const State& led_to) {
  State& end = again_;
  if (whole_) {
    if (!take_whole(*same_, start_, step.h, end, around_)) return false;
  } else {
    if (start_.last_h != 0) same_->integrator.renew_border(start_);
    if (!step_->again(same_->integrator, start_, step.h, solved ? &step.solutions : nullptr, end)) {
      failure_ = step_->failure();
      return false;
    }
  }
  if (!solved) return true;
  const double apart = Remainder(run_->system().mass(), led_to, time_in_steps * std::abs(step.h)).apart(end);
  if (apart < thresholds::unshrinking_change) return true;
  failure_ = "taken again it leads to another state, " + number_text(apart) + " of it away";
  return false;
}

/// A step with events is taken by whole integrators: where their events are the same ones, at other times, their ends
/// are smooth functions of the start and the model.
bool Sensitivities::take_whole(Variant& with, const State& from, double h, State& to, std::vector<Event>& events) {
  const InUse in_use(with);
  try {
    with.integrator.restore(from);
    const std::size_t before = with.integrator.events().size();
    const StepReport report = with.integrator.step(h);
    failure_ = report.message;
    if (!report.success()) return false;
    events.clear();
    for (std::size_t k = before; k < with.integrator.events().size(); ++k) {
      const ContactEvent& event = with.integrator.events()[k];
      events.emplace_back(event.kind, event.contact);
    }
    to = with.integrator.state();
    return true;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return false;
}

/// The starts at the points: with obstacles those of the variants, else the given ones, whose changes are projected as
/// project_start() projects them,
///
///     G dq + g_s = 0, with p as it is given,    then d(G v + g_t) = 0 by dp = M dv
bool Sensitivities::carry_start(Direction& direction) {
  const System& base = run_->system();
  const State& z = end_;
  if (base.parts().obstacles) {
    for (std::size_t k = 0; k < n_points; ++k) {
      direction.at[k] = direction.variants[k]->integrator.state();
      if (direction.at[k].closed == z.closed && direction.at[k].slip == z.slip) continue;
      failure_ = "its closed contacts are others beside it";
      return false;
    }
    return true;
  }
  const Vector &q0 = z.q.value(), &p0 = z.p.value();
  const auto system = [&](std::size_t k) -> const System& { return direction.variants[k]->integrator.system(); };
  const auto there = [&](std::size_t k, const Vector& x, const Vector& dx) {
    return Vector(x + line_points[k] * direction.change * dx);
  };
  Vector dq = direction.slope([&](std::size_t k) { return direction.variants[k]->instance.q0; });
  Vector dp = direction.slope([&](std::size_t k) { return direction.variants[k]->instance.p0; });
  if (base.m() > 0) {
    const Vector zero = Vector::Zero(base.n());
    Vector move, multipliers, values(base.m()), scratch(base.n()), v(base.n());
    const SaddlePoint of_positions(base, z.t, q0, thresholds::rank, nullptr, true), of_velocities(base, z.t, q0);
    constexpr int passes = 2;  // the second one takes what rounding leaves
    for (int pass = 0; pass < passes; ++pass) {
      const Vector off = direction.slope([&](std::size_t k) {
        system(k).constraints(z.t, there(k, q0, dq), values);
        return values;
      });
      of_positions.solve(zero, -off, move, multipliers);
      dq += move;
    }
    for (int pass = 0; pass < passes; ++pass) {
      const Vector off = direction.slope([&](std::size_t k) {
        const Vector q = there(k, q0, dq);
        system(k).velocity(q, there(k, p0, dp), scratch, v);
        system(k).constraint_velocity(z.t, q, v, values);
        return values;
      });
      of_velocities.solve(zero, -off, move, multipliers);
      dp += gnomon::momenta(base, q0, move);
    }
  }
  for (std::size_t k = 0; k < n_points; ++k) {
    const InUse in_use(*direction.variants[k]);
    State& at = direction.at[k];
    at = z;
    at.q.set(there(k, q0, dq));
    at.p.set(there(k, p0, dp));
    try {
      at.lambda = index1_multipliers(system(k), at.view());
      direction.variants[k]->integrator.equations().prepare(at);
    } catch (const std::exception& error) {
      failure_ = error.what();
      return false;
    }
  }
  return true;
}

/// A start sets a border by itself, that of the first step.
bool Sensitivities::has_own(const Direction& direction) const {
  return parameters_[direction.parameter].of_model || !run_->constraint_rank().dependent.empty();
}

/// The states at the points; false where one is not found.
bool Sensitivities::carry(Direction& direction, double h) {
  const bool own = h == 0 || has_own(direction);
  for (std::size_t k = 0; own && k < n_points; ++k)
    if (auto& variant = direction.variants[k]; !variant) try {
        variant = make_(direction.parameter, line_points[k] * direction.change);
      } catch (const CannotEvaluate& error) {
        failure_ = error.what();
        return false;
      }
  if (h == 0) return carry_start(direction);
  StepLine::Variants with;
  for (std::size_t k = 0; k < n_points; ++k) {
    if (!own && !unchanged_[k]) unchanged_[k] = make_(direction.parameter, 0);
    with[k] = own ? direction.variants[k].get() : unchanged_[k].get();
    const double change = line_points[k] * direction.change;
    State& from = step_->from[k];
    from = start_;
    const auto move = [&](const Compensated& start, const Vector& d, Compensated& to) {
      for (Index j = 0; j < d.size(); ++j) to.set_sum(j, start, static_cast<Extended>(change) * d[j]);
    };
    move(start_.q, direction.start.q, from.q);
    move(start_.p, direction.start.p, from.p);
    if (direction.start.data.size() == from.scheme_data.size()) from.scheme_data += change * direction.start.data;
    if (direction.start.lambda.size() == from.lambda.size()) from.lambda += change * direction.start.lambda;
    if (direction.start.held.size() == from.held.size()) from.held += change * direction.start.held;
    if (whole_) continue;
    const InUse in_use(*with[k]);
    if (from.last_h != 0) with[k]->integrator.renew_border(from);
  }
  std::vector<Event> events;
  for (std::size_t k = 0; whole_ && k < n_points; ++k) {
    if (!take_whole(*with[k], step_->from[k], h, direction.at[k], events)) return false;
    if (events == around_) continue;
    failure_ = "its events are others beside it, as where a contact is grazed";
    return false;
  }
  if (whole_) return true;
  if (step_->along(with, h, direction.change, direction.at)) return true;
  failure_ = step_->failure();
  return false;
}

bool Sensitivities::find(Direction& direction, double h) {
  Direction::Change& found = direction.shown;
  found.q.resize(end_.q.value().size());
  found.p.resize(end_.p.value().size());
  Vector q(found.q.size()), p(found.p.size());
  const auto of_q = [](const State& at, Index j) { return static_cast<Extended>(at.q.value()[j]) + at.q.tail()[j]; };
  const auto of_p = [](const State& at, Index j) { return static_cast<Extended>(at.p.value()[j]) + at.p.tail()[j]; };
  const Remainder remainder(run_->system().mass(), end_, time_in_steps * std::abs(h),
                            whole_ ? thresholds::event_rounding : thresholds::term_rounding);
  constexpr double none = std::numeric_limits<double>::infinity();
  double rest = none, before = none;
  bool back = false;  // smaller changes have become rounding
  const double largest = largest_change * parameters_[direction.parameter].size;
  const double at_first = direction.begin(largest, h == 0);
  for (int k = 0; k < (whole_ ? most_over_events : most_changes); ++k) {
    rest = none;
    if (carry(direction, h)) {
      direction.combine(sixth, of_q, found.q);
      direction.combine(sixth, of_p, found.p);
      direction.combine(fourth, of_q, q);
      direction.combine(fourth, of_p, p);
      rest = remainder(q - found.q, p - found.p, found.q, found.p, largest);
      direction.off_middle(again_, of_q, q);
      direction.off_middle(again_, of_p, p);
      const double middle = remainder(q, p, found.q, found.p, largest);
      if (!(middle < thresholds::same_solution)) rest = std::max(rest, middle);
    }
    if (rest < thresholds::smooth_difference || back) break;
    back = rest > before && before < thresholds::rough_difference;
    direction.change_by(back ? 1 / smaller : smaller);
    before = rest;
  }
  direction.end_search(at_first);
  if (!(rest < thresholds::rough_difference)) {
    if (std::isfinite(rest))
      failure_ = "quotients of differences disagree by " + number_text(rest) + ", as where a motion is not smooth";
    return false;
  }
  failure_.clear();
  direction.shows = direction.shows || remainder.shows(found.q, found.p, direction.change);
  largest_remainder_ = std::max({largest_remainder_, rest, step_->unsolved()});
  found.data.resize(direction.at.front().scheme_data.size());
  direction.combine(
      sixth, [](const State& at, Index j) { return static_cast<Extended>(at.scheme_data[j]); }, found.data);
  found.lambda.resize(direction.at.front().lambda.size());
  direction.combine(
      sixth, [](const State& at, Index j) { return static_cast<Extended>(at.lambda[j]); }, found.lambda);
  found.held.resize(direction.at.front().held.size());
  direction.combine(
      sixth, [](const State& at, Index j) { return static_cast<Extended>(at.held[j]); }, found.held);
  if (h == 0 && !has_own(direction))
    for (auto& variant : direction.variants) variant.reset();
  return true;
}

std::string Sensitivities::warning() const {
  std::string text;
  if (largest_remainder_ >= thresholds::unshrinking_change)
    text = "derivatives of steps are known to " + number_text(largest_remainder_) +
           " of them at worst: formulas of order four and six differ by that";
  for (const Direction& direction : directions_) {
    if (direction.shows) continue;
    const Parameter& parameter = parameters_[direction.parameter];
    text += (text.empty() ? "" : "; ") + std::string("changes of ") + parameter.name + " by " +
            number_text(largest_change * parameter.size) +
            " do not show in positions and momenta: their derivatives by it are zero to the rounding of that";
  }
  return text;
}

Matrix Sensitivities::positions() const {
  Matrix out(end_.q.value().size(), static_cast<Index>(directions_.size()));
  for (const Direction& direction : directions_) out.col(static_cast<Index>(direction.parameter)) = direction.shown.q;
  return out;
}

Matrix Sensitivities::momenta() const {
  Matrix out(end_.p.value().size(), static_cast<Index>(directions_.size()));
  for (const Direction& direction : directions_) out.col(static_cast<Index>(direction.parameter)) = direction.shown.p;
  return out;
}

Matrix Sensitivities::motion() const {
  if (directions_.empty()) return {};
  return derivative(size_of_motion(*same_), measure_motion);
}

Matrix Sensitivities::derivative(Index size, const Measure& f) const {
  Matrix out(size, static_cast<Index>(directions_.size())), values(size, static_cast<Index>(n_points));
  for (const Direction& direction : directions_) {
    for (std::size_t k = 0; k < n_points; ++k) {
      Variant& of = direction.variants[k] ? *direction.variants[k] : *same_;
      const InUse in_use(of);
      const Windings turns(direction.at[k].turns);
      f(of, direction.at[k], values.col(static_cast<Index>(k)));
    }
    for (Index i = 0; i < size; ++i) {
      const Extended sum = difference(sixth, [&](std::size_t k) { return values(i, static_cast<Index>(k)); });
      out(i, static_cast<Index>(direction.parameter)) = static_cast<double>(sum / direction.change);
    }
  }
  return out;
}

}  // namespace gnomon
