#include "model/bordered_system.hpp"

namespace gnomon {

namespace {

/// M beside k masses of one.
Mass widened_mass(const Mass& mass, Index k) {
  const Index n = mass.size();
  if (mass.is_diagonal()) {
    Vector entries = Vector::Ones(n + k);
    entries.head(n) = mass.diagonal_entries();
    return Mass::diagonal(entries);
  }
  if (mass.pattern().is_dense()) {
    Matrix entries = Matrix::Identity(n + k, n + k);
    entries.topLeftCorner(n, n) = to_dense(mass.pattern(), mass.values());
    return Mass::dense(entries);
  }
  SparsityPattern pattern = mass.pattern();
  Vector values = Vector::Ones(mass.values().size() + k);
  values.head(mass.values().size()) = mass.values();
  pattern.rows = pattern.cols = n + k;
  for (Index j = n; j < n + k; ++j) {
    pattern.indices.push_back(j);
    pattern.offsets.push_back(pattern.nonzeros());
  }
  return Mass::sparse(pattern, values);
}

}  // namespace

BorderedSystem::BorderedSystem(std::shared_ptr<const System> inner, const SparsityPattern& border)
    : inner_(std::move(inner)),
      n_(inner_->n()),
      k_(border.cols),
      positions_(inner_->m() - inner_->parts().n_velocity_constraints()),
      border_(border),
      values_(Vector::Zero(border.nonzeros())),
      traits_(inner_->traits()),
      mass_(widened_mass(inner_->mass(), k_)),
      hessian_pattern_(widened(inner_->hessian_pattern())) {
  traits_.n = n_ + k_;
  const SparsityPattern& g = inner_->constraint_pattern();
  pattern_.rows = g.rows;
  pattern_.cols = n_ + k_;
  for (Index i = 0; i < g.rows; ++i) {
    for (Index at = g.offsets[i]; at < g.offsets[i + 1]; ++at) {
      inner_at_.push_back(pattern_.nonzeros());
      pattern_.indices.push_back(g.indices[at]);
    }
    for (Index at = border.offsets[i]; at < border.offsets[i + 1]; ++at) {
      border_at_.push_back(pattern_.nonzeros());
      pattern_.indices.push_back(n_ + border.indices[at]);
    }
    pattern_.offsets.push_back(pattern_.nonzeros());
  }
  inner_values_.setZero(g.nonzeros());
  extended_values_.setZero(g.nonzeros());

  const Parts& parts = inner_->parts();
  if (parts.mass) {
    parts_.mass = this;
    inner_mass_.setZero(n_, n_);
    kinetic_.setZero(2 * n_);
  }
  if (parts.time_dependence) parts_.time_dependence = this;
  if (parts.velocity_constraints) parts_.velocity_constraints = this;
  if (parts.force) parts_.force = this;
  if (parts.friction) {
    parts_.friction = this;
    friction_by_q_ = widened(parts.friction->friction_pattern(ForceArgument::q));
    friction_by_v_ = widened(parts.friction->friction_pattern(ForceArgument::v));
    const SparsityPattern& by_lambda = parts.friction->friction_pattern(ForceArgument::lambda);
    friction_values_.setZero(by_lambda.nonzeros());
    // P has entries between all rows that repeat one another.
    PatternBuilder builder(n_ + k_, by_lambda.cols);
    builder.add(by_lambda, 0, 0);
    for (Index j = 0; j < by_lambda.rows; ++j)
      for (Index at = by_lambda.offsets[j]; at < by_lambda.offsets[j + 1]; ++at) {
        const Index i = by_lambda.indices[at];
        if (i >= border.rows || border.offsets[i] == border.offsets[i + 1]) continue;
        for (Index other = 0; other < border.rows; ++other)
          if (border.offsets[other] < border.offsets[other + 1]) builder.add(j, other);
      }
    friction_by_lambda_ = builder.build();
    least_.setZero(by_lambda.cols);
  }
  if (parts.symmetries) parts_.symmetries = this;
  if (parts.integrals) parts_.integrals = this;
  if (parts.split) {
    parts_.split = this;
    invariant_pattern_ = widened(parts.split->invariant_pattern(), false);
  }
  if (parts.extended) parts_.extended = this;
  parts_.penalty = parts.penalty;
  if (parts.angles) parts_.angles = this;
  if (parts.switches) parts_.switches = this;
}

SparsityPattern BorderedSystem::widened(SparsityPattern pattern, bool rows_too) const {
  pattern.cols = n_ + k_;
  if (!rows_too) return pattern;
  pattern.rows = n_ + k_;
  pattern.offsets.insert(pattern.offsets.end(), static_cast<std::size_t>(k_), pattern.nonzeros());
  return pattern;
}

void BorderedSystem::mass_matrix(const ConstVectorRef& q, Matrix& out) const {
  inner_->parts().mass->mass_matrix(q.head(n_), inner_mass_);
  out.setIdentity(n_ + k_, n_ + k_);
  out.topLeftCorner(n_, n_) = inner_mass_;
}

long double BorderedSystem::kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                                const ConstVectorRef& p, const ConstVectorRef& p_tail, VectorRef t_q,
                                                VectorRef t_p) const {
  return inner_->parts().mass->kinetic_compensated(q.head(n_), q_tail.head(n_), p.head(n_), p_tail.head(n_),
                                                   t_q.head(n_), t_p.head(n_)) +
         p.tail(k_).squaredNorm() / 2;
}

