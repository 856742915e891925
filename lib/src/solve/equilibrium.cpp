#include "gnomon/solve/equilibrium.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

[[noreturn]] void refuse(const System& system, const std::string& why) {
  throw Error(ErrorCode::refused,
              "system \"" + system.traits().name + "\" has no equilibrium that is sought here: it has " + why);
}

void require_static(const System& system) {
  const Parts& parts = system.parts();
  if (parts.obstacles) refuse(system, "obstacles");
  if (parts.friction) refuse(system, "friction");
  if (parts.velocity_constraints) refuse(system, "constraints of velocities, along which it rests in many positions");
}

}  // namespace

EquilibriumEquations::EquilibriumEquations(const System& system, double t, const Vector& q0, Method method, double eps)
    : system_(&system),
      at_(system),
      t_(t),
      q0_(q0),
      method_(system.m() == 0 ? Method::penalty : method),
      eps_(eps),
      n_(system.n()),
      m_(system.m()),
      weights_(system.traits().constraint_weights.head(std::min(m_, system.traits().constraint_weights.size()))) {
  require_static(system);
  require_no_force_at_rest(q0);
  if (!exact() && !(eps > 0))
    throw Error(ErrorCode::bad_value,
                "penalty parameter eps = " + number_text(eps) + " is not above zero: the penalty is sum w g^2/(2 eps)");
  if (weights_.size() == 0) weights_.setOnes(m_);
  lay_out();
  points_.for_each([&](auto& b) {
    for (auto* v : {&b.q, &b.gradient, &b.force}) v->resize(n_);
    for (auto* v : {&b.g, &b.lambda}) v->resize(m_);
  });
  for (Vector* v : {&g_, &lambda_}) v->setZero(m_);
  q_ = q0_;
  g_values_.setZero(system.constraint_pattern().nonzeros());
  hessian_values_.setZero(system.hessian_pattern().nonzeros());
  find_scales();
  const int degree = system.traits().potential_degree;
  if (exact() && degree != SystemTraits::not_polynomial && degree <= 2) unit_vectors_ = system.parts().unit_vectors;
}

void EquilibriumEquations::require_no_force_at_rest(const Vector& q) const {
  const Force* const force = system_->parts().force;
  if (!force) return;
  Vector at_rest(n_);
  force->force(t_, q, Vector::Zero(n_), at_rest);
  if (!at_rest.isZero(0)) refuse(*system_, "a force outside the potential that acts at rest");
}

void EquilibriumEquations::lay_out() {
  const SparsityPattern& g = system_->constraint_pattern();
  const Block dq = layout_.unknown("dq", n_), lambda = layout_.unknown("lambda", exact() ? m_ : 0);
  const Block balance = layout_.rows(n_), position = layout_.rows(lambda.size);
  layout_.place(hessian_, balance, dq, system_->hessian_pattern());
  layout_.place(balance, dq, SparsityPattern::diagonal(n_));
  std::vector<std::pair<Index, Index>> pairs;  // of the penalty
  if (exact()) {
    layout_.place(forces_, balance, lambda, g, Layout::transposed);
    layout_.place(rows_, position, dq, g);
  } else {
    for (Index i = 0; i < m_; ++i)
      for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
        for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) pairs.emplace_back(g.indices[j], g.indices[k]);
    layout_.place(balance, dq, SparsityPattern::from_entries(n_, n_, pairs));
  }
  finish_layout();
  for (const auto& [j, k] : pairs) normal_.push_back(pattern().find(j, k));
}

