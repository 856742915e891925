#include "model/contact_precision.hpp"

#include "model/contact_model.hpp"

namespace gnomon {

std::vector<SlipRows> slip_rows(const System& open, const System& closed) {
  std::vector<SlipRows> rows;
  const CoulombFriction* coulomb = open.parts().coulomb;
  if (!coulomb) return rows;
  const Index slips = position_rows(open) + open.parts().n_obstacles();
  for (Index i = 0; i < open.parts().n_obstacles(); ++i) rows.push_back({slips + i, 1});
  Index row = position_rows(closed);
  for (const Index i : coulomb->slips_in_space()) {
    rows[static_cast<std::size_t>(i)] = {row, 2};
    row += 2;
  }
  return rows;
}

ClosedRows::ClosedRows(const System& open, const System& closed, const std::vector<Index>& contacts,
                       const std::vector<int>& slip) {
  const Index bilateral = position_rows(open);
  const std::vector<SlipRows> slips = slip_rows(open, closed);
  for (Index i = 0; i < bilateral; ++i) of.push_back(i);
  for (const Index i : contacts) of.push_back(bilateral + i);
  for (const Index count : {1, 2})  // of velocities behind those of positions
    for (std::size_t k = 0; k < slip.size(); ++k) {
      const SlipRows& rows = slips[static_cast<std::size_t>(contacts[k])];
      if (slip[k] != ContactModel::sticks || rows.count != count) continue;
      for (Index j = 0; j < count; ++j) of.push_back(rows.first + j);
    }
  for (Index i = position_rows(closed) + rows_in_space(open); i < closed.m(); ++i) of.push_back(i);
  const SparsityPattern& all = closed.constraint_pattern();
  for (const Index row : of)
    for (Index k = all.offsets[row]; k < all.offsets[row + 1]; ++k) values_at.push_back(k);
  offsets.setZero(static_cast<Index>(of.size()));
}

ContactPrecision::ContactPrecision(const System& closed, const ClosedRows& rows)
    : closed_(closed), extended_(closed.parts().extended), rows_(rows) {
  const Index values = closed.constraint_pattern().nonzeros();
  all_.setZero(closed.m());
  all_values_.setZero(values);
  extended_values_.setZero(values);
  extended_all_.setZero(closed.m());
  extended_rows_.setZero(rows.offsets.size());
}

void ContactPrecision::constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                               VectorRef out, VectorRef) const {
  // Where something sticks d - held is small and d is not: the difference is taken before it is rounded. A step of size
  // h turns an error of it into a velocity 1/h times as large.
  if (!rows_.offsets.isZero(0) && extended_constraints(t, q, tail, extended_rows_)) {
    out = extended_rows_.cast<double>();
    return;
  }
  closed_.constraints_compensated(t, q, tail, all_, all_values_);
  for (std::size_t i = 0; i < rows_.of.size(); ++i) out[static_cast<Index>(i)] = all_[rows_.of[i]];
  out -= rows_.offsets;
}

bool ContactPrecision::extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                            VectorRefOf<Extended> out) const {
  if (!extended_->extended_constraints(t, q, tail, extended_all_)) return false;
  for (std::size_t i = 0; i < rows_.of.size(); ++i) {
    const auto row = static_cast<Index>(i);
    out[row] = extended_all_[rows_.of[i]] - static_cast<Extended>(rows_.offsets[row]);
  }
  return true;
}

bool ContactPrecision::extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                         VectorRefOf<Extended> values) const {
  if (!extended_->extended_jacobian(t, q, tail, extended_values_)) return false;
  for (std::size_t k = 0; k < rows_.values_at.size(); ++k)
    values[static_cast<Index>(k)] = extended_values_[rows_.values_at[k]];
  return true;
}

}  // namespace gnomon
