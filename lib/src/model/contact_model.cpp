#include "model/contact_model.hpp"

#include <algorithm>

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
  const Index first = position_rows(*open_), of_velocities = open_->m() - first, last = closed_->m() - of_velocities;
  for (Index row = 0; row < closed_->m(); ++row)
    model_multiplier_.push_back(row < first ? row : row < last ? row + of_velocities : first + row - last);
  if (const CoulombFriction* coulomb = open_->parts().coulomb) find_sliding(coulomb->friction_coefficients());
  if (friction_ || !sliding_.empty()) make_friction();
  all_.setZero(closed_->m());
  all_multipliers_.setZero(closed_->m());
  model_multipliers_.setZero(closed_->m());
  all_values_.setZero(all.nonzeros());
}

void ContactModel::find_sliding(const Vector& coefficients) {
  const Index bilateral = position_rows(*open_);
  for (std::size_t k = 0; k < slip_.size(); ++k)
    if (slip_[k] == 1 || slip_[k] == -1)
      sliding_.push_back({bilateral + static_cast<Index>(k), bilateral + open_->parts().n_obstacles() + contacts_[k],
                          slip_[k] * coefficients[contacts_[k]]});
}

void ContactModel::make_friction() {
  parts_.friction = this;
  const Index n = closed_->n(), m = pattern_.rows;
  std::vector<Index> here(model_multiplier_.size(), -1);
  for (Index j = 0; j < m; ++j)
    here[static_cast<std::size_t>(model_multiplier_[static_cast<std::size_t>(rows_.of[static_cast<std::size_t>(j)])])] =
        j;
  const SparsityPattern &rows = closed_->constraint_pattern(), &hessian = closed_->hessian_pattern();
  for (const ForceArgument by : {ForceArgument::q, ForceArgument::v, ForceArgument::lambda}) {
    const bool multipliers = by == ForceArgument::lambda;
    const auto column = [&](Index j) { return multipliers ? here[static_cast<std::size_t>(j)] : j; };
    const auto each = [](const SparsityPattern& pattern, const auto& use) {
      for (Index i = 0; i < pattern.rows; ++i)
        for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) use(i, pattern.indices[k]);
    };
    PatternBuilder builder(n, multipliers ? m : n);
    if (friction_)
      each(friction_->friction_pattern(by), [&](Index i, Index j) {
        if (column(j) >= 0) builder.add(i, column(j));
      });
    if (by == ForceArgument::q && !sliding_.empty()) each(hessian, [&](Index i, Index j) { builder.add(i, j); });
    for (const Sliding& one : sliding_)
      for (Index k = rows.offsets[one.slip_row]; multipliers && k < rows.offsets[one.slip_row + 1]; ++k)
        builder.add(rows.indices[k], one.row);
    SparsityPattern& pattern = friction_patterns_[static_cast<std::size_t>(by)];
    pattern = builder.build();
    if (friction_)
      each(friction_->friction_pattern(by), [&](Index i, Index j) {
        friction_value_at_[static_cast<std::size_t>(by)].push_back(column(j) < 0 ? -1 : pattern.find(i, column(j)));
      });
    if (by == ForceArgument::q && !sliding_.empty())
      each(hessian, [&](Index i, Index j) { hessian_value_at_.push_back(pattern.find(i, j)); });
    for (const Sliding& one : sliding_)
      for (Index k = rows.offsets[one.slip_row]; multipliers && k < rows.offsets[one.slip_row + 1]; ++k)
        slide_value_at_.push_back(pattern.find(rows.indices[k], one.row));
  }
  std::size_t most = 0;
  for (const auto& at : friction_value_at_) most = std::max(most, at.size());
  friction_values_.setZero(static_cast<Index>(most));
  hessian_.setZero(hessian.nonzeros());
  at_rest_.setZero(closed_->m());
}

