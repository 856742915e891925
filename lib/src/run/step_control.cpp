#include "run/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

namespace {

constexpr double safety = 0.9, smallest_factor = 0.3, largest_factor = 3, smallest_after_rejection = 0.2;
/// f of tolerances.hpp: methods of high order take few steps, whose errors cancel in part.
double share(int order) {
  return order > 2 ? 0.5 : 0.2;
}
/// The rest of a span is one step up to this many proposed ones.
constexpr double stretch = 1.01;
/// The rounding error of the estimate of a step, in parts of q and v. Measured at tolerances of a decade each: above
/// it all schemes and models meet theirs, below it steps are rejected for rounding (order 4 at 1e-13, half of them), or
/// the run stops at its first steps (order 2 at 1e-11, unless all of the model is evaluated in extended precision).
constexpr double rounding = std::numeric_limits<double>::epsilon() / 4;
/// The rounding error of the velocity of a step, in parts of what the forces alone would make it.
constexpr double rounding_of_forces = 32 * std::numeric_limits<double>::epsilon();
/// Of a step whose motion is prescribed: a rotation by 20 degrees.
constexpr double most_bent = 0.01;
/// A step shorter than this part of the proposed one was shortened to arrive.
constexpr double shortened = 0.9;
/// In place of a costly step one of this part is tried. Later ones may be longer by easy_growth, which is squared from
/// step to step up to most_growth.
constexpr double easier = 0.5, easy_growth = 1.08, most_growth = 2;
/// Shorter steps do not help where so many of the last ones were eased, one before counting this part of it: close to a
/// singular position each step is shorter than the one before. Costly ones are taken then, and as long as each is so
/// many times the last.
constexpr double too_often = 2.5, forgotten = 0.34, goes_on = 1.5;

}  // namespace

void StepControl::attach(const System& system, int order) {
  system_ = &system;
  order_ = order;
  for (Vector* v : {&size_q_, &size_v_, &largest_q_, &largest_v_, &reached_q_, &reached_v_, &natural_q_, &natural_v_,
                    &left_q_, &left_v_, &v0_, &v1_, &scratch_, &estimates_.error_q, &estimates_.error_v})
    if (v->size() != system.n()) v->setZero(system.n());
  rates_.setZero(system.m());
  none_.setZero(system.n());
}

void StepControl::set(const System& system, const Tolerances& tolerances, const StepLimits& limits, int order) {
  const bool changed = active() && !(tolerances == tolerances_);
  attach(system, order);
  const double before = changed ? norm(estimates_.error_q, estimates_.error_v) : 0;
  tolerances_ = tolerances;
  limits_ = limits;
  if (!changed) return;
  const double now = norm(estimates_.error_q, estimates_.error_v);
  if (now > 0) estimates_.next *= std::pow(before / now, 1. / (order_ + 1));
  error_before_ = 1;
}

double StepControl::norm(const ConstVectorRef& x_q, const ConstVectorRef& x_v) const {
  double sum = 0;
  for (Index i = 0; i < x_q.size(); ++i) {
    const double e_q = part_of(x_q[i], weight(tolerances_.absolute_q, natural_q_, size_q_, i));
    const double e_v = part_of(x_v[i], weight(tolerances_.absolute_v, natural_v_, size_v_, i));
    sum += e_q * e_q + e_v * e_v;
  }
  return std::sqrt(sum / (2 * static_cast<double>(x_q.size()))) / scale();
}

void StepControl::measure(const State& before, const State& after) {
  system_->velocity(before.q.value(), before.p.value(), scratch_, v0_);
  system_->velocity(after.q.value(), after.p.value(), scratch_, v1_);
  size_q_ = before.q.value().cwiseAbs().cwiseMax(after.q.value().cwiseAbs());
  size_v_ = v0_.cwiseAbs().cwiseMax(v1_.cwiseAbs());
  reached_q_ = largest_q_.cwiseMax(size_q_);
  reached_v_ = largest_v_.cwiseMax(size_v_);
  spread(reached_q_, natural_q_);
  spread(reached_v_, natural_v_);
}

