#include "model/contact_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

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
  slip_rows_ = slip_rows(*open_, *closed_);
  stuck_.assign(slip_.size(), -1);
  for (std::size_t k = 0; k < slip_.size(); ++k)
    if (slip_[k] == sticks)
      stuck_[k] =
          std::find(rows_.of.begin(), rows_.of.end(), slip_rows_[static_cast<std::size_t>(contacts_[k])].first) -
          rows_.of.begin();
  n_velocity_constraints_ =
      std::count_if(rows_.of.begin(), rows_.of.end(), [&](Index row) { return row >= position_rows(*closed_); });
  if (n_velocity_constraints_ > 0) parts_.velocity_constraints = this;
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
  if (const CoulombFriction* coulomb = open_->parts().coulomb) find_sliding(*coulomb);
  if (friction_ || !sliding_.empty()) make_friction();
  all_.setZero(closed_->m());
  all_multipliers_.setZero(closed_->m());
  model_multipliers_.setZero(closed_->m());
  all_values_.setZero(all.nonzeros());
  turned_values_.setZero(all.nonzeros());
}

void ContactModel::find_sliding(const CoulombFriction& coulomb) {
  const SparsityPattern& rows = closed_->constraint_pattern();
  for (std::size_t k = 0; k < slip_.size(); ++k) {
    if (slip_[k] != 1 && slip_[k] != -1) continue;
    const auto at = static_cast<Index>(k);
    const SlipRows& slip = slip_rows_[static_cast<std::size_t>(contacts_[k])];
    Sliding& one = sliding_.emplace_back(Sliding{at,
                                                 position_rows(*open_) + at,
                                                 slip,
                                                 coulomb.friction_coefficients()[contacts_[k]],
                                                 {static_cast<double>(slip_[k]), 0}});
    one.held = one.along;
    if (!one.in_space()) continue;
    one.held = one.along = {1, 0};
    one.turns = slip_[k] == 1;
    slides_in_space_ = true;
    std::vector<Index>& columns = one.columns;
    columns.assign(rows.indices.begin() + rows.offsets[slip.first],
                   rows.indices.begin() + rows.offsets[slip.first + 2]);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }
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
    for (const Sliding& one : sliding_) {
      for (Index k = rows.offsets[one.slip.first]; multipliers && k < rows.offsets[one.slip.first + one.slip.count];
           ++k)
        builder.add(rows.indices[k], one.row);
      for (const Index i : one.columns)
        for (const Index j : one.columns)
          if (!multipliers) builder.add(i, j);
    }
    SparsityPattern& pattern = friction_patterns_[static_cast<std::size_t>(by)];
    pattern = builder.build();
    if (friction_)
      each(friction_->friction_pattern(by), [&](Index i, Index j) {
        friction_value_at_[static_cast<std::size_t>(by)].push_back(column(j) < 0 ? -1 : pattern.find(i, column(j)));
      });
    if (by == ForceArgument::q && !sliding_.empty())
      each(hessian, [&](Index i, Index j) { hessian_value_at_.push_back(pattern.find(i, j)); });
    for (Sliding& one : sliding_) {
      for (Index k = rows.offsets[one.slip.first]; multipliers && k < rows.offsets[one.slip.first + one.slip.count];
           ++k)
        slide_value_at_.push_back(pattern.find(rows.indices[k], one.row));
      for (const Index i : one.columns)
        for (const Index j : one.columns)
          if (!multipliers) (by == ForceArgument::q ? one.by_q : one.by_v).push_back(pattern.find(i, j));
    }
  }
  std::size_t most = 0;
  for (const auto& at : friction_value_at_) most = std::max(most, at.size());
  friction_values_.setZero(static_cast<Index>(most));
  hessian_.setZero(hessian.nonzeros());
  at_rest_.setZero(closed_->m());
}

