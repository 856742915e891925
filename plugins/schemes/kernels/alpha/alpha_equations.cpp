#include "kernels/alpha/alpha_equations.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/largest_eigenvalue.hpp"

namespace gnomon::kernels {

AlphaEquations::AlphaEquations(const System& system, const AlphaRule& rule)
    : AlphaSplitForm(system, rule.alpha, rule.multiplier.kind == AlphaMultiplier::Kind::end && !rule.split_potential,
                     frame_),
      system_(&system),
      at_(system),
      rule_(rule),
      shift_(rule.alpha - 0.25),
      potential_(system, at_, rule.split_potential),
      multiplier_(system, at_, rule.multiplier),
      friction_(system),
      scales_(system),
      n_(system.n()),
      constant_part_(!rule.split_potential && !system.parts().time_dependence &&
                     (system.m() == 0 || system.traits().constraint_degree == 1)) {
  lay_out();
  points_.for_each([&](auto& b) { b.allocate(n_, system.m()); });
  for (auto* buffer : {&velocity_, &force_}) buffer->for_each([this](auto& v) { v.resize(n_); });
  for (Vector* v : {&frame_.x, &frame_.tail, &frame_.base, &frame_.base_tail, &position_, &tail_, &work_})
    v->setZero(n_);
  node_dual_ = VectorOf<Dual1>::Constant(n_, Dual1(0.0));
  node_extended_.setZero(n_);
  for (auto* v : {&solution_, &extended_rows_}) v->setZero(size());
  frame_.g.setZero(system.m());
  for (Vector* v : {&lambda_, &none_}) v->setZero(system.m());
  base_.setZero(constant_part_ ? pattern().nonzeros() : 0);
  rows_.setZero(size());
  hessian_values_.setZero(system.hessian_pattern().nonzeros());
  if (system.parts().force) force_values_.setZero(system.parts().force->force_pattern(ForceArgument::v).nonzeros());
}

void AlphaEquations::begin(const State& z0, double h) {
  if (quadratic_part_.size() == 0) find_quadratic_part(z0);
  frame_.h = h;
  scales_.update(z0, h);
  const double size = z0.q.value().lpNorm<Eigen::Infinity>();
  const double penalty = penalty_stiffness(h);
  stiff_ = rule_.multiplier.kind == AlphaMultiplier::Kind::penalty && penalty > 1;
  floor_ = thresholds::residual_rounding +
           thresholds::unit_of_rounding * (stiffness_ * std::abs(h) * size / scales_.s() + penalty);
}

void AlphaEquations::place_times(double before, double end) {
  frame_.before = before;
  frame_.end = end;
}

void AlphaEquations::place_node(double t, const Compensated& x, const Compensated& base, double sigma) {
  frame_.t = t;
  frame_.sigma = sigma;
  frame_.x = x.value();
  frame_.tail = x.tail();
  frame_.base = base.value();
  frame_.base_tail = base.tail();
  if (has_force() || friction_.active()) {
    for (Index j = 0; j < n_; ++j) node_dual_[j].value = frame_.x[j];
    node_extended_ = frame_.x.cast<Extended>() + frame_.tail.cast<Extended>();
  }
  multiplier_.begin(frame_);
}

void AlphaEquations::predict(const Vector& lambda, VectorRef x) {
  auto& b = points_.at_double;
  system_->potential_gradient(frame_.t, frame_.x, b.u);
  if (rule_.multiplier.kind != AlphaMultiplier::Kind::penalty && lambda.size() > 0) {
    at_.constraint_force(frame_.t, frame_.x, lambda, b.force);
    b.u += b.force;
  }
  x.tail(multiplier_.unknowns()) = lambda.head(multiplier_.unknowns());
  if (has_force()) {
    velocity_.at_double = frame_.base / frame_.h;
    at_.force(frame_.t, frame_.x, velocity_.at_double, b.force);
    b.u -= b.force;
  }
  system_->mass().solve(b.u, work_);
  x.head(n_) = -frame_.h * frame_.h * work_;
}

void AlphaEquations::scales(VectorRef columns, VectorRef rows) const {
  columns.head(n_) = scales_.dq();
  rows.head(n_) = scales_.dp();
  if (multiplier_.unknowns() == 0) return;
  columns.tail(multiplier_.unknowns()) = scales_.lambda();
  rows.tail(multiplier_.unknowns()) = frame_.sigma * scales_.position();
}

const Vector& AlphaEquations::effective_multiplier(const Vector& x) {
  auto& b = place_solution(x);
  multiplier_.evaluate(frame_, solution_, b, extended_rows_);
  lambda_ = b.multiplier.cast<double>();
  return lambda_;
}

void AlphaEquations::constraint_jacobians(const Vector& x, Vector& centre, Vector& end) {
  auto& b = points_.at_double;
  b.place(frame_, x);
  multiplier_.jacobians(frame_, b, centre, end);
}

double AlphaEquations::work(const Vector& x) {
  const bool moving = system_->parts().time_dependence;
  if (!has_force() && !friction_.active() && !moving) return 0;
  auto& b = place_solution(x);
  Extended sum = 0;
  if (has_force()) sum += 0.5 * applied(b).dot(b.plus + b.minus);
  if (friction_.active()) {
    multiplier_.evaluate(frame_, solution_, b, extended_rows_);
    sum += 0.5 * rubbed(b).dot(b.plus + b.minus);
  }
  if (moving) {
    b.place_middles(frame_);
    const double before = frame_.t - 0.5 * frame_.h, after = frame_.t + 0.5 * frame_.h;
    sum += potential(after, b.m_plus) - potential(frame_.t, b.m_plus);
    sum += potential(frame_.t, b.m_minus) - potential(before, b.m_minus);
    if (multiplier_.rule().kind == AlphaMultiplier::Kind::penalty) {
      sum += penalty(after, b.m_plus) - penalty(frame_.t, b.m_plus);
      sum += penalty(frame_.t, b.m_minus) - penalty(before, b.m_minus);
    }
    if (multiplier_.moving()) {
      multiplier_.evaluate(frame_, solution_, b, extended_rows_);
      sum += multiplier_.work(frame_, b);
    }
  }
  return static_cast<double>(sum);
}

long double AlphaEquations::energy(double t, const Compensated& q, const ConstVectorRef& d,
                                   const ConstVectorRef& d_tail, double h) {
  long double kinetic = 0;
  if (system_->mass().is_diagonal()) {
    const Vector& mass = system_->mass().diagonal_entries();
    for (Index j = 0; j < n_; ++j) {
      const long double dj = static_cast<long double>(d[j]) + d_tail[j];
      kinetic += mass[j] * dj * dj;
    }
  } else {
    system_->mass().apply(d, work_);
    for (Index j = 0; j < n_; ++j) kinetic += work_[j] * (static_cast<long double>(d[j]) + 2 * d_tail[j]);
  }
  kinetic /= 2 * static_cast<long double>(h) * h;
  if (shift_ != 0) {
    multiply(system_->hessian_pattern(), quadratic_part_, d, work_);
    kinetic += 0.5L * shift_ * d.dot(work_);
  }
  auto& b = points_.at_double;
  for (Index j = 0; j < n_; ++j) {
    const long double m = q.value()[j] + (q.tail()[j] + (0.5L * d[j] + 0.5L * d_tail[j]));
    b.middle[j] = static_cast<double>(m);
    b.m_plus[j] = static_cast<double>(m - b.middle[j]);
  }
  const double half = t + 0.5 * h;
  return kinetic + system_->potential_compensated(half, b.middle, b.m_plus, work_) +
         multiplier_.energy(half, b.middle, b.m_plus);
}

template <class S>
void AlphaEquations::evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
  using Real = typename DualBase<S>::type;
  auto& b = points_.template get<S>();
  const Real h = frame_.h;
  b.place(frame_, x);
  potential_.evaluate(frame_, b);
  multiplier_.evaluate(frame_, x, b, f);
  at_.mass_times(b.delta, b.m_delta);
  for (Index j = 0; j < n_; ++j) f[j] = b.m_delta[j] * (1 / h) + (b.u[j] + b.force[j]) * h;
  if (shift_ != 0) add_quadratic_part<S>(b.delta, h * shift_, f);
  if (has_force()) {
    const auto& q = applied(b);
    for (Index j = 0; j < n_; ++j) f[j] -= q[j] * h;
  }
  if (friction_.active()) {
    const auto& r = rubbed(b);
    for (Index j = 0; j < n_; ++j) f[j] -= r[j] * h;
  }
}

void AlphaEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  auto& b = points_.at_double;
  const double h = frame_.h;
  b.place(frame_, x);
  if (!constant_part_) b.place_middles(frame_);
  multiplier_.evaluate(frame_, x, b, rows_);
  if (constant_part_) {
    find_base();
    values = base_;
  } else {
    values.setZero();
    mass_.add(values, system_->mass().values(), 1 / h);
    lambda_ = multiplier_.curvature(frame_.sigma) * b.multiplier;
    if (multiplier_.moving()) {
      potential_.hessian(frame_.t, b, none_, hessian_values_);
      multiplier_.add_bending(frame_, lambda_, hessian_values_);
    } else {
      potential_.hessian(frame_.t, b, lambda_, hessian_values_);
    }
    hessian_.add(values, hessian_values_, 0.25 * h);
    std::size_t at = 0;
    potential_.for_each_outer(frame_.sigma, b, [&](Index, Index, double value) { values[outer_[at++]] += h * value; });
    if (shift_ != 0) hessian_.add(values, quadratic_part_, h * shift_);
  }
  multiplier_.add_jacobian(frame_, b, values);
  if (has_force() && frame_.sigma == 1) {
    velocity_.at_double = (b.plus + b.minus) / (2 * h);
    system_->parts().force->force_jacobian(ForceArgument::v, frame_.t, frame_.x, velocity_.at_double, force_values_);
    force_map_.add(values, force_values_, -0.5);
  }
  if (friction_.active()) {
    rubbed(b);
    friction_.add(friction_place_, frame_.x, velocity_.at_double, b.multiplier, 0, frame_.sigma == 1 ? -0.5 : 0, -h,
                  values);
  }
}

