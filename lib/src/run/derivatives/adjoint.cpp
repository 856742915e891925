#include "gnomon/run/adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/run/states_at_times.hpp"
#include "run/derivatives/state_directions.hpp"
#include "run/derivatives/step_derivative.hpp"

namespace gnomon {

namespace {

constexpr const char* all_together = "a change of all parameters at random";
constexpr double most_of_remainder = 10;

/// A step of the run, from its start.
struct Kept {
  State start;
  Taken taken;  ///< no pieces: it has to be taken again
};

/// A time that was asked for: in a step, counted from one, or at its end; 0 is the start.
struct Reached {
  double t;
  long step;
  bool end;
};

/// The pass backwards: dJ/dz of the state that it has come to, and what it has of dJ/ds.
class Way {
 public:
  Way(Integrator& run, const Sensitivities::Make& make, const std::vector<Sensitivities::Parameter>& parameters,
      const Adjoint::Asked& asked, const Matrix& weights, const std::vector<Reached>& reached)
      : step_(run, make), of_state_(run), asked_(asked), weights_(weights), reached_(reached), next_(reached.size()) {
    for (std::size_t k = 0; k < parameters.size(); ++k) parameters_.emplace_back(k, parameters[k]);
    sum_.setZero(static_cast<Index>(parameters.size()));
    here_ = StateChange::zero(run.state());
    const Index n = run.system().n(), m = run.system().m();
    free_ = 2 * n - (run.promises().position ? m : 0) - (run.promises().hidden ? m : 0);
  }

  long steps_left = 0;
  std::function<bool()> go_on;
  const Vector& sum() const { return sum_; }
  const StepDerivative& step() const { return step_; }
  /// Why it took longer than it might; empty: it did not.
  const std::string& note() const { return note_; }
  std::string failure() const { return failure_; }

  /// Over a step backwards.
  bool over(const Taken& taken, const State& after) {
    for (std::size_t k = taken.pieces.size(); k-- > 0;) {
      const SolvedStep& piece = taken.pieces[k];
      begin_ = &piece;
      below_ = StateChange::zero(piece.start);
      below_.lambda.setZero(piece.start.lambda.size());
      has_directions_ = false;
      const bool last = k + 1 == taken.pieces.size();
      const Vector* const at_end = last ? take_weights(steps_left, true) : nullptr;
      // After the last time that counts there is nothing yet.
      if (!at_end && here_.is_zero() && !is_inside(steps_left, piece.start.t)) continue;
      const State& led_to = TakenSteps::end_of(taken, piece, after);
      if (!pull({piece, taken.whole, after, &led_to}, &here_, at_end)) return false;
      while (const Vector* const inside = take_weights(steps_left, false, piece.start.t)) {
        const double t = reached_[next_].t;
        const SolvedStep part{piece.start, t - piece.start.t - piece.start.t_tail, {}};
        if (!pull({part, taken.whole, after, nullptr}, nullptr, inside)) return false;
      }
      here_ = below_;
      if (has_directions_) here_ += of_state_.covector();
    }
    --steps_left;
    return true;
  }

  /// The changes of the start with the parameters.
  bool at_start(const State& z) {
    const Vector* const weights = take_weights(0, true);
    step_.take_start(z);
    for (Direction& direction : parameters_) {
      direction.start = StateChange::zero(z);
      if (!add(direction, &here_, weights, sum_[static_cast<Index>(direction.parameter)])) return false;
    }
    return true;
  }

 private:
  struct Piece {
    const SolvedStep& step;
    bool whole;
    const State& after;
    const State* led_to;
  };

  bool is_inside(long step, double t) const {
    return next_ > 0 && reached_[next_ - 1].step == step && !reached_[next_ - 1].end && reached_[next_ - 1].t >= t;
  }

  /// dJ/dy at the next time backwards, if it is in this step, at its end or inside and not before t; else null.
  const Vector* take_weights(long step, bool end, double t = 0) {
    if (next_ == 0) return nullptr;
    const Reached& one = reached_[next_ - 1];
    if (end ? one.step != step || !one.end : !is_inside(step, t)) return nullptr;
    --next_;
    taken_ = weights_.col(static_cast<Index>(next_));
    return &taken_;
  }