void ContactModel::write_multipliers(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                                     VectorRef of_state) const {
  const Index m = open_->m(), first = position_rows(*open_), n_contacts = open_->parts().n_obstacles();
  of_state.head(first) = lambda.head(first);
  of_state.segment(first, m - first) = lambda.tail(m - first);
  of_state.segment(m, n_contacts).setZero();
  // The second tangential force of a contact in space stands behind the first ones of all contacts.
  const auto tangential = [&](Index contact, Index component) -> double& {
    return of_state[m + (component == 0 ? n_contacts + contact : second_tangential(contact))];
  };
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    of_state[m + contacts_[k]] = lambda[first + static_cast<Index>(k)];
    if (k >= slip_.size() || slip_[k] != sticks) continue;
    for (Index c = 0; c < slip_rows_[static_cast<std::size_t>(contacts_[k])].count; ++c)
      tangential(contacts_[k], c) = -lambda[stuck_[k] + c];
  }
  if (slides_in_space_) find_directions(q, v);
  for (const Sliding& one : sliding_)
    for (Index c = 0; c < one.slip.count; ++c)
      tangential(contacts_[static_cast<std::size_t>(one.k)], c) =
          -one.mu * one.along[static_cast<std::size_t>(c)] * lambda[one.row];
}

void ContactModel::hold(const Vector& held, const Vector& none) {
  for (std::size_t k = 0; k < slip_.size(); ++k)
    if (slip_[k] == sticks && slip_rows_[static_cast<std::size_t>(contacts_[k])].count == 1)
      rows_.offsets[stuck_[k]] = held[static_cast<Index>(k)];
  for (Sliding& one : sliding_) {
    if (!one.in_space()) continue;
    one.held = one.along = {std::cos(held[one.k]), std::sin(held[one.k])};
    one.none = none[one.k];
    one.slow = thresholds::slow_slip / thresholds::no_slip * one.none;
  }
}

double ContactModel::rate_along(Index k, const Vector& rates) const {
  for (const Sliding& one : sliding_)
    if (one.k == k && !one.turns) {
      double rate = 0;
      for (Index c = 0; c < one.slip.count; ++c)
        rate += one.held[static_cast<std::size_t>(c)] * rates[one.slip.first + c];
      return rate;
    }
  return std::numeric_limits<double>::infinity();
}

/// The slip along the direction that it is near, the inverse of that which is at least s, and the tangent of the angle.
ContactModel::Turned ContactModel::turned_slip(const Sliding& one, double u, double w) {
  const auto [e, f] = one.held;
  const double forward = e * u + f * w, size = std::max(forward, one.slow);
  const double unit = size > 0 ? 1 / size : 0;  // at the start of a run nothing moves yet
  return {forward, unit, unit * (e * w - f * u)};
}

bool ContactModel::strays(const ConstVectorRef& q, const ConstVectorRef& v) const {
  closed_->constraint_velocity(0, q, v, all_);
  return std::any_of(sliding_.begin(), sliding_.end(), [this](const Sliding& one) {
    if (!one.in_space() || one.turns) return false;
    const Turned at = turned_slip(one, all_[one.slip.first], all_[one.slip.first + 1]);
    return at.forward > one.slow && std::abs(at.tangent) > near;
  });
}