/// How far a configuration goes before the model is another one there: the larger of |q0| and of the distance at which
/// Hess U or a row of G has changed by half; where none of them does, of |q0| and the step of Newton's method. At
/// q0 = 0 one. In coordinates divided by `unit`.
double EquilibriumEquations::natural_length(const Vector& unit) const {
  const double size = max_norm(q0_.cwiseQuotient(unit));
  if (!(size > 0)) return 1;
  const auto derivatives = [this](const Vector& q, Vector& hessian, Vector& rows) {
    hessian.setZero(system_->hessian_pattern().nonzeros());
    rows.setZero(system_->constraint_pattern().nonzeros());
    system_->lagrangian_hessian(t_, q, Vector::Zero(m_), hessian);
    if (m_ > 0) system_->constraint_jacobian(t_, q, rows);
  };
  const auto has_changed = [](const Vector& from, const Vector& to) {
    return !(max_norm(to - from) <= .5 * max_norm(from));
  };
  Vector hessian, rows, hessian_there, rows_there, direction(n_);
  for (Index j = 0; j < n_; ++j) direction[j] = unit[j] * std::sin(1.0 + static_cast<double>(j * j % 1009));
  derivatives(q0_, hessian, rows);
  const std::vector<Index>& offsets = system_->constraint_pattern().offsets;
  constexpr double farthest = 0x1p60;
  for (double length = size; length < farthest * size; length *= 4) {
    try {
      derivatives(q0_ + length * direction, hessian_there, rows_there);
    } catch (...) {  // of a model, of any type
      return length;
    }
    if (has_changed(hessian, hessian_there)) return length;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      const Index first = offsets[i], count = offsets[i + 1] - first;
      if (count > 0 && has_changed(rows.segment(first, count), rows_there.segment(first, count))) return length;
    }
  }
  Vector force(n_), bend(n_);
  system_->potential_gradient(t_, q0_, force);
  multiply(system_->hessian_pattern(), hessian.cwiseAbs(), unit, bend);
  const double newton = max_norm(force.cwiseProduct(unit)) / max_norm(bend.cwiseProduct(unit));
  return newton > size && newton < farthest * size ? newton : size;
}

/// Units: of coordinate j u_j = l (m_max/m_j)^(1/2), l a power of two next to the natural length, of energy
/// phi = max |U_j| u_j, of g_i gamma_i = |G_i u|.
void EquilibriumEquations::find_scales() {
  const Vector& masses = system_->mass().diagonal_entries();
  Vector unit = (masses.maxCoeff() / masses.array()).sqrt();
  unit *= std::exp2(std::ilogb(natural_length(unit)));
  Vector force(n_), gamma = Vector::Zero(m_);
  system_->potential_gradient(t_, q0_, force);
  const double phi = std::max(force.cwiseProduct(unit).lpNorm<Eigen::Infinity>(), thresholds::no_product_with_zero);
  if (m_ > 0) system_->constraint_jacobian(t_, q0_, g_values_);
  const SparsityPattern& g = system_->constraint_pattern();
  for (Index i = 0; i < m_; ++i)
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) gamma[i] += std::pow(g_values_[k] * unit[g.indices[k]], 2);
  gamma = gamma.cwiseSqrt().cwiseMax(thresholds::no_product_with_zero);
  columns_.resize(pattern().cols);
  row_units_.resize(pattern().cols);
  columns_.head(n_) = unit;
  row_units_.head(n_) = phi * unit.cwiseInverse();
  if (exact()) {
    columns_.tail(m_) = phi * gamma.cwiseInverse();
    row_units_.tail(m_) = gamma;
  }
  // One rounding of q goes through the Hessian into the forces, one of g through 1/eps.
  system_->lagrangian_hessian(t_, q0_, lambda_, hessian_values_);
  Vector rounded(n_);
  multiply(system_->hessian_pattern(), hessian_values_.cwiseAbs(), q0_.cwiseAbs(), rounded);
  floor_ = thresholds::residual_rounding + thresholds::unit_of_rounding * rounded.cwiseProduct(unit).maxCoeff() / phi;
  if (!exact())
    for (Index i = 0; i < m_; ++i)
      floor_ = std::max(floor_, thresholds::unit_of_rounding * weight(i) * gamma[i] * gamma[i] / phi);
}

void EquilibriumEquations::scales(VectorRef columns, VectorRef rows) const {
  columns = columns_;
  rows = row_units_;
}