  /// Adds to the products with all directions what a step and its end make of them: dJ/dz and dJ/dy there.
  bool pull(const Piece& piece, const StateChange* of_end, const Vector* of_values) {
    if (!step_.take(piece.step, piece.whole, piece.after, piece.led_to)) {
      failure_ = step_.failure();
      return false;
    }
    // Transposed equations give dJ/dz0 for all changes of z0, directions for those that constraints allow.
    bool transposed = transposes_ && free_ > asked_.most_directions && step_.has_transpose();
    if (transposed) {
      StateChange found;
      const StateChange none = StateChange::zero(piece.after);
      transposed = transposes_ =
          step_.pull_back(of_end ? *of_end : none, asked_.size, asked_.measure, of_values, found);
      if (transposed)
        below_ += found;
      else
        note_ = "steps up to t = " + number_text(piece.after.t) +
                " were gone over by directions of their starts, which takes longer: " + step_.failure();
    }
    if (!transposed && !has_directions_) of_state_.set(begin_->start, begin_->h);
    has_directions_ = has_directions_ || !transposed;
    for (Direction& direction : parameters_) {
      if (!direction.of.of_model) continue;
      if (!step_.acts(direction)) {
        direction.drop_variants();
        continue;
      }
      direction.start = StateChange::zero(piece.step.start);
      if (!step_.set_start(direction, !transposed)) {
        failure_ = "by " + direction.of.name + ", " + step_.failure();
        return false;
      }
      if (!add(direction, of_end, of_values, sum_[static_cast<Index>(direction.parameter)])) return false;
    }
    if (transposed) return true;
    const auto size = [&](const State& z) {
      double sum = 0;
      if (of_end)
        sum += of_end->q.cwiseAbs().dot(z.q.value().cwiseAbs()) + of_end->p.cwiseAbs().dot(z.p.value().cwiseAbs());
      if (!of_values) return sum;
      Vector values(asked_.size);
      asked_.measure(step_.same(), z, values);
      return sum + of_values->cwiseAbs().dot(values.cwiseAbs());
    };
    const double rounding = piece.whole ? thresholds::event_rounding : thresholds::term_rounding;
    return of_state_.each(rounding * size(step_.end()), [&](Direction& direction, double& product) {
      return add(direction, of_end, of_values, product);
    });
  }

  /// product += dJ along a direction
  bool add(Direction& direction, const StateChange* of_end, const Vector* of_values, double& product) {
    if (!step_.find(direction)) {
      failure_ = "by " + direction.of.name + ", " + step_.failure();
      return false;
    }
    if (of_end) product += inner(*of_end, direction.end);
    if (of_values) {
      product += of_values->dot(step_.derivative(direction, asked_.size, asked_.measure));
    }
    return true;
  }

  StepDerivative step_;
  StateDirections of_state_;
  const Adjoint::Asked& asked_;
  const Matrix& weights_;
  const std::vector<Reached>& reached_;
  std::size_t next_;  ///< times that are left
  std::vector<Direction> parameters_;
  Index free_ = 0;    ///< directions of (q, p) that a step can begin with
  StateChange here_;  ///< dJ/dz
  StateChange below_;
  const SolvedStep* begin_ = nullptr;
  bool has_directions_ = false;
  bool transposes_ = true;  ///< until a step is not gone over so
  Vector sum_, taken_;
  std::string failure_, note_;
};

}  // namespace

struct Adjoint::Impl {
  Integrator& run;
  std::vector<Sensitivities::Parameter> parameters;
  Make make_together;
  Sensitivities::Make make;
  Asked asked;
  std::unique_ptr<Variant> again;  ///< takes steps again
  std::unique_ptr<TakenSteps> steps;
  std::unique_ptr<StatesAtTimes> at_times;
  State before;
  std::vector<double> sizes;  ///< of the steps
  std::map<long, Kept> kept;  ///< by the number of steps before them
  long distance = 1;          ///< between them
  std::vector<Reached> reached;
  std::vector<double> times;
  std::vector<Vector> values;
  Vector compared;  ///< a change of all parameters along which derivatives are found forwards, too
  std::unique_ptr<Sensitivities> forwards;
  std::vector<Vector> derivatives;  ///< of the values along it
  long repeated = 0;
  std::string failure, warning;

  Impl(Integrator& observed, std::vector<Sensitivities::Parameter> by, Make maker, Asked what)
      : run(observed),
        parameters(std::move(by)),
        make_together(std::move(maker)),
        make(one_by_one(make_together, parameters.size())),
        asked(std::move(what)),
        again(make(0, 0)) {
    asked.states = std::max<Index>(asked.states, 2);
    if (!asked.times.empty())
      at_times = std::make_unique<StatesAtTimes>(
          run, asked.times, [this](const State& z, bool end) { add(z, end); },
          [this] { return std::move(make(0, 0)->integrator); }, true);
  }