void AlphaEquations::lay_out() {
  const Block delta = layout_.unknown("delta", n_), balance = layout_.rows(n_);
  layout_.place(mass_, balance, delta, system_->mass().pattern());
  layout_.place(hessian_, balance, delta, system_->hessian_pattern());
  layout_.place(balance, delta, SparsityPattern::diagonal(n_));
  if (has_force()) layout_.place(force_map_, balance, delta, system_->parts().force->force_pattern(ForceArgument::v));
  const Block lambda = multiplier_.lay_out(layout_, delta, balance);
  friction_.place(layout_, friction_place_, balance, delta, lambda);
  finish_layout();
  multiplier_.find_entries(layout_, delta, balance);
  if (!rule_.split_potential || system_->parts().n_invariants() == 0) return;
  const SparsityPattern& pi = system_->parts().split->invariant_pattern();
  for (Index k = 0; k < pi.rows; ++k)
    for (Index i = pi.offsets[k]; i < pi.offsets[k + 1]; ++i)
      for (Index j = pi.offsets[k]; j < pi.offsets[k + 1]; ++j)
        outer_.push_back(layout_.entry(balance, delta, pi.indices[i], pi.indices[j]));
}

void AlphaEquations::find_quadratic_part(const State& z0) {
  const Vector &q = z0.q.value(), none = Vector::Zero(system_->m());
  const SparsityPattern& pattern = system_->hessian_pattern();
  Vector part = Vector::Zero(pattern.nonzeros());
  if (rule_.split_potential)
    system_->parts().split->split_hessian(z0.t, q, Vector::Zero(system_->parts().n_invariants()), none, part);
  else
    system_->lagrangian_hessian(z0.t, q, none, part);
  if (!part.allFinite()) throw CannotEvaluate("the second derivatives of the potential are not finite");
  quadratic_part_ = std::move(part);  // what failed is found anew in the next step
  if (shift_ < 0) {                   // (23)
    const double largest = largest_eigenvalue(system_->mass(), pattern, quadratic_part_);
    if (largest > 0) limit_ = 2 / std::sqrt(largest * (1 - 4 * rule_.alpha));
  }
  for (Index i = 0; i < n_; ++i) {
    const Index first = pattern.offsets[i], count = pattern.offsets[i + 1] - first;
    const double sum = count > 0 ? quadratic_part_.segment(first, count).lpNorm<1>() : 0;
    stiffness_ = std::max(stiffness_, sum / std::sqrt(system_->mass().diagonal_entries()[i]));
  }
}

