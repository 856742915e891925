#include "run/switches/switch_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/recorded.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "start/friction_acceleration.hpp"

namespace gnomon {

SwitchWatch::SwitchWatch(const Model& model)
    : system_(model.mechanical()), part_(system_ ? system_->parts().switches : nullptr) {
  if (!part_) return;
  first_ = system_->parts().n_angles();
  values_.setZero(part_->n_switches());
  rates_ = start_values_ = middle_values_ = largest_ = values_;
  flipped_.setConstant(values_.size(), std::numeric_limits<double>::quiet_NaN());
  flipped_tail_ = values_;
  v_.setZero(system_->n());
  scratch_ = start_v_ = middle_q_ = middle_v_ = v_;
  lambda_.setZero(system_->m() + system_->parts().n_obstacles());
}

void SwitchWatch::measure(const State& z, Index rank) {
  system_->velocity(z.q.value(), z.p.value(), scratch_, v_);
  if (part_->switches_use_multipliers()) lambda_.head(system_->m()) = index1_multipliers(*system_, z.view(), rank);
  part_->switches(z.t + z.t_tail, z.q.value(), v_, lambda_, values_);
}

void SwitchWatch::begin(State& z, Index rank) {
  z.turns.resize(place(count()), 0);
  const Windings held(z.turns);
  measure(z, rank);
  part_->switch_rates(z.t, z.q.value(), v_, lambda_, rates_);
  for (Index i = 0; i < count(); ++i) {
    int& side = z.turns[place(i)];
    if (side != 0 && !passed(z, i, values_[i])) continue;
    const double sign = values_[i] != 0 ? values_[i] : rates_[i];
    side = sign > 0 ? 1 : -1;
  }
  accept();
  // The rounding of a time is that of all of it, however near to the zero a run begins.
  for (Index i = 0; i < count(); ++i)
    if (of_time_alone(z, i)) largest_[i] = std::max(largest_[i], std::abs(rates_[i] * z.t));
}

void SwitchWatch::forget_flips(const State& z) {
  for (Index i = 0; i < flipped_.size(); ++i)
    if (!flipped_here(z, i)) flipped_[i] = std::numeric_limits<double>::quiet_NaN();
}

void SwitchWatch::accept() {
  largest_ = largest_.cwiseMax(values_.cwiseAbs());
  start_values_ = values_;
  start_v_ = v_;
}

double SwitchWatch::dip(const State& z, const State& after, double h) {
  // In the middle of the cubic through both ends.
  const Vector &q0 = z.q.value(), &q1 = after.q.value();
  middle_q_ = (q0 + q1) / 2 + h / 8 * (start_v_ - v_);
  middle_v_ = 1.5 / h * (q1 - q0) - (start_v_ + v_) / 4;
  part_->switches(z.t + (z.t_tail + h / 2), middle_q_, middle_v_, lambda_, middle_values_);
  double first = 1;
  for (Index i = 0; i < count(); ++i) {
    const double a = margin(after, i, start_values_[i]), m = margin(after, i, middle_values_[i]),
                 b = margin(after, i, values_[i]);
    // a + x (4m - 3a - b) + 2 x^2 (a + b - 2m), lowest at x
    const double slope = 4 * m - 3 * a - b, curvature = 2 * (a + b - 2 * m), x = -slope / (2 * curvature);
    if (!(a >= 0 && b >= 0 && curvature > 0 && x > 0 && x < first)) continue;
    if (a + x * (slope + x * curvature) < -thresholds::switch_rounding * largest_[i]) first = x;
  }
  return first;
}

bool SwitchWatch::passed(const State& z) const {
  for (Index i = 0; i < count(); ++i)
    if (passed(z, i, values_[i])) return true;
  return false;
}

Index SwitchWatch::first_passed(const State& z, const Vector& at_start, const Vector& at_end) const {
  Index first = -1;
  double earliest = 2;
  for (Index i = 0; i < count(); ++i) {
    if (!passed(z, i, at_end[i])) continue;
    const double a = std::max(margin(z, i, at_start[i]), 0.0), b = margin(z, i, at_end[i]);
    if (a / (a - b) >= earliest) continue;
    earliest = a / (a - b);
    first = i;
  }
  return first;
}

double SwitchWatch::time_to_zero(const State& z, Index& which) {
  double nearest = std::numeric_limits<double>::infinity();
  part_->switch_rates(z.t, z.q.value(), v_, lambda_, rates_);
  for (Index i = 0; i < count(); ++i) {
    const double time = -values_[i] / rates_[i];
    if (!(margin(z, i, values_[i]) >= 0 && margin(z, i, rates_[i]) < 0 && time < nearest)) continue;
    nearest = time;
    which = i;
  }
  return nearest;
}

void SwitchWatch::flip(State& z, Index i) {
  z.turns[place(i)] = -z.turns[place(i)];
  flipped_[i] = z.t;
  flipped_tail_[i] = z.t_tail;
}

/// Evaluates on both sides of a switch.
struct SwitchWatch::Sides {
  State& z;
  std::size_t place;
  /// out = f() on the present side, then on the other one
  template <class F>
  void operator()(F&& f) const {
    const Windings held(z.turns);
    f(0);
    z.turns[place] = -z.turns[place];
    f(1);
    z.turns[place] = -z.turns[place];
  }
};

bool SwitchWatch::differs(State& beyond, Index i) {
  if (!part_->sides_are_held()) return true;
  const Vector& q = beyond.q.value();
  const Parts& parts = system_->parts();
  const Index n = system_->n(), m = system_->m();
  system_->velocity(q, beyond.p.value(), scratch_, v_);
  // Multipliers of zero would hide what is multiplied by them.
  const bool known = beyond.lambda.size() == lambda_.size();
  const Vector lambda =
      lambda_.binaryExpr(known ? beyond.lambda : lambda_, [](double, double own) { return own != 0 ? own : 1.0; });
  std::array<Vector, 2> all;
  std::vector<Index> ends;  // of U, T, grad U, Q, R, g, G and s among them
  Sides{beyond, place(i)}([&](int k) {
    const Index entries = system_->constraint_pattern().nonzeros();
    Vector& f = all[static_cast<std::size_t>(k)];
    f.setZero(2 + 3 * n + m + entries + count());
    f[0] = system_->potential(beyond.t, q);
    if (parts.mass) f[1] = parts.mass->kinetic_energy(q, beyond.p.value());
    system_->potential_gradient(beyond.t, q, f.segment(2, n));
    if (parts.force) parts.force->force(beyond.t, q, v_, f.segment(2 + n, n));
    if (parts.friction) parts.friction->friction(q, v_, lambda, f.segment(2 + 2 * n, n));
    if (m > 0) {
      system_->constraints(beyond.t, q, f.segment(2 + 3 * n, m));
      system_->constraint_jacobian(beyond.t, q, f.segment(2 + 3 * n + m, entries));
    }
    part_->switches(beyond.t, q, v_, lambda, f.tail(count()));
    ends = {0, 1, 2, 2 + n, 2 + 2 * n, 2 + 3 * n, 2 + 3 * n + m, f.size() - count(), f.size()};
  });
  for (std::size_t part = 0; part + 1 < ends.size(); ++part)
    for (Index j = ends[part]; j < ends[part + 1]; ++j) {
      const double a = all[0][j], b = all[1][j];
      const Index size = ends[part + 1] - ends[part];
      const double scale = std::max(all[0].segment(ends[part], size).lpNorm<Eigen::Infinity>(),
                                    all[1].segment(ends[part], size).lpNorm<Eigen::Infinity>());
      if (!(std::abs(a - b) <= thresholds::same_function * scale)) return true;
    }
  return false;
}

std::string SwitchWatch::jump(State& z, Index i) {
  const Vector& q = z.q.value();
  system_->velocity(q, z.p.value(), scratch_, v_);
  double u[2], kinetic[2] = {0, 0};
  Vector g[2], jacobian[2], rate[2];
  Sides{z, place(i)}([&](int k) {
    u[k] = system_->potential(z.t, q);
    if (system_->parts().mass) kinetic[k] = system_->parts().mass->kinetic_energy(q, z.p.value());
    if (system_->m() == 0) return;
    for (Vector* x : {&g[k], &rate[k]}) x->setZero(system_->m());
    jacobian[k].setZero(system_->constraint_pattern().nonzeros());
    system_->constraints(z.t, q, g[k]);
    system_->constraint_velocity(z.t, q, v_, rate[k]);
    system_->constraint_jacobian(z.t, q, jacobian[k]);
  });
  const auto text = [](const char* what, double by) { return std::string(what) + " by " + number_text(by); };
  if (!of_time_alone(z, i) && !(std::abs(u[1] - u[0]) <= thresholds::no_jump * z.energy_scale))
    return text("the potential jumps", u[1] - u[0]);
  if (!(std::abs(kinetic[1] - kinetic[0]) <= thresholds::no_jump * z.energy_scale))
    return text("the mass jumps, and with it the kinetic energy,", kinetic[1] - kinetic[0]);
  if (system_->m() == 0) return {};
  const auto norm = [](const Vector& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0; };
  const double slope = std::max(norm(jacobian[0]), norm(jacobian[1]));
  if (const double by = norm(g[1] - g[0]); !(by <= thresholds::no_jump * slope * norm(q)))
    return text("a constraint jumps", by);
  if (const double by = norm(jacobian[1] - jacobian[0]); !(by <= thresholds::no_jump * slope))
    return text("the gradient of a constraint jumps", by);
  if (const double by = norm(rate[1] - rate[0]);
      !(by <= thresholds::no_jump * std::max(slope * norm(v_), norm(rate[0]))))
    return text("the speed of a prescribed motion jumps", by);
  return {};
}

bool SwitchWatch::of_time_alone(const State& z, Index i) {
  if (of_time_.empty()) {
    const RecordingPoint beside = ordinary_point(2 * system_->n() + lambda_.size());
    const auto moved = [&](const Vector& x, Index from) {
      return x + (1 + x.lpNorm<Eigen::Infinity>()) * beside.x.segment(from, x.size());
    };
    Vector here(count()), there(count());
    const Vector at_rest = Vector::Zero(system_->n()), no_multipliers = Vector::Zero(lambda_.size());
    part_->switches(z.t, z.q.value(), at_rest, no_multipliers, here);
    part_->switches(z.t, moved(z.q.value(), 0), moved(at_rest, system_->n()), moved(no_multipliers, 2 * system_->n()),
                    there);
    for (Index k = 0; k < count(); ++k) of_time_.push_back(here[k] == there[k]);
  }
  return of_time_[static_cast<std::size_t>(i)];
}

bool SwitchWatch::reached(const State& z, Index i, double h) {
  if (!(std::abs(values_[i]) <= thresholds::end_of_step * largest_[i]) || !of_time_alone(z, i)) return false;
  part_->switch_rates(z.t, z.q.value(), v_, lambda_, rates_);
  const double ahead = z.turns[place(i)] * rates_[i] * h;
  const double near = thresholds::same_time * std::max(std::abs(z.t), std::abs(h));
  return ahead < 0 && std::abs(values_[i]) <= near * std::abs(rates_[i]);
}

bool SwitchWatch::steps_over_jump(const State& before, State& after, Index i) {
  if (of_time_alone(after, i)) return false;
  constexpr double of_slopes = 2;
  Vector slope[2];
  Sides{after, place(i)}([&](int k) {
    slope[k].setZero(system_->n());
    system_->potential_gradient(after.t, after.q.value(), slope[k]);
  });
  const Vector way = after.q.value() - before.q.value();
  const double most = (slope[1] - slope[0]).cwiseAbs().dot(way.cwiseAbs()) + thresholds::no_jump * after.energy_scale;
  return !(std::abs(static_cast<double>(potential_change(after, i))) <= of_slopes * most);
}

long double SwitchWatch::potential_change(State& z, Index i) {
  long double u[2];
  Sides{z, place(i)}([&](int k) { u[k] = system_->potential_compensated(z.t, z.q.value(), z.q.tail(), scratch_); });
  return u[1] - u[0];
}

double SwitchWatch::acceleration_change(State& z, Index i, Index rank) {
  const Vector& q = z.q.value();
  system_->velocity(q, z.p.value(), scratch_, v_);
  Vector a[2];
  Sides{z, place(i)}([&](int k) {
    a[k].setZero(system_->n());
    Vector lambda = Vector::Zero(system_->m());
    friction_acceleration(*system_, z.t, q, v_, a[k], lambda, rank);
  });
  return (a[1] - a[0]).lpNorm<Eigen::Infinity>();
}

void SwitchWatch::serialize(Archive& archive) {
  archive(largest_, flipped_, flipped_tail_);
  archive.require(largest_.size() == count() && flipped_.size() == count() && flipped_tail_.size() == count(),
                  "its switches are not those of the model");
}

}  // namespace gnomon