template <class S>
void EquilibriumEquations::evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
  Point<S>& b = points_.get<S>();
  for (Index j = 0; j < n_; ++j) b.q[j] = x[j] + S(q0_[j]);
  at_.potential_gradient(t_, b.q, b.gradient);
  for (Index j = 0; j < n_; ++j) f[j] = b.gradient[j];
  if (m_ == 0) return;
  at_.constraints(t_, b.q, b.g);
  for (Index i = 0; i < m_; ++i) b.lambda[i] = exact() ? x[n_ + i] : b.g[i] * S(weight(i));
  at_.constraint_force(t_, b.q, b.lambda, b.force);
  for (Index j = 0; j < n_; ++j) f[j] += b.force[j];
  if (exact())
    for (Index i = 0; i < m_; ++i) f[n_ + i] = b.g[i];
}

// Their types are hidden, which clang would make the functions too.
template GNOMON_EXPORT void EquilibriumEquations::evaluate<double>(const ConstVectorRef&, VectorRef);
template GNOMON_EXPORT void EquilibriumEquations::evaluate<Dual1>(const ConstVectorRefOf<Dual1>&, VectorRefOf<Dual1>);

/// exact [Hess U + lambda.Hess g, G^T; G, 0], penalty Hess U + lambda.Hess g + G^T (w/eps) G
void EquilibriumEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  q_ = q0_ + x.head(n_);
  if (m_ > 0) {
    system_->constraint_jacobian(t_, q_, g_values_);
    system_->constraints(t_, q_, g_);
  }
  for (Index i = 0; i < m_; ++i) lambda_[i] = exact() ? x[n_ + i] : weight(i) * g_[i];
  system_->lagrangian_hessian(t_, q_, lambda_, hessian_values_);
  values.setZero();
  hessian_.add(values, hessian_values_, 1);
  if (exact()) {
    forces_.add(values, g_values_, 1);
    rows_.add(values, g_values_, 1);
    return;
  }
  const SparsityPattern& g = system_->constraint_pattern();
  std::size_t at = 0;
  for (Index i = 0; i < m_; ++i)
    for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
        values[normal_[at++]] += weight(i) * g_values_[j] * g_values_[k];
}

double EquilibriumEquations::energy(const ConstVectorRef& x) {
  q_ = position(x);
  const double potential = system_->potential(t_, q_);
  if (exact()) return potential;
  if (m_ > 0) system_->constraints(t_, q_, g_);
  return potential + 0.5 * g_.cwiseAbs2().dot(weights_) / eps_;
}

Vector EquilibriumEquations::multipliers(const ConstVectorRef& x) {
  if (exact()) return x.tail(m_);
  q_ = position(x);
  if (m_ > 0) system_->constraints(t_, q_, g_);
  return g_.cwiseProduct(weights_) / eps_;
}

Vector EquilibriumEquations::start(const Vector& lambda) const {
  Vector x = Vector::Zero(pattern().cols);
  if (exact()) x.tail(m_) = lambda;
  return x;
}

/// U(q0 + y) = U(q0) + grad U(q0).y + y^T (Hess U) y/2
void EquilibriumEquations::quadratic(VectorRef a, VectorRef b, VectorRef split, VectorRef c) {
  lambda_.setZero();
  system_->lagrangian_hessian(t_, q0_, lambda_, a);
  system_->potential_gradient(t_, q0_, b);
  b = -b;
  split = unit_vectors_->values;
  multiply(unit_vectors_->pattern, unit_vectors_->values, q0_, c);
  c += unit_vectors_->offset;
}

/// g_j = |p_j|^2 - 1: G^T lambda = sum_j 2 lambda_j B_j^T p_j
void EquilibriumEquations::take_apart(const ConstVectorRef& x, VectorRef y, VectorRef theta) {
  y = x.head(n_);
  theta = 2 * x.tail(m_);
}

void EquilibriumEquations::put_together(const ConstVectorRef& y, const ConstVectorRef& theta, VectorRef x) {
  x.head(n_) = y;
  x.tail(m_) = 0.5 * theta;
}

}  // namespace gnomon