void StepControl::spread(const Vector& largest, Vector& natural) const {
  natural = largest;
  for (const Block& block : system_->traits().blocks) {
    auto own = natural.segment(block.offset, block.size);
    own.setConstant(own.maxCoeff());
  }
  const Vector& mass = system_->mass().diagonal_entries();
  double length = 0;
  for (Index i = 0; i < largest.size(); ++i) length = std::max(length, std::sqrt(mass[i]) * largest[i]);
  const double size = max_norm(largest);
  for (Index i = 0; i < largest.size(); ++i)
    natural[i] = std::max(natural[i], thresholds::smallest_size * std::min(size, length / std::sqrt(mass[i])));
}

double StepControl::forces_at(const State& z, const Vector& lambda) {
  const Vector& q = z.q.value();
  Vector values(system_->constraint_pattern().nonzeros()), force(q.size());
  const auto acceleration_of = [&] {
    system_->mass().solve(force, scratch_);
    return std::sqrt(std::abs(force.dot(scratch_)));
  };
  system_->potential_gradient(z.t, q, force);
  double sum = acceleration_of();
  if (system_->m() > 0) {
    system_->constraint_jacobian(z.t, q, values);
    multiply_transposed(system_->constraint_pattern(), values, lambda, force);
    sum += acceleration_of();
  }
  return sum;
}

Vector StepControl::begin_sizes(const State& z) {
  largest_q_.setZero();
  largest_v_.setZero();
  measure(z, z);
  largest_q_ = reached_q_;
  largest_v_ = reached_v_;
  Vector a(v0_.size()), lambda(system_->m());
  try {
    acceleration(*system_, z.t, z.q.value(), v0_, a, lambda);
    forces_ = forces_at(z, lambda);
  } catch (const std::exception&) {
    return {};
  }
  const Vector& mass = system_->mass().diagonal_entries();
  const auto norm_of = [&mass](const Vector& x) { return std::sqrt(x.cwiseAbs2().dot(mass)); };
  const double length = norm_of(z.q.value()), speed = norm_of(v0_), pull = norm_of(a);
  resting_speed_ = rounding_of_forces * std::sqrt(forces_ * length);
  const double time = length > 0 && speed + pull > 0 ? length / (speed + std::sqrt(pull * length))
                      : pull > 0                     ? speed / pull
                                                     : 0;
  largest_v_ = largest_v_.cwiseMax(time * a.cwiseAbs());
  largest_q_ = largest_q_.cwiseMax(time * largest_v_);
  spread(largest_q_, natural_q_);
  spread(largest_v_, natural_v_);
  return a;
}

void StepControl::require_attainable() const {
  double largest = 0;
  for (Index i = 0; i < size_q_.size(); ++i)
    largest = std::max({largest, part_of(size_q_[i], weight(tolerances_.absolute_q, natural_q_, size_q_, i)),
                        part_of(size_v_[i], weight(tolerances_.absolute_v, natural_v_, size_v_, i))});
  const double error = rounding * largest / scale();
  if (error <= 1) return;
  // s w of r = relative, with absolute in proportion, grows with r^((p+1)/p).
  const double enough = tolerances_.relative * std::pow(error, order_ / (order_ + 1.));
  throw Error(ErrorCode::bad_value, "the relative tolerance " + number_text(tolerances_.relative) +
                                        " is below what rounding lets steps of order " + std::to_string(order_) +
                                        " meet: expected at least " + number_text(1.05 * enough, 2) +
                                        (order_ < 6 ? ", or a scheme of higher order" : ""));
}

double StepControl::scale() const {
  const double f = share(order_);
  return f * std::pow(f * tolerances_.relative, 1. / order_);
}

void StepControl::start(const State& z) {
  const Vector a = begin_sizes(z);
  require_attainable();
  estimates_.last = estimates_.smallest = estimates_.largest = estimates_.error = 0;
  estimates_.error_q.setZero();
  estimates_.error_v.setZero();
  error_before_ = 1;
  easy_ = lately_ = 0;
  growth_ = 1;
  estimates_.next = limits_.first;
  if (limits_.first > 0) return;
  const Pace found = pace(z, a, limits_.largest);
  if (found.time == 0) return;
  double h = std::min(found.time, time_of(found, 0.01));
  if (limits_.largest > 0) h = std::min(h, limits_.largest);
  estimates_.next = std::max(h, limits_.smallest);
}

