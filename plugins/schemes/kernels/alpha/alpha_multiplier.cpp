#include "kernels/alpha/alpha_multiplier.hpp"

#include <utility>

#include "gnomon/base/finite.hpp"

namespace gnomon::kernels {

AlphaMultiplier::AlphaMultiplier(const System& system, SystemAt& at, const Rule& rule)
    : system_(&system),
      at_(&at),
      rule_(rule),
      n_(system.n()),
      m_(system.m()),
      two_sided_(m_ - rule.n_obstacles),
      linear_(system.traits().constraint_degree == 1) {
  weights_ = Vector::Ones(m_);
  if (system.traits().constraint_weights.size() == m_) weights_ = system.traits().constraint_weights;
  for (auto* buffer : {&a_, &b_}) buffer->for_each([this](auto& v) { v.resize(m_); });
  at_point_.at_double.setZero(n_);
  at_point_.at_dual = VectorOf<Dual1>::Constant(n_, Dual1(0.0));
  at_point_.at_extended.setZero(n_);
  end_.setZero(n_);
  for (Vector* v : {&lambda_, &slope_plus_, &slope_minus_, &g_, &g_origin_}) v->setZero(m_);
  g_extended_.setZero(m_);
  position_.setZero(n_);
  tail_.setZero(n_);
  extended_values_.setZero(system.constraint_pattern().nonzeros());
  for (Vector* v : {&values_, &plus_values_, &minus_values_}) v->setZero(system.constraint_pattern().nonzeros());
  if (m_ == 0 || !system.parts().time_dependence || rule.kind == Kind::penalty) return;
  mean_ = time_average(system);
  at_mean_.emplace(*mean_);
  for (Vector* v : {&g_plus_, &g_minus_, &none_}) v->setZero(m_);
  bending_.setZero(system.hessian_pattern().nonzeros());
}

const Vector& AlphaMultiplier::end_constraints() {
  g_ = a_.at_extended.cast<double>();
  return g_;
}

void AlphaMultiplier::begin(AlphaFrame& frame) {
  if (mean_) mean_->set_times(frame.before, frame.end);
  if (m_ > 0) constraints(end_time(frame), frame.x, frame.tail, frame.g);
}

double AlphaMultiplier::work(const AlphaFrame& frame, const AlphaPoint<Extended>& b) {
  long double sum = 0;
  for (const bool plus : {true, false}) {
    for (Index j = 0; j < n_; ++j) {
      const Extended d = plus ? b.plus[j] : -b.minus[j];
      end_[j] = static_cast<double>((d + frame.tail[j]) + frame.x[j]);
    }
    system_->constraints(frame.end, end_, g_plus_);
    system_->constraints(frame.before, end_, g_minus_);
    for (Index i = 0; i < m_; ++i)
      sum += 0.25L * b.multiplier[i] * (static_cast<long double>(g_plus_[i]) - g_minus_[i]);
  }
  return static_cast<double>(sum);
}

void AlphaMultiplier::add_bending(const AlphaFrame& frame, const Vector& lambda, Vector& values) {
  mean_->lagrangian_hessian(frame.t, frame.x, lambda, bending_);
  values += bending_;
  mean_->lagrangian_hessian(frame.t, frame.x, none_, bending_);
  values -= bending_;
}

long double AlphaMultiplier::energy(double t, const Vector& q, const Vector& tail) {
  if (rule_.kind != Kind::penalty || m_ == 0) return 0;
  constraints(t, q, tail, g_extended_);
  Extended sum = 0;
  for (Index i = 0; i < m_; ++i)
    if (i < two_sided_ || g_extended_[i] > 0) sum += weights_[i] * g_extended_[i] * g_extended_[i];
  return sum / (2 * rule_.eps);
}

void AlphaMultiplier::jacobians(const AlphaFrame& frame, const AlphaPoint<double>& b, Vector& centre_values,
                                Vector& end_values) {
  const System& mean = mean_ ? static_cast<const System&>(*mean_) : *system_;
  mean.constraint_jacobian(frame.t, centre(frame, b), centre_values);
  system_->constraint_jacobian(end_time(frame), end(frame, b), end_values);
}

Block AlphaMultiplier::lay_out(Layout& layout, const Block& delta, const Block& balance) {
  const SparsityPattern& g = system_->constraint_pattern();
  const Block lambda = layout.unknown("lambda", unknowns()), position = layout.rows(unknowns());
  if (has_unknowns()) {
    layout.place(force_map_, balance, lambda, g, Layout::transposed);
    layout.place(position_map_, position, delta, g);
  } else {
    std::vector<std::pair<Index, Index>> pairs;
    each_pair([&](Index i, Index j) { pairs.emplace_back(i, j); });
    layout.place(balance, delta, SparsityPattern::from_entries(n_, n_, pairs));
  }
  return lambda;
}

void AlphaMultiplier::find_entries(const Layout& layout, const Block& delta, const Block& balance) {
  if (has_unknowns()) return;
  each_pair([&](Index i, Index j) { normal_.push_back(layout.entry(balance, delta, i, j)); });
}

double AlphaMultiplier::curvature(double sigma) const {
  if (rule_.kind == Kind::end) return 4 * sigma;
  return rule_.kind == Kind::penalty ? 1 : 2;
}

void AlphaMultiplier::add_jacobian(const AlphaFrame& frame, const AlphaPoint<double>& b, VectorRef values) {
  if (m_ == 0) return;
  const bool penalty = rule_.kind == Kind::penalty, moving_start = penalty && frame.sigma < 1;
  if (penalty) {
    system_->constraint_jacobian(frame.t, b.middle, values_);
    system_->constraint_jacobian(frame.t, b.m_plus, plus_values_);
    if (moving_start) system_->constraint_jacobian(frame.t, b.m_minus, minus_values_);
  } else {
    jacobians(frame, b, values_, plus_values_);
  }
  if (has_unknowns()) {
    position_map_.add(values, plus_values_, frame.sigma);
    force_map_.add(values, values_, frame.h);
    return;
  }
  slopes(frame.sigma);
  const SparsityPattern& g = system_->constraint_pattern();
  std::size_t at = 0;
  for (Index i = 0; i < m_; ++i)
    for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j) {
      const double left = frame.h * values_[j];
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        double right = slope_plus_[i] * plus_values_[k];
        if (moving_start) right += slope_minus_[i] * minus_values_[k];
        values[normal_[at++]] += left * right;
      }
    }
}

