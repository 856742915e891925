#include "kernels/common/applied_friction.hpp"

namespace gnomon::kernels {

AppliedFriction::AppliedFriction(const System& system)
    : friction_(system.m() > 0 ? system.parts().friction : nullptr), m_(system.m()) {
  if (!friction_) return;
  const Index n = system.n(), rows = m_ + system.parts().n_obstacles();
  r_.for_each([&](auto& v) { v.resize(n); });
  for (Vector* v : {&q_, &v_, &dq_, &dv_, &value_, &change_, &part_}) v->setZero(n);
  for (Vector* v : {&lambda_, &dlambda_}) v->setZero(rows);
  by_q_.setZero(friction_->friction_pattern(ForceArgument::q).nonzeros());
  by_v_.setZero(friction_->friction_pattern(ForceArgument::v).nonzeros());
  by_lambda_.setZero(friction_->friction_pattern(ForceArgument::lambda).nonzeros());
  const SparsityPattern& pattern = friction_->friction_pattern(ForceArgument::lambda);
  PatternBuilder builder(n, m_);
  for (Index i = 0; i < n; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      if (pattern.indices[k] < m_) {
        builder.add(i, pattern.indices[k]);
        of_constraints_.push_back(k);
      }
  constraints_pattern_ = builder.build();
  values_.setZero(constraints_pattern_.nonzeros());
}

long double AppliedFriction::work(const Vector& q, const Vector& v, const Vector& lambda, const Vector& d) {
  const Vector& r = (*this)(q, v, lambda);
  long double sum = 0;
  for (Index j = 0; j < d.size(); ++j) sum += static_cast<long double>(r[j]) * d[j];
  return sum;
}

void AppliedFriction::place(Layout& layout, Place& place, const Block& rows, const Block& position,
                            const Block& multiplier) const {
  if (!active()) return;
  layout.place(place.by_q, rows, position, friction_->friction_pattern(ForceArgument::q));
  layout.place(place.by_v, rows, position, friction_->friction_pattern(ForceArgument::v));
  layout.place(place.by_lambda, rows, multiplier, constraints_pattern_);
}

void AppliedFriction::add(const Place& place, const Vector& q, const Vector& v, const Vector& lambda, double a,
                          double b, double c, VectorRef values) {
  q_ = q;
  v_ = v;
  lambda_.head(m_) = lambda;
  evaluate_jacobians();
  place.by_q.add(values, by_q_, a);
  place.by_v.add(values, by_v_, b);
  for (std::size_t k = 0; k < of_constraints_.size(); ++k)
    values_[static_cast<Index>(k)] = by_lambda_[of_constraints_[k]];
  place.by_lambda.add(values, values_, c);
}

void AppliedFriction::evaluate_jacobians() {
  friction_->friction_jacobian(ForceArgument::q, q_, v_, lambda_, by_q_);
  friction_->friction_jacobian(ForceArgument::v, q_, v_, lambda_, by_v_);
  friction_->friction_jacobian(ForceArgument::lambda, q_, v_, lambda_, by_lambda_);
}

template const VectorOf<Dual1>& AppliedFriction::operator()(const VectorOf<Dual1>&, const VectorOf<Dual1>&,
                                                            const VectorOf<Dual1>&);
template const VectorOf<Extended>& AppliedFriction::operator()(const VectorOf<Extended>&, const VectorOf<Extended>&,
                                                               const VectorOf<Extended>&);

}  // namespace gnomon::kernels