StepControl::Pace StepControl::pace(const State& z, const Vector& a, double otherwise) {
  constexpr double beside = 0.01;
  const Vector &q = z.q.value(), v = v0_;
  const double size = norm(natural_q_, natural_v_);
  if (a.size() == 0 || !(size > 0)) return {};
  double rate = norm(v, a) / size;
  try {
    Vector later(v.size()), lambda(system_->m());
    const double h = beside * (rate > 0 ? 1 / rate : otherwise);
    const Vector v_later = v + h * a;
    acceleration(*system_, z.t + h, q + h * v, v_later, later, lambda);
    if (h > 0) rate = std::max(rate, std::sqrt(norm(v_later - v, later - a) / (h * size)));
  } catch (const std::exception&) {
    // Beside the start it may not be defined: what is known of the start will do.
  }
  return rate > 0 ? Pace{1 / rate, size} : Pace{};
}

void StepControl::wait(const State& z) {
  // At rest the forces say, as at a start, which velocities are natural: those of the run so far may be none.
  const Vector so_far_q = largest_q_, so_far_v = largest_v_;
  const Vector a = begin_sizes(z);
  largest_q_ = largest_q_.cwiseMax(so_far_q);
  largest_v_ = largest_v_.cwiseMax(so_far_v);
  if (const Pace found = pace(z, a, estimates_.next); found.time > 0)
    estimates_.next = std::max(std::min(estimates_.next, time_of(found, 1)), limits_.smallest);
}

double StepControl::fit(double h, double rest) const {
  if (rest <= stretch * h && (limits_.largest == 0 || rest <= limits_.largest)) return rest;
  return rest < 2 * h ? rest / 2 : h;
}

void StepControl::look_ahead(const State& z, double span) {
  const double time = thresholds::first_step_of_way * std::abs(span);
  estimates_.next = time;
  Vector a(v0_.size()), lambda(system_->m());
  try {
    acceleration(*system_, z.t + thresholds::first_step_of_way * span, z.q.value(), v0_, a, lambda);
  } catch (const std::exception&) {
    return;
  }
  largest_v_ = largest_v_.cwiseMax(time * a.cwiseAbs());
  largest_q_ = largest_q_.cwiseMax(time * largest_v_);
}

double StepControl::propose(double rest) {
  before_ = estimates_.next;
  if (limits_.largest > 0) estimates_.next = std::min(estimates_.next, limits_.largest);
  estimates_.next = std::max(estimates_.next, limits_.smallest);
  rejected_ = false;
  eased_ = 1;
  return tried_ = fit(estimates_.next, rest);
}

double StepControl::part(const EndErrors& errors, const ConstVectorRef& d) {
  errors.bound(d, left_q_, left_v_);
  return norm(left_q_, left_v_) / thresholds::unsolved_part;
}

bool StepControl::moves(double part) const {
  for (Index i = 0; i < size_v_.size(); ++i)
    if (size_v_[i] > part * natural_v_[i]) return true;
  return false;
}

const Vector& StepControl::beyond_rounding(const Vector& error, double h, int integrals, Vector& out) const {
  const double speed = rounding_of_forces * std::abs(h) * forces_, least = integrals > 0 ? std::abs(h) * speed : speed;
  const Vector& mass = system_->mass().diagonal_entries();
  out = error;
  if (std::sqrt(size_v_.cwiseAbs2().dot(mass)) > std::max(speed, resting_speed_)) return out;
  for (Index i = 0; i < error.size(); ++i)
    if (std::abs(error[i]) * std::sqrt(mass[i]) <= least) out[i] = 0;
  return out;
}

bool StepControl::passes(const State& before, const State& after) {
  measure(before, after);
  error_ = std::max(norm(beyond_rounding(estimates_.error_q, after.t - before.t, 1, left_q_),
                         beyond_rounding(estimates_.error_v, after.t - before.t, 0, left_v_)),
                    bend(before, after));
  return error_ <= 1;
}

