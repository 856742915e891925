#include "run/derivatives/step_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/border.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "run/derivatives/remainder.hpp"
#include "start/saddle_point.hpp"

namespace gnomon {

namespace {

/// Changes of a parameter, in parts of its size: the largest one, and how many times smaller ones are tried.
constexpr double largest_change = 0x1p-9, smaller = 0.25;
/// Where functions are found at Extended changes may be as small as the first, and otherwise, over events too, as the
/// second: points of smaller ones differ by rounding alone.
constexpr double smallest_change = 0x1p-48, smallest_of_doubles = 0x1p-20;
/// Steps before a larger change is tried again, and twice as many each time that it is too large.
constexpr int first_patience = 256, most_patience = 1 << 20;
/// Changes of positions count against those of velocities in so many steps.
constexpr double time_in_steps = 16;

/// The derivative of what f gives at the points, at multiples of `change`.
template <class F>
Vector quotient(double change, const F& f) {
  Vector sum;
  for (std::size_t k = 0; k < n_points; ++k) {
    const Vector term = (k % 2 == 0 ? 1 : -1) * static_cast<double>(sixth[k / 2]) * Vector(f(k));
    sum = k == 0 ? term : Vector(sum + term);
  }
  return sum / change;
}

/// d f(k)/d s of what f gives of the variants
template <class F>
Vector slope(const Direction& direction, const F& f) {
  return quotient(direction.change, [&](std::size_t k) {
    const InUse in_use(*direction.variants[k]);
    return Vector(f(k));
  });
}

/// By which the middle of the points is off the end of the step that was taken again, over the change. Points on
/// different branches of a function have another middle, whatever their differences are.
template <class Part>
void off_middle(const Direction& direction, const State& middle, const Part& part, Vector& out) {
  for (Index j = 0; j < out.size(); ++j) {
    const auto pair = [&](std::size_t k) {
      return static_cast<Extended>(part(direction.at[k], j)) + part(direction.at[k + 1], j);
    };
    out[j] = static_cast<double>(((15 * pair(0) - 6 * pair(2) + pair(4)) / 20 - part(middle, j)) / direction.change);
  }
}

template <class Part>
void combine(const Direction& direction, const LineWeights& weights, const Part& part, Vector& out) {
  for (Index j = 0; j < out.size(); ++j) {
    const auto at = [&](std::size_t k) { return part(direction.at[k], j); };
    out[j] = static_cast<double>(difference(weights, at) / direction.change);
  }
}

/// A vector of the states that has no tail.
void combine(const Direction& direction, Vector State::*part, Vector& out) {
  out.resize((direction.at.front().*part).size());
  combine(
      direction, sixth, [part](const State& at, Index j) { return static_cast<Extended>((at.*part)[j]); }, out);
}

}  // namespace

double Direction::largest() const {
  return largest_change * of.size;
}

double Direction::begin(bool at_start) {
  if (patience_ == 0) patience_ = steps_left_ = first_patience;
  tries_ = !at_start && change < largest() && --steps_left_ <= 0;
  if (tries_) change_by(1 / smaller);
  return change;
}

void Direction::end_search(double at_first) {
  if (!tries_) return;
  patience_ = change < at_first ? std::min(2 * patience_, most_patience) : first_patience;
  steps_left_ = patience_;
}

StepDerivative::StepDerivative(Integrator& run, Sensitivities::Make make)
    : run_(&run), make_(std::move(make)), same_(make_(0, 0)) {
  root_mass_ = run.system().mass().diagonal_entries().cwiseAbs().cwiseSqrt();
}

StepDerivative::~StepDerivative() = default;

void StepDerivative::take_start(const State& z) {
  start_ = after_ = again_ = z;
  h_ = 0;
  whole_ = false;
}

bool StepDerivative::take(const SolvedStep& piece, bool whole, const State& after, const State* led_to) {
  const Windings turns(piece.start.turns);
  History storage;  // the start of a piece has none
  storage.swap(start_.history);
  start_ = piece.start;
  after_ = after;
  h_ = piece.h;
  whole_ = whole;
  if (!whole_) {  // for start values of solves alone
    storage.swap(start_.history);
    start_.history = after.history;
  }
  again_ = led_to ? *led_to : after;
  // Equations know neither what a driver of events does before a step nor which of two near solutions the run took.
  if (!whole_ && !again(piece, led_to)) whole_ = true;
  return !whole_ || again(piece, led_to);
}

/// The step of the run, by its equations or whole; false where that does not lead to the same state.
bool StepDerivative::again(const SolvedStep& piece, const State* led_to) {
  State& end = again_;
  if (whole_) {
    if (!take_whole(*same_, start_, h_, end, around_)) return false;
  } else {
    if (!line_.again(same_->integrator, start_, h_, led_to ? &piece.solutions : nullptr, end)) {
      failure_ = line_.failure();
      return false;
    }
  }
  if (!led_to) return true;
  end.turns = led_to->turns;
  end.border = led_to->border;
  const double apart = Remainder(root_mass_, *led_to, time_in_steps * std::abs(h_)).apart(end);
  if (apart < thresholds::unshrinking_change) return true;
  failure_ = "taken again it leads to another state, " + number_text(apart) + " of it away";
  return false;
}

/// A step with events is taken by whole integrators: where their events are the same ones, at other times, their ends
/// are smooth functions of the start and the model.
bool StepDerivative::take_whole(Variant& with, const State& from, double h, State& to, std::vector<Event>& events) {
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

/// A change of q and p with that of the model, moved onto the constraints as project_start() moves a start,
///
///     G dq + g_s = 0, with p as it is given,    then d(G v + g_t) = 0 by dp = M dv
///
/// The model changes with q and p where they are, and these in the model as it is: dq may be large.
void StepDerivative::move_onto_constraints(const Direction& direction, bool positions, bool velocities, Vector& dq,
                                           Vector& dp) const {
  const System& base = run_->system();
  if (base.m() == 0) return;
  const double t = start_.t;
  const Vector &q0 = start_.q.value(), &p0 = start_.p.value(), zero = Vector::Zero(base.n());
  const auto system = [&](std::size_t k) -> const System& { return direction.variants[k]->integrator.system(); };
  Vector off(base.m()), move, multipliers, values(base.m()), scratch(base.n()), v(base.n());
  constexpr int passes = 2;  // the second one takes what rounding leaves
  std::optional<SaddlePoint> metric;
  if (positions) {
    Vector jacobian(base.constraint_pattern().nonzeros());
    base.constraint_jacobian(t, q0, jacobian);
    const Vector by_model = slope(direction, [&](std::size_t k) {
      system(k).constraints(t, q0, values);
      return values;
    });
    for (int pass = 0; pass < passes; ++pass) {
      multiply(base.constraint_pattern(), jacobian, dq, off);
      off.tail(base.parts().n_velocity_constraints()).setZero();
      off += by_model;
      if (off.isZero(0)) break;
      if (!metric) metric.emplace(base, t, q0, thresholds::rank, nullptr, true);
      metric->solve(zero, -off, move, multipliers);
      dq += move;
    }
  }
  if (!velocities) return;
  metric.reset();
  const auto hidden = [&](const System& of, const Vector& q, const Vector& p) {
    of.velocity(q, p, scratch, v);
    of.constraint_velocity(t, q, v, values);
    return values;
  };
  const Vector by_model = slope(direction, [&](std::size_t k) { return hidden(system(k), q0, p0); });
  const double far = dq.lpNorm<Eigen::Infinity>(), size = q0.lpNorm<Eigen::Infinity>();
  const double change = far == 0 ? 1 : size > 0 ? largest_change * size / far : direction.change;
  for (int pass = 0; pass < passes; ++pass) {
    off = by_model;
    if (!dq.isZero(0) || !dp.isZero(0))
      off += quotient(change, [&](std::size_t k) {
        const double part = line_points[k] * change;
        return hidden(base, q0 + part * dq, p0 + part * dp);
      });
    if (off.isZero(0)) break;
    if (!metric) metric.emplace(base, t, q0);
    metric->solve(zero, -off, move, multipliers);
    dp += gnomon::momenta(base, q0, move);
  }
}

bool StepDerivative::set_start(Direction& direction, bool velocities) {
  const Windings turns(start_.turns);
  while (!make_variants(direction)) {  // as where a start beside it is inside an obstacle
    if (direction.change * smaller < direction.largest() * smallest_of_doubles) return false;
    direction.change_by(smaller);
  }
  direction.start = StateChange::zero(start_);
  const Promises& kept = run_->promises();
  move_onto_constraints(direction, kept.position, kept.hidden && velocities, direction.start.q, direction.start.p);
  return true;
}

/// The starts at the points: with obstacles those of the variants, else the given ones, whose changes are projected.
bool StepDerivative::carry_start(Direction& direction) {
  const State& z = start_;
  if (run_->system().parts().obstacles) {
    for (std::size_t k = 0; k < n_points; ++k) {
      direction.at[k] = direction.variants[k]->integrator.state();
      if (direction.at[k].closed == z.closed && direction.at[k].slip == z.slip) continue;
      failure_ = "its closed contacts are others beside it";
      return false;
    }
    return true;
  }
  Vector dq = slope(direction, [&](std::size_t k) { return direction.variants[k]->instance.q0; });
  Vector dp = slope(direction, [&](std::size_t k) { return direction.variants[k]->instance.p0; });
  move_onto_constraints(direction, true, true, dq, dp);
  const auto there = [&](std::size_t k, const Vector& x, const Vector& dx) {
    return Vector(x + line_points[k] * direction.change * dx);
  };
  for (std::size_t k = 0; k < n_points; ++k) {
    const InUse in_use(*direction.variants[k]);
    State& at = direction.at[k];
    at = z;
    at.q.set(there(k, z.q.value(), dq));
    at.p.set(there(k, z.p.value(), dp));
    at.border.resize(0);  // that of its own position, as at the start of the run
    try {
      Integrator& beside = direction.variants[k]->integrator;
      at.lambda = index1_multipliers(beside.system(), at.view(), run_->constraint_rank().rank);
      beside.equations().prepare(at);
    } catch (const std::exception& error) {
      failure_ = error.what();
      return false;
    }
  }
  return true;
}

bool StepDerivative::acts(const Direction& direction) const {
  const double t = start_.t, near = thresholds::same_time * std::max(std::abs(t), std::abs(h_)) +
                                    thresholds::end_of_step * std::abs(h_);
  return direction.of.acts.meets(std::min(t, t + h_) - near, std::max(t, t + h_) + near);
}

bool StepDerivative::has_own(const Direction& direction) const {
  if (direction.parameter == Direction::of_state) return false;
  return direction.of.of_model && acts(direction);
}

bool StepDerivative::make_variants(Direction& direction) {
  for (std::size_t k = 0; k < n_points; ++k)
    if (auto& variant = direction.variants[k]; !variant) try {
        variant = make_(direction.parameter, line_points[k] * direction.change);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::callback_failed && error.code() != ErrorCode::inconsistent_start) throw;
        failure_ = error.what();
        return false;
      } catch (const CannotEvaluate& error) {
        failure_ = error.what();
        return false;
      }
  return true;
}

/// The states at the points; false where one is not found.
bool StepDerivative::carry(Direction& direction) {
  const bool own = h_ == 0 || has_own(direction);
  if (own && !make_variants(direction)) return false;
  if (h_ == 0) return carry_start(direction);
  StepLine::Variants with;
  for (std::size_t k = 0; k < n_points; ++k) {
    with[k] = own ? direction.variants[k].get() : &unchanged(k);
    displace(start_, direction.start, line_points[k] * direction.change, line_.from[k]);
  }
  std::vector<Event> events;
  for (std::size_t k = 0; whole_ && k < n_points; ++k) {
    if (!take_whole(*with[k], line_.from[k], h_, direction.at[k], events)) return false;
    if (events == around_) continue;
    failure_ = "its events are others beside it, as where a contact is grazed";
    return false;
  }
  if (!whole_ && !line_.along(with, h_, direction.change, direction.at)) {
    failure_ = line_.failure();
    return false;
  }
  const bool renewed = renews_border();
  for (std::size_t k = 0; k < n_points; ++k) {
    State& at = direction.at[k];
    if (whole_ && renewed != (at.border != line_.from[k].border)) {
      failure_ = "what holds constraints that repeat others is renewed in it, and not beside it";
      return false;
    }
    if (!whole_ && renewed) Border::set_position(at.t, at.q.value(), at.border);
  }
  return true;
}

bool StepDerivative::renews_border() const {
  return again_.border != start_.border;
}

bool StepDerivative::find(Direction& direction) {
  const Windings turns(start_.turns);
  StateChange& found = direction.end;
  if (direction.of.of_model && !acts(direction)) {
    direction.drop_variants();
    if (h_ == 0 || direction.start.is_zero()) {
      found = StateChange::zero(again_);
      direction.at.fill(again_);
      return true;
    }
  }
  found.q.resize(after_.q.value().size());
  found.p.resize(after_.p.value().size());
  Vector &q = off_q_, &p = off_p_;
  q.resize(found.q.size());
  p.resize(found.p.size());
  const auto of_q = [](const State& at, Index j) { return static_cast<Extended>(at.q.value()[j]) + at.q.tail()[j]; };
  const auto of_p = [](const State& at, Index j) { return static_cast<Extended>(at.p.value()[j]) + at.p.tail()[j]; };
  // The border of another position is found at double.
  const bool extended = !whole_ && (h_ == 0 || (line_.extended() && direction.start.border.isZero(0)));
  const Remainder remainder(root_mass_, after_, time_in_steps * std::abs(h_),
                            whole_ ? thresholds::event_rounding : thresholds::term_rounding,
                            std::max(extended ? 0 : thresholds::step_rounding, direction.none));
  double smallest = direction.largest() * (extended ? smallest_change : smallest_of_doubles);
  // Tangents of a chaotic motion grow: a small change moves its state far.
  if (const double part = h_ == 0 ? 0 : remainder.part(direction.start.q, direction.start.p);
      part > 0 && std::isfinite(part))
    smallest = std::min(smallest, smallest / direction.largest() * largest_change / part);
  constexpr double none = std::numeric_limits<double>::infinity();
  double rest = none, before = none, least = none;
  bool back = false;  // smaller changes have become rounding
  const double at_first = direction.begin(h_ == 0);
  bool from_largest = at_first == direction.largest();
  for (;;) {
    rest = none;
    if (carry(direction)) {
      combine(direction, sixth, of_q, found.q);
      combine(direction, sixth, of_p, found.p);
      combine(direction, fourth, of_q, q);
      combine(direction, fourth, of_p, p);
      q -= found.q;
      p -= found.p;
      rest = remainder(q, p, found.q, found.p, direction.largest());
      off_middle(direction, again_, of_q, q);
      off_middle(direction, again_, of_p, p);
      const double middle = remainder(q, p, found.q, found.p, direction.largest());
      if (!(middle < thresholds::same_solution)) rest = std::max(rest, middle);
    }
    least = std::min(least, rest);
    if (rest < thresholds::smooth_difference || back) break;
    back = rest > before && before < thresholds::rough_difference;
    const bool more = direction.change * smaller >= smallest;
    if (!back && !more && (from_largest || rest < thresholds::rough_difference)) break;
    direction.change_by(back ? 1 / smaller : more ? smaller : direction.largest() / direction.change);
    from_largest = from_largest || (!back && !more);
    before = rest;
  }
  direction.end_search(at_first);
  if (!(rest < thresholds::rough_difference)) {
    if (std::isfinite(least))
      failure_ = "quotients of differences disagree by " + number_text(least) + ", as where a motion is not smooth";
    return false;
  }
  failure_.clear();
  direction.shows = direction.shows || remainder.shows(found.q, found.p, direction.change);
  largest_remainder_ = std::max({largest_remainder_, rest, line_.unsolved()});
  combine(direction, &State::scheme_data, found.data);
  combine(direction, &State::lambda, found.lambda);
  combine(direction, &State::held, found.held);
  combine(direction, &State::border, found.border);
  for (State& at : direction.at) at.turns = again_.turns;
  if (h_ == 0 && !has_own(direction)) direction.drop_variants();
  return true;
}

Variant& StepDerivative::unchanged(std::size_t point) {
  if (!unchanged_[point]) unchanged_[point] = make_(0, 0);
  return *unchanged_[point];
}

Vector StepDerivative::derivative(const Direction& direction, Index size, const Sensitivities::Measure& f) {
  Matrix values(size, static_cast<Index>(n_points));
  for (std::size_t k = 0; k < n_points; ++k) {
    Variant& of = direction.variants[k] ? *direction.variants[k] : *same_;
    const InUse in_use(of);
    const Windings turns(direction.at[k].turns);
    f(of, direction.at[k], values.col(static_cast<Index>(k)));
  }
  Vector out(size);
  for (Index i = 0; i < size; ++i) {
    const auto at = [&](std::size_t k) { return values(i, static_cast<Index>(k)); };
    out[i] = static_cast<double>(difference(sixth, at) / direction.change);
  }
  return out;
}

std::string StepDerivative::warning(double largest_remainder) {
  if (largest_remainder < thresholds::unshrinking_change) return {};
  return "derivatives of steps are known to " + number_text(largest_remainder) +
         " of them at worst: formulas of order four and six differ by that";
}

}  // namespace gnomon