bool BorderedSystem::extended_kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                               const ConstVectorRef& p, const ConstVectorRef& p_tail,
                                               VectorRefOf<Extended> out) const {
  if (!inner_->parts().mass->extended_kinetic_gradient(q.head(n_), q_tail.head(n_), p.head(n_), p_tail.head(n_),
                                                       kinetic_))
    return false;
  out.setZero();
  out.head(n_) = kinetic_.head(n_);
  out.segment(n_ + k_, n_) = kinetic_.tail(n_);
  for (Index j = n_; j < n_ + k_; ++j) out[n_ + k_ + j] = Extended(p[j]) + Extended(p_tail[j]);
  return true;
}

const SparsityPattern& BorderedSystem::force_pattern(ForceArgument by) const {
  // The model may refuse its derivatives, so not before they are asked for.
  auto& pattern = const_cast<SparsityPattern&>(by == ForceArgument::q ? force_by_q_ : force_by_v_);
  if (pattern.rows == 0) pattern = widened(inner_->parts().force->force_pattern(by));
  return pattern;
}

const Vector& BorderedSystem::least(const ConstVectorRef& q, const ConstVectorRef& lambda) const {
  least_ = lambda;
  if (least_norm_)
    least_.head(border_.rows).noalias() = least_norm_->projection(q.head(n_)) * lambda.head(border_.rows);
  return least_;
}

void BorderedSystem::friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                              VectorRef out) const {
  inner_->parts().friction->friction(q.head(n_), v.head(n_), least(q, lambda), out.head(n_));
  out.tail(k_).setZero();
}

const SparsityPattern& BorderedSystem::friction_pattern(ForceArgument by) const {
  return by == ForceArgument::q ? friction_by_q_ : by == ForceArgument::v ? friction_by_v_ : friction_by_lambda_;
}

void BorderedSystem::friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                                       const ConstVectorRef& lambda, VectorRef values) const {
  const Friction& inner = *inner_->parts().friction;
  if (by != ForceArgument::lambda) return inner.friction_jacobian(by, q.head(n_), v.head(n_), least(q, lambda), values);
  inner.friction_jacobian(by, q.head(n_), v.head(n_), least(q, lambda), friction_values_);
  const SparsityPattern& by_lambda = inner.friction_pattern(by);
  values.setZero();
  const Matrix* projection = least_norm_ ? &least_norm_->projection(q.head(n_)) : nullptr;
  for (Index j = 0; j < by_lambda.rows; ++j)
    for (Index at = by_lambda.offsets[j]; at < by_lambda.offsets[j + 1]; ++at) {
      const Index i = by_lambda.indices[at];
      if (!projection || i >= border_.rows || border_.offsets[i] == border_.offsets[i + 1]) {
        values[friction_by_lambda_.find(j, i)] += friction_values_[at];
        continue;
      }
      for (Index other = 0; other < border_.rows; ++other)
        if (border_.offsets[other] < border_.offsets[other + 1])
          values[friction_by_lambda_.find(j, other)] += friction_values_[at] * (*projection)(i, other);
    }
}

bool BorderedSystem::extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                          VectorRefOf<Extended> out) const {
  if (!extended().extended_constraints(t, q.head(n_), tail.head(n_), out)) return false;
  add_border(q, positions_, out);
  add_border(tail, positions_, out);
  return true;
}

bool BorderedSystem::extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                       VectorRefOf<Extended> values) const {
  if (!extended().extended_jacobian(t, q.head(n_), tail.head(n_), extended_values_)) return false;
  scatter(extended_values_, values);
  for (std::size_t e = 0; e < border_at_.size(); ++e) values[border_at_[e]] = values_[static_cast<Index>(e)];
  return true;
}

}  // namespace gnomon