void AlphaEquations::find_base() {
  if (base_h_ == frame_.h) return;
  base_h_ = frame_.h;
  base_.setZero();
  mass_.add(base_, system_->mass().values(), 1 / base_h_);
  hessian_.add(base_, quadratic_part_, rule_.alpha * base_h_);
}

double AlphaEquations::penalty_stiffness(double h) const {
  if (rule_.multiplier.kind == AlphaMultiplier::Kind::unknown || system_->m() == 0) return 0;
  return multiplier_.largest_weight() / rule_.multiplier.eps * h * h *
         (scales_.hidden() / scales_.s()).cwiseAbs2().maxCoeff();
}

AlphaPoint<Extended>& AlphaEquations::place_solution(const Vector& x) {
  solution_ = x.cast<Extended>() + low_.cast<Extended>();
  points_.at_extended.place(frame_, solution_);
  return points_.at_extended;
}

template <class S>
const VectorOf<S>& AlphaEquations::applied(const AlphaPoint<S>& b) {
  auto& q = force_.template get<S>();
  at_.force(frame_.t, node<S>(), central_velocity(b), q);
  return q;
}

template <class S>
const VectorOf<S>& AlphaEquations::rubbed(const AlphaPoint<S>& b) {
  return friction_(node<S>(), central_velocity(b), b.multiplier);
}

template <class S>
const VectorOf<S>& AlphaEquations::central_velocity(const AlphaPoint<S>& b) {
  auto& v = velocity_.template get<S>();
  const auto factor = 0.5 / static_cast<typename DualBase<S>::type>(frame_.h);
  for (Index j = 0; j < n_; ++j) v[j] = (b.plus[j] + b.minus[j]) * factor;
  return v;
}

Extended AlphaEquations::penalty(double t, const VectorOf<Extended>& q) {
  position_ = q.cast<double>();
  tail_ = (q - position_.cast<Extended>()).cast<double>();
  return multiplier_.energy(t, position_, tail_);
}

Extended AlphaEquations::potential(double t, const VectorOf<Extended>& q) {
  position_ = q.cast<double>();
  tail_ = (q - position_.cast<Extended>()).cast<double>();
  return system_->potential_compensated(t, position_, tail_, work_);
}

template <class S>
void AlphaEquations::add_quadratic_part(const VectorOf<S>& delta, typename DualBase<S>::type factor,
                                        VectorRefOf<S> f) const {
  const SparsityPattern& pattern = system_->hessian_pattern();
  for (Index i = 0; i < n_; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      f[i] += delta[pattern.indices[k]] * (factor * quadratic_part_[k]);
}

template <class S>
const VectorOf<S>& AlphaEquations::node() const {
  if constexpr (std::is_same_v<S, double>)
    return frame_.x;
  else if constexpr (std::is_same_v<S, Extended>)
    return node_extended_;
  else
    return node_dual_;
}

}  // namespace gnomon::kernels

template class gnomon::TemplatedEquations<gnomon::kernels::AlphaEquations, true>;