double StepControl::bend(const State& before, const State& after) {
  if (system_->m() == 0 || system_->parts().time_dependence == nullptr) return 0;
  scratch_.setZero();
  double rate = 0;
  for (const State* z : {&before, &after}) {
    system_->constraint_velocity(z->t, z->q.value(), scratch_, rates_);  // g_t
    rate = std::max(rate, rates_.cwiseAbs().maxCoeff());
  }
  if (rate == 0) return 0;
  const double h = after.t - before.t;
  const Vector& mass = system_->mass().diagonal_entries();
  double bent = 0, fastest0 = 0, fastest1 = 0;
  for (Index j = 0; j < mass.size(); ++j) {
    scratch_[j] = after.q.value()[j] - before.q.value()[j] - h * (v0_[j] + v1_[j]) / 2;
    bent += mass[j] * scratch_[j] * scratch_[j];
    fastest0 += mass[j] * v0_[j] * v0_[j];
    fastest1 += mass[j] * v1_[j] * v1_[j];
  }
  const double path = h * h * std::max(fastest0, fastest1);
  // Where it is less than the tolerance, as when the motion comes to rest, it does no harm.
  return std::min(norm(scratch_, none_), std::pow(std::sqrt(bent / path) / most_bent, (order_ + 1) / 2.));
}

bool StepControl::passes(const State& before, const State& after, const Vector& error_q, const Vector& error_v) {
  estimates_.error_q = error_q;
  estimates_.error_v = error_v;
  return passes(before, after);
}

double StepControl::shorten(bool solved, double rest) {
  rejected_ = true;
  const bool smallest = tried_ <= limits_.smallest;
  const double factor = !solved ? 0.25
                        : std::isfinite(error_)
                            ? std::max(smallest_after_rejection, safety * std::pow(error_, -1. / (order_ + 1)))
                            : smallest_after_rejection;
  estimates_.next = std::max(tried_ * factor, limits_.smallest);
  return tried_ = smallest ? 0 : fit(estimates_.next, rest);
}

bool StepControl::spares(double cost) const {
  return lately_ < too_often && moves(thresholds::fast_motion) && tried_ > limits_.smallest &&
         cost * easier * tried_ >= std::max(error_allows(), tried_ / eased_);
}

double StepControl::error_allows() const {
  return safety * estimates_.last *
         std::pow(std::max(estimates_.error, std::numeric_limits<double>::min()), -1. / (order_ + 1));
}

double StepControl::ease(double rest) {
  eased_ *= easier;
  estimates_.next = std::max(easier * tried_, limits_.smallest);
  return tried_ = fit(estimates_.next, rest);
}

void StepControl::accept(bool interrupted, Cost cost) {
  largest_q_ = reached_q_;
  largest_v_ = reached_v_;
  const double k = 1. / (order_ + 1), error = std::max(error_, thresholds::least_error);
  double factor = std::clamp(safety * std::pow(error, -0.7 * k) * std::pow(error_before_, 0.4 * k), smallest_factor,
                             rejected_ || interrupted ? 1.0 : largest_factor);
  const bool arrives = tried_ < shortened * estimates_.next;
  estimates_.next = arrives ? std::max(estimates_.next, tried_ * factor) : tried_ * factor;
  if (!arrives) {
    if (!interrupted) error_before_ = std::max(error_, thresholds::least_error_before);
    estimates_.largest = std::max(estimates_.largest, tried_);
    estimates_.smallest = estimates_.smallest > 0 ? std::min(estimates_.smallest, tried_) : tried_;
  }
  if (cost == Cost::untried) {
    easy_ = std::max(easier * tried_, error_allows() / following_cost);
    growth_ = easy_growth;
  } else if (cost == Cost::high) {
    if (eased_ < 1)
      lately_ = too_often;
    else if (tried_ < goes_on * estimates_.last)
      lately_ *= forgotten;
    easy_ = 0;
  } else if (eased_ < 1) {
    ++lately_;
    easy_ = tried_;
    growth_ = easy_growth;
  } else {
    lately_ *= forgotten;
    easy_ *= growth_;
    growth_ = std::min(growth_ * growth_, most_growth);
  }
  estimates_.last = tried_;
  estimates_.error = error_;
  if (easy_ > 0) estimates_.next = std::min(estimates_.next, easy_);
}

void StepControl::serialize(Archive& archive) {
  archive(order_, tolerances_, limits_, estimates_.last, estimates_.next, estimates_.smallest, estimates_.largest,
          estimates_.error, estimates_.error_q, estimates_.error_v, error_before_, easy_, growth_, lately_, size_q_,
          size_v_, largest_q_, largest_v_, reached_q_, reached_v_, natural_q_, natural_v_, forces_, resting_speed_);
}

}  // namespace gnomon
