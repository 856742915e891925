#include "kernels/alpha/alpha_step.hpp"

#include <limits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/energy_balance.hpp"

namespace gnomon::kernels {

AlphaStep::AlphaStep(const System& system, std::shared_ptr<const System> owner, const AlphaRule& rule)
    : owner_(std::move(owner)),
      equations_(system, rule),
      start_velocity_(system),
      n_(system.n()),
      m_(system.m() - rule.multiplier.n_obstacles) {
  alpha_ = rule.alpha;
  x_.setZero(equations_.size());
  x_start_.setZero(equations_.size());
  lambda_.setZero(m_);
  delta_.setZero(n_);
  for (Vector* v : {&zero_, &sum_, &momentum_, &work_}) v->setZero(n_);
  for (Compensated* v : {&node_, &increment_}) v->set(zero_);
}

void AlphaStep::prepare(State& z) const {
  z.history.resize(equations_.size(), predictor_depth);
  z.scheme_data.setZero(2 * n_ + 2);
}

void AlphaStep::begin(const State& z0, double h) {
  z0_ = &z0;
  h_ = h;
  const Vector& c = z0.scheme_data;
  starting_ = c[2 * n_] != h;
  equations_.begin(z0, h);
  if (warning_.empty() && equations_.limit() < std::numeric_limits<double>::infinity())
    warning_ = "the step is above the stability limit " + number_text(equations_.limit()) +
               " of alpha = " + number_text(alpha_) + ": solutions grow";
  lambda_ = z0.lambda.head(m_);
  if (starting_) return;
  increment_.set(c.head(n_));
  increment_.add(c.segment(n_, n_));
  work_before_ = c[2 * n_ + 1];
  place_end();
}

void AlphaStep::predict(Index k, VectorRef x) {
  if (starting_ && k == 0) {
    start_velocity_.begin(z0_->p);
    delta_ = start_velocity_.at<Extended>() * h_;
    increment_.set(zero_);
    add(increment_, delta_, work_);
    equations_.place_times(z0_->t - h_, time_after(*z0_, h_));
    equations_.place_node(z0_->t, z0_->q, increment_, 0.5);
    equations_.predict(lambda_, x);
  } else if (starting_ || z0_->history.count() == 0 || z0_->last_h != h_) {
    x = x_start_;
  } else if (equations_.stiff()) {
    // A penalty's fast modes turn by an angle near pi in every step: an extrapolation of them would be far outside,
    // from where Newton's method may not come back.
    x = z0_->history.at(z0_->history.count() > 1 ? 1 : 0);
  } else if (!extrapolate(*z0_, h_, x)) {
    x = z0_->history.at(0);
  }
}

Next AlphaStep::accept(Index k, const ConstVectorRef& x) {
  x_ = x;
  delta_ = x_.head(n_).cast<Extended>() + equations_.low().head(n_).cast<Extended>();
  if (!starting_ || k == 1) return Next::advance;
  // d+ = h v0 + delta/2
  x_start_ = x_;
  work_before_ = equations_.work(x_);
  delta_ *= 0.5;
  add(increment_, delta_, work_);
  place_end();
  return Next::advance;
}

void AlphaStep::finish(State& next) {
  const double work = equations_.work(x_);
  next.q.add(increment_.value());
  next.q.add(increment_.tail());
  sum_ = increment_.value();
  add(increment_, delta_, work_);
  sum_ += increment_.value();  // d+ + d-
  equations_.model().mass().apply(sum_, momentum_);
  momentum_ /= 2 * h_;
  next.p.set(momentum_);
  if (m_ > 0) next.lambda = equations_.effective_multiplier(x_).head(m_);
  next.work.force += 0.5L * (static_cast<long double>(work_before_) + work);
  next.scheme_data.head(n_) = increment_.value();
  next.scheme_data.segment(n_, n_) = increment_.tail();
  next.scheme_data[2 * n_] = h_;
  next.scheme_data[2 * n_ + 1] = work;
  if (starting_) remember(next, h_, x_start_);
  next.last_h = h_;
  remember(next, h_, x_);
  next.advance_time(h_);
}

long double AlphaStep::added_energy(const State& z) {
  return equations_.multiplier().energy(z.t, z.q.value(), z.q.tail());
}

long double AlphaStep::discrete_energy(const State& z) {
  const Vector& c = z.scheme_data;
  return equations_.energy(z.t, z.q, c.head(n_), c.segment(n_, n_), c[2 * n_]) -
         (z.work.total() + 0.5L * c[2 * n_ + 1]);
}

void AlphaStep::place_end() {
  node_ = z0_->q;
  node_.add(increment_.value());
  node_.add(increment_.tail());
  State after;
  after.t = z0_->t;
  after.t_tail = z0_->t_tail;
  for (int step = 0; step < 2; ++step) after.advance_time(h_);
  equations_.place_times(z0_->t, after.t);
  equations_.place_node(z0_->t + h_, node_, increment_, 1);
}

}  // namespace gnomon::kernels