  void add(const State& z, bool end) {
    const auto step = static_cast<long>(sizes.size());
    reached.push_back({z.t, step, end});
    times.push_back(z.t);
    values.emplace_back(asked.size);
    const InUse in_use(*again);
    const Windings turns(z.turns);
    asked.measure(*again, z, values.back());
    if (!forwards || !forwards->at(end ? run.state().t : z.t)) return;
    derivatives.push_back(forwards->derivative(asked.size, asked.measure));
  }
  bool agrees(const Matrix& weights, const Vector& gradient);
  void begin();
  void keep(const State& after);
  bool pull_back(Way& way, const Kept& step, const State& after);
  bool take_again(Way& way, long first, long last, const State& start);
};

void Adjoint::Impl::begin() {
  steps = std::make_unique<TakenSteps>(run);
  if (!asked.compares) return;
  std::mt19937 random;
  std::uniform_real_distribution<double> part(0.5, 1);
  Sensitivities::Parameter all{all_together, 1, false, parameters.front().acts};
  compared.resize(static_cast<Index>(parameters.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Sensitivities::Parameter& one = parameters[k];
    compared[static_cast<Index>(k)] = (random() % 2 == 0 ? 1 : -1) * part(random) * one.size;
    all.of_model = all.of_model || one.of_model;
    all.acts = {std::min(all.acts.from, one.acts.from), std::max(all.acts.until, one.acts.until)};
  }
  forwards =
      std::make_unique<Sensitivities>(run, std::vector<Sensitivities::Parameter>{all},
                                      [this](std::size_t, double change) { return make_together(change * compared); });
}

/// Whether the derivative along the change of all parameters is what it is forwards, to its terms.
bool Adjoint::Impl::agrees(const Matrix& weights, const Vector& gradient) {
  if (!forwards) return true;
  if (!forwards->failure().empty()) {
    failure = std::string("along ") + all_together + " forwards, " + forwards->failure();
    return false;
  }
  const double found = gradient.dot(compared);
  double sum = 0, terms = gradient.cwiseAbs().dot(compared.cwiseAbs()), of_values = 0;
  Vector largest = Vector::Zero(asked.size);
  for (const Vector& one : values) largest = largest.cwiseMax(one.cwiseAbs());
  for (std::size_t k = 0; k < derivatives.size(); ++k) {
    const auto weight = weights.col(static_cast<Index>(k));
    const Vector product = weight.cwiseProduct(derivatives[k]);
    sum += product.sum();
    terms += product.lpNorm<1>();
    of_values += weight.cwiseAbs().dot(largest);
  }
  // The rounding of the values is no derivative.
  const double rounding = thresholds::event_rounding * std::sqrt(static_cast<double>(sizes.size())) * of_values;
  // Neither is known to more than the formulas of order four and six say.
  const double known = std::max(thresholds::same_derivative, most_of_remainder * forwards->largest_remainder());
  const double off = std::abs(found - sum);
  if (off <= known * terms + rounding) {
    if (off > known * terms)
      warning += (warning.empty() ? "" : "; ") + std::string("the derivative along ") + all_together + " is known to " +
                 number_text(off / terms) +
                 " of its terms alone: such a change moves the values by little more than their rounding";
    return true;
  }
  failure = std::string("the derivative along ") + all_together + " is " + number_text(found) + " backwards and " +
            number_text(sum) + " forwards, from terms of the size " + number_text(terms);
  return false;
}

void Adjoint::Impl::keep(const State& after) {
  const auto number = static_cast<long>(sizes.size());
  Taken taken;
  steps->get(before, after, taken);
  sizes.push_back(taken.pieces.size() == 1 ? taken.pieces.front().h
                                           : (after.t - before.t) + (after.t_tail - before.t_tail));
  if (number % distance != 0) return;
  kept[number] = {before, distance == 1 ? std::move(taken) : Taken{}};
  if (static_cast<Index>(kept.size()) <= asked.states) return;
  distance *= 2;
  for (auto one = kept.begin(); one != kept.end();) {
    one->second.taken = {};
    one = one->first % distance == 0 ? std::next(one) : kept.erase(one);
  }
}

bool Adjoint::Impl::pull_back(Way& way, const Kept& step, const State& after) {
  if (way.go_on && !way.go_on()) {
    failure = "it was interrupted";
    return false;
  }
  if (way.over(step.taken, after)) return true;
  failure = "the step to t = " + number_text(after.t) + " has no derivative: " + way.failure();
  return false;
}

/// Steps first, ..., last - 1 once more, and back over them.
bool Adjoint::Impl::take_again(Way& way, long first, long last, const State& start) {
  const auto stride =
      static_cast<long>(std::ceil(static_cast<double>(last - first) / static_cast<double>(asked.states)));
  std::vector<Kept> here;
  Integrator& stepper = again->integrator;
  {
    const InUse in_use(*again);
    stepper.restore(start);
    TakenSteps taken(stepper);
    for (long k = first; k < last; ++k) {
      const State from = stepper.state();
      if ((k - first) % stride == 0) here.push_back({from, {}});
      const StepReport report = stepper.step(sizes[static_cast<std::size_t>(k)]);
      ++repeated;
      if (!report.success()) {
        failure = "a step that the run took fails when it is taken again: " + report.message;
        return false;
      }
      if (stride == 1) taken.get(from, stepper.state(), here.back().taken);
    }
  }
  State after = stepper.state();
  long end = last;
  while (!here.empty()) {
    const Kept one = std::move(here.back());
    here.pop_back();
    const long begin = first + static_cast<long>(here.size()) * stride;
    if (stride == 1 ? !pull_back(way, one, after) : !take_again(way, begin, end, one.start)) return false;
    after = one.start;
    end = begin;
  }
  return true;
}

Adjoint::Adjoint(Integrator& run, std::vector<Sensitivities::Parameter> parameters, Make make, Asked asked) {
  const System* system = run.model().mechanical();
  const std::string name = "system \"" + run.model().name() + "\"";
  if (!system)
    throw Error(ErrorCode::refused, name + " is an overdetermined DAE, and gradients are those of mechanical systems");
  if (system->parts().obstacles || system->parts().friction)
    throw Error(ErrorCode::refused, name + " has " + (system->parts().obstacles ? "obstacles" : "friction") +
                                        ", whose events bind the states beside a motion: its derivatives are found "
                                        "forwards");
  if (parameters.empty()) throw Error(ErrorCode::bad_value, "a gradient is by one parameter at least");
  impl_ = std::make_unique<Impl>(run, std::move(parameters), std::move(make), std::move(asked));
}

Adjoint::~Adjoint() = default;

bool Adjoint::observe(const State& z, long step) {
  if (step == 0)
    impl_->begin();
  else
    impl_->keep(z);
  if (impl_->forwards) impl_->forwards->observe(z, step);
  if (impl_->at_times)
    impl_->at_times->observe(z, step);
  else
    impl_->add(z, true);
  impl_->before = z;
  return true;
}

const std::vector<double>& Adjoint::times() const {
  return impl_->times;
}

Matrix Adjoint::values() const {
  Matrix out(impl_->asked.size, static_cast<Index>(impl_->values.size()));
  for (std::size_t k = 0; k < impl_->values.size(); ++k) out.col(static_cast<Index>(k)) = impl_->values[k];
  return out;
}

bool Adjoint::gradient(const Matrix& of_values, Vector& out, const std::function<bool()>& go_on) {
  Impl& my = *impl_;
  const auto count = static_cast<Index>(my.times.size());
  if (of_values.rows() != my.asked.size || of_values.cols() != count)
    throw Error(ErrorCode::bad_size, "a derivative by values has " + std::to_string(of_values.rows()) + " x " +
                                         std::to_string(of_values.cols()) + " entries, expected " +
                                         std::to_string(my.asked.size) + " x " + std::to_string(count));
  if (!of_values.allFinite())
    throw Error(ErrorCode::not_finite, "a derivative by values has an entry that is not finite");
  my.failure.clear();
  my.repeated = 0;
  Way way(my.again->integrator, my.make, my.parameters, my.asked, of_values, my.reached);
  way.go_on = go_on;
  way.steps_left = static_cast<long>(my.sizes.size());
  State after = my.before;
  long end = way.steps_left;
  for (auto one = my.kept.rbegin(); one != my.kept.rend(); ++one) {
    const Kept& kept = one->second;
    if (kept.taken.pieces.empty() ? !my.take_again(way, one->first, end, kept.start) : !my.pull_back(way, kept, after))
      return false;
    after = kept.start;
    end = one->first;
  }
  if (!way.at_start(after)) {
    my.failure = "the start has no derivative: " + way.failure();
    return false;
  }
  my.warning = StepDerivative::warning(
      std::max(way.step().largest_remainder(), my.forwards ? my.forwards->largest_remainder() : 0));
  if (!way.note().empty()) my.warning += (my.warning.empty() ? "" : "; ") + way.note();
  if (!my.agrees(of_values, way.sum())) return false;
  out = way.sum();
  return true;
}

const std::string& Adjoint::failure() const {
  return impl_->failure;
}

std::string Adjoint::warning() const {
  return impl_->warning;
}

long Adjoint::repeated() const {
  return impl_->repeated;
}

Sensitivities::Make one_by_one(Adjoint::Make make, std::size_t count) {
  return [make = std::move(make), count](std::size_t parameter, double change) {
    return make(change * Vector::Unit(static_cast<Index>(count), static_cast<Index>(parameter)));
  };
}

}  // namespace gnomon