void AlphaMultiplier::constraints(double t, const Vector& q, const Vector& tail, VectorOf<Extended>& out) {
  if (rule_.kind == Kind::penalty && extended_constraints(t, q, tail, out)) return;
  system_->constraints_compensated(t, q, tail, g_, values_);
  out = g_.cast<Extended>();
}

bool AlphaMultiplier::extended_constraints(double t, const Vector& q, const Vector& tail, VectorOf<Extended>& out) {
  const ExtendedPrecision* extended = system_->parts().extended;
  end_ = 0.5 * q;
  tail_ = 0.5 * tail;
  if (!extended || !extended->extended_jacobian(t, end_, tail_, extended_values_)) return false;
  position_ = q.cast<Extended>() + tail.cast<Extended>();
  multiply(system_->constraint_pattern(), extended_values_, position_, out);
  if (!origin_known_ || system_->parts().time_dependence) {
    end_.setZero();
    system_->constraints(t, end_, g_origin_);
    origin_known_ = all_finite(g_origin_);
  }
  out += g_origin_.cast<Extended>();
  return true;
}

Dual1 AlphaMultiplier::quotient(Index i, const Dual1& a, const Dual1& b) const {
  if (i < two_sided_) return (a + b) * 0.5;
  const OneSidedQuotient<double> q(a.value, b.value);
  Dual1 out = chain(a, q.value, q.by_a);
  out.grad[0] += q.by_b * b.grad[0];
  return out;
}

void AlphaMultiplier::slopes(double sigma) {
  for (Index i = 0; i < m_; ++i) {
    const double w = stiffness<double>(i);
    double by_a = 0.5, by_b = 0.5;
    if (rule_.kind == Kind::augmented) {
      by_a = 2;  // through x^{n+1}, which moves by sigma, not sigma/2
      by_b = 0;
    } else if (i >= two_sided_) {
      const OneSidedQuotient<double> q(a_.at_double[i], b_.at_double[i]);
      by_a = q.by_a;
      by_b = q.by_b;
    }
    slope_plus_[i] = w * by_a * 0.5 * sigma;
    slope_minus_[i] = w * by_b * 0.5 * (1 - sigma);
  }
}

const Vector& AlphaMultiplier::end(const AlphaFrame& frame, const AlphaPoint<double>& b) {
  end_ = (b.plus + frame.tail) + frame.x;
  return end_;
}

const Vector& AlphaMultiplier::centre(const AlphaFrame& frame, const AlphaPoint<double>& b) {
  if (rule_.kind == Kind::end) return end(frame, b);
  at_point_.at_double = (0.5 * b.delta + frame.tail) + frame.x;
  return at_point_.at_double;
}

}  // namespace gnomon::kernels