void ContactModel::find_directions(const ConstVectorRef& q, const ConstVectorRef& v) const {
  closed_->constraint_velocity(0, q, v, all_);
  for (Sliding& one : sliding_) {
    if (!one.in_space()) continue;
    const double u = all_[one.slip.first], w = all_[one.slip.first + 1], rate = std::hypot(u, w);
    const bool moves = one.turns && rate > one.none;
    if (moves) {
      const double e = u / rate, f = w / rate;
      one.along = {e, f};
      one.across = {-f, e};
      one.turn = {-f / rate, e / rate};
      continue;
    }
    const auto [e, f] = one.held;
    const Turned at = turned_slip(one, u, w);
    const double length = 1 / std::sqrt(1 + std::min(at.tangent * at.tangent, near * near));
    one.along = {length * (e - at.tangent * f), length * (f + at.tangent * e)};
    // d along = across d tangent
    const bool is_near = std::abs(at.tangent) < near;
    const double back = is_near ? at.tangent : 0, factor = is_near ? length * length * length : length;
    one.across = {-factor * (f + back * e), factor * (e - back * f)};
    const double by_forward = at.forward > one.slow ? at.tangent : 0;
    one.turn = {at.unit * (-f - by_forward * e), at.unit * (e - by_forward * f)};
  }
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
  if (slides_in_space_) find_directions(q, v);
  const SparsityPattern& all = closed_->constraint_pattern();
  closed_->constraint_jacobian(0, q, all_values_);
  for (const Sliding& one : sliding_)
    for (Index c = 0; c < one.slip.count; ++c)
      for (Index k = all.offsets[one.slip.first + c]; k < all.offsets[one.slip.first + c + 1]; ++k)
        out[all.indices[k]] -= one.mu * one.along[static_cast<std::size_t>(c)] * lambda[one.row] * all_values_[k];
}

void ContactModel::slide_hessian(const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef values) const {
  all_multipliers_.setZero();
  for (const Sliding& one : sliding_)
    for (Index c = 0; c < one.slip.count; ++c)
      all_multipliers_[one.slip.first + c] = one.mu * one.along[static_cast<std::size_t>(c)] * lambda[one.row];
  const auto add = [&](const Vector& multipliers, double sign) {
    closed_->lagrangian_hessian(0, q, multipliers, hessian_);
    for (std::size_t k = 0; k < hessian_value_at_.size(); ++k)
      values[hessian_value_at_[k]] += sign * hessian_[static_cast<Index>(k)];
  };
  add(at_rest_, 1);
  add(all_multipliers_, -1);
}

void ContactModel::add_turning(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                               const ConstVectorRef& lambda, VectorRef values) const {
  const SparsityPattern& all = closed_->constraint_pattern();
  closed_->constraint_jacobian(0, q, all_values_);
  if (by == ForceArgument::q) closed_->constraint_jacobian_derivative(0, q, v, turned_values_);
  const Vector& of_slip = by == ForceArgument::q ? turned_values_ : all_values_;
  for (const Sliding& one : sliding_) {
    if (!one.in_space()) continue;
    const std::vector<Index>& places = by == ForceArgument::q ? one.by_q : one.by_v;
    const auto entry = [&](const Vector& from, Index c, Index column) {
      const Index at = all.find(one.slip.first + c, column);
      return at < 0 ? 0.0 : from[at];
    };
    const double factor = one.mu * lambda[one.row];
    std::size_t at = 0;
    for (const Index i : one.columns) {
      const double across = one.across[0] * entry(all_values_, 0, i) + one.across[1] * entry(all_values_, 1, i);
      for (const Index j : one.columns)
        values[places[at++]] -=
            factor * across * (one.turn[0] * entry(of_slip, 0, j) + one.turn[1] * entry(of_slip, 1, j));
    }
  }
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
  if (sliding_.empty()) return;
  if (slides_in_space_) {
    find_directions(q, v);
    if (by != ForceArgument::lambda) add_turning(by, q, v, lambda, values);
  }
  if (by == ForceArgument::v) return;
  if (by == ForceArgument::q) return slide_hessian(q, lambda, values);
  const SparsityPattern& all = closed_->constraint_pattern();
  closed_->constraint_jacobian(0, q, all_values_);
  std::size_t at = 0;
  for (const Sliding& one : sliding_)
    for (Index c = 0; c < one.slip.count; ++c)
      for (Index k = all.offsets[one.slip.first + c]; k < all.offsets[one.slip.first + c + 1]; ++k)
        values[slide_value_at_[at++]] -= one.mu * one.along[static_cast<std::size_t>(c)] * all_values_[k];
}

}  // namespace gnomon
