#include "model/contact_model.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon {

ContactModel::ContactModel(std::shared_ptr<const System> open, std::shared_ptr<const System> closed,
                           std::vector<Index> contacts, std::vector<int> slip)
    : open_(std::move(open)),
      closed_(std::move(closed)),
      contacts_(std::move(contacts)),
      slip_(std::move(slip)),
      rows_(*open_, *closed_, contacts_, slip_),
      precision_(*closed_, rows_),
      traits_(closed_->traits()) {
  const auto m = static_cast<Index>(rows_.of.size());

  traits_.m = m;
  traits_.constraint_names.clear();
  for (const Index row : rows_.of)
    if (static_cast<std::size_t>(row) < closed_->traits().constraint_names.size())
      traits_.constraint_names.push_back(closed_->traits().constraint_names[static_cast<std::size_t>(row)]);

  const SparsityPattern& all = closed_->constraint_pattern();
  pattern_.rows = m;
  pattern_.cols = all.cols;
  for (const Index row : rows_.of) {
    for (Index k = all.offsets[row]; k < all.offsets[row + 1]; ++k) pattern_.indices.push_back(all.indices[k]);
    pattern_.offsets.push_back(pattern_.nonzeros());
  }
  // A system without obstacles and constraints keeps its friction, which depends on no multiplier.
  friction_ = m > 0 || closed_->m() == 0 ? closed_->parts().friction : nullptr;
  split_ = closed_->parts().split;
  rates_ = closed_->parts().time_dependence;
  if (closed_->parts().velocity_constraints) parts_.velocity_constraints = this;
  parts_.mass = closed_->parts().mass;
  parts_.force = closed_->parts().force;
  parts_.penalty = closed_->parts().penalty;
  parts_.angles = closed_->parts().angles;
  switches_ = closed_->parts().switches;
  if (switches_) parts_.switches = this;
  if (closed_->parts().extended) parts_.extended = &precision_;
  if (rates_) parts_.time_dependence = this;
  if (split_) parts_.split = this;
  if (friction_) {
    parts_.friction = this;
    const SparsityPattern& by_all = friction_->friction_pattern(ForceArgument::lambda);
    multiplier_pattern_.rows = by_all.rows;
    multiplier_pattern_.cols = m;
    for (Index i = 0; i < by_all.rows; ++i) {
      for (Index j = 0; j < m; ++j)
        if (const Index k = by_all.find(i, rows_.of[static_cast<std::size_t>(j)]); k >= 0) {
          multiplier_pattern_.indices.push_back(j);
          multiplier_value_at_.push_back(k);
        }
      multiplier_pattern_.offsets.push_back(multiplier_pattern_.nonzeros());
    }
    multiplier_values_.setZero(by_all.nonzeros());
  }
  if (const CoulombFriction* coulomb = open_->parts().coulomb) find_sliding(coulomb->friction_coefficients());
  all_.setZero(closed_->m());
  all_multipliers_.setZero(closed_->m());
  all_values_.setZero(all.nonzeros());
}

void ContactModel::find_sliding(const Vector& coefficients) {
  const Index bilateral = position_rows(*open_), n = closed_->n(), m = pattern_.rows;
  for (std::size_t k = 0; k < slip_.size(); ++k)
    if (slip_[k] == 1 || slip_[k] == -1)
      sliding_.push_back({bilateral + static_cast<Index>(k), bilateral + open_->parts().n_obstacles() + contacts_[k],
                          slip_[k] * coefficients[contacts_[k]]});
  if (sliding_.empty()) return;
  parts_.friction = this;
  none_ = SparsityPattern::from_entries(n, n, {});
  PatternBuilder builder(n, m);
  const SparsityPattern& all = closed_->constraint_pattern();
  for (const Sliding& one : sliding_)
    for (Index k = all.offsets[one.slip_row]; k < all.offsets[one.slip_row + 1]; ++k)
      builder.add(all.indices[k], one.row);
  multiplier_pattern_ = builder.build();
  hessian_.setZero(closed_->hessian_pattern().nonzeros());
  at_rest_.setZero(closed_->m());
}

void ContactModel::hold(const Vector& held) {
  Index row = position_rows(*open_) + static_cast<Index>(contacts_.size());
  for (std::size_t k = 0; k < slip_.size(); ++k)
    if (slip_[k] == sticks) rows_.offsets[row++] = held[static_cast<Index>(k)];
}

const Vector& ContactModel::spread(const ConstVectorRef& lambda) const {
  all_multipliers_.setZero();
  for (std::size_t i = 0; i < rows_.of.size(); ++i) all_multipliers_[rows_.of[i]] = lambda[static_cast<Index>(i)];
  return all_multipliers_;
}

void ContactModel::gather(const Vector& all, VectorRef out) const {
  for (std::size_t i = 0; i < rows_.of.size(); ++i) out[static_cast<Index>(i)] = all[rows_.of[i]];
}

void ContactModel::gather_values(VectorRef out) const {
  for (std::size_t k = 0; k < rows_.values_at.size(); ++k) out[static_cast<Index>(k)] = all_values_[rows_.values_at[k]];
}

void ContactModel::friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                            VectorRef out) const {
  if (sliding_.empty()) return friction_->friction(q, v, spread(lambda), out);
  const SparsityPattern& all = closed_->constraint_pattern();
  closed_->constraint_jacobian(0, q, all_values_);
  out.setZero();
  for (const Sliding& one : sliding_)
    for (Index k = all.offsets[one.slip_row]; k < all.offsets[one.slip_row + 1]; ++k)
      out[all.indices[k]] -= one.s_mu * lambda[one.row] * all_values_[k];
}

void ContactModel::slide_hessian(const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef values) const {
  all_multipliers_.setZero();
  for (const Sliding& one : sliding_) all_multipliers_[one.slip_row] = one.s_mu * lambda[one.row];
  closed_->lagrangian_hessian(0, q, at_rest_, values);
  closed_->lagrangian_hessian(0, q, all_multipliers_, hessian_);
  values -= hessian_;
}

void ContactModel::friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                                     const ConstVectorRef& lambda, VectorRef values) const {
  if (!sliding_.empty()) {
    if (by == ForceArgument::q) return slide_hessian(q, lambda, values);
    if (by == ForceArgument::v) return;
    const SparsityPattern& all = closed_->constraint_pattern();
    closed_->constraint_jacobian(0, q, all_values_);
    values.setZero();
    for (const Sliding& one : sliding_)
      for (Index k = all.offsets[one.slip_row]; k < all.offsets[one.slip_row + 1]; ++k)
        values[multiplier_pattern_.find(all.indices[k], one.row)] = -one.s_mu * all_values_[k];
    return;
  }
  if (by != ForceArgument::lambda) return friction_->friction_jacobian(by, q, v, spread(lambda), values);
  friction_->friction_jacobian(by, q, v, spread(lambda), multiplier_values_);
  for (std::size_t k = 0; k < multiplier_value_at_.size(); ++k)
    values[static_cast<Index>(k)] = multiplier_values_[multiplier_value_at_[k]];
}

}  // namespace gnomon