void ContactModel::write_multipliers(const ConstVectorRef& lambda, VectorRef of_state) const {
  const Index m = open_->m(), first = position_rows(*open_), n_contacts = open_->parts().n_obstacles();
  of_state.head(first) = lambda.head(first);
  of_state.segment(first, m - first) = lambda.tail(m - first);
  of_state.segment(m, n_contacts).setZero();
  Index stuck = first + static_cast<Index>(contacts_.size());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const double psi = lambda[first + static_cast<Index>(k)];
    of_state[m + contacts_[k]] = psi;
    if (k < slip_.size() && slip_[k] == sticks) of_state[m + n_contacts + contacts_[k]] = -lambda[stuck++];
  }
  for (const Sliding& one : sliding_) {
    const Index contact = one.slip_row - first - n_contacts;
    of_state[m + n_contacts + contact] = -one.s_mu * lambda[one.row];
  }
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

const Vector& ContactModel::spread_to_model(const ConstVectorRef& lambda) const {
  model_multipliers_.setZero();
  for (std::size_t i = 0; i < rows_.of.size(); ++i)
    model_multipliers_[model_multiplier_[static_cast<std::size_t>(rows_.of[i])]] = lambda[static_cast<Index>(i)];
  return model_multipliers_;
}

void ContactModel::gather(const Vector& all, VectorRef out) const {
  for (std::size_t i = 0; i < rows_.of.size(); ++i) out[static_cast<Index>(i)] = all[rows_.of[i]];
}

void ContactModel::gather_values(VectorRef out) const {
  for (std::size_t k = 0; k < rows_.values_at.size(); ++k) out[static_cast<Index>(k)] = all_values_[rows_.values_at[k]];
}

void ContactModel::friction_of_model(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                                     VectorRef out) const {
  if (friction_)
    friction_->friction(q, v, spread_to_model(lambda), out);
  else
    out.setZero();
}

void ContactModel::friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                            VectorRef out) const {
  friction_of_model(q, v, lambda, out);
  if (sliding_.empty()) return;
  const SparsityPattern& all = closed_->constraint_pattern();
  closed_->constraint_jacobian(0, q, all_values_);
  for (const Sliding& one : sliding_)
    for (Index k = all.offsets[one.slip_row]; k < all.offsets[one.slip_row + 1]; ++k)
      out[all.indices[k]] -= one.s_mu * lambda[one.row] * all_values_[k];
}

void ContactModel::slide_hessian(const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef values) const {
  all_multipliers_.setZero();
  for (const Sliding& one : sliding_) all_multipliers_[one.slip_row] = one.s_mu * lambda[one.row];
  const auto add = [&](const Vector& multipliers, double sign) {
    closed_->lagrangian_hessian(0, q, multipliers, hessian_);
    for (std::size_t k = 0; k < hessian_value_at_.size(); ++k)
      values[hessian_value_at_[k]] += sign * hessian_[static_cast<Index>(k)];
  };
  add(at_rest_, 1);
  add(all_multipliers_, -1);
}

void ContactModel::friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                                     const ConstVectorRef& lambda, VectorRef values) const {
  values.setZero();
  if (friction_) {
    const std::vector<Index>& at = friction_value_at_[static_cast<std::size_t>(by)];
    const auto count = static_cast<Index>(at.size());
    friction_->friction_jacobian(by, q, v, spread_to_model(lambda), friction_values_.head(count));
    for (Index k = 0; k < count; ++k)
      if (at[static_cast<std::size_t>(k)] >= 0) values[at[static_cast<std::size_t>(k)]] += friction_values_[k];
  }
  if (sliding_.empty() || by == ForceArgument::v) return;
  if (by == ForceArgument::q) return slide_hessian(q, lambda, values);
  const SparsityPattern& all = closed_->constraint_pattern();
  closed_->constraint_jacobian(0, q, all_values_);
  std::size_t at = 0;
  for (const Sliding& one : sliding_)
    for (Index k = all.offsets[one.slip_row]; k < all.offsets[one.slip_row + 1]; ++k)
      values[slide_value_at_[at++]] -= one.s_mu * all_values_[k];
}

}  // namespace gnomon
