#pragma once
/// \file
/// Which rows of the system with all obstacles as constraints are constraints of a ContactModel, and these rows at
/// extended precision. Private to the core.

#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon {

/// Constraints of positions: those of velocities are the last ones.
inline Index position_rows(const System& system) {
  return system.m() - system.parts().n_velocity_constraints();
}

/// Where the slips of a contact are among the rows (g, -c, d, S v, A v + b) of the system with all obstacles closed:
/// one of positions, or two of velocities in space.
struct SlipRows {
  Index first = 0, count = 1;
};
std::vector<SlipRows> slip_rows(const System& open, const System& closed);

/// Rows of the closed system that are velocities of slips in space: the first of those of velocities.
inline Index rows_in_space(const System& open) {
  return 2 * (open.parts().n_slips() > 0 ? open.parts().n_slips() - open.parts().n_obstacles() : 0);
}

struct ClosedRows {
  /// As ContactModel.
  ClosedRows(const System& open, const System& closed, const std::vector<Index>& contacts,
             const std::vector<int>& slip);

  std::vector<Index> of;         // rows of the closed system
  std::vector<Index> values_at;  // where in its values of the Jacobian those here are
  Vector offsets;                // what is subtracted from the constraints
};

class ContactPrecision final : public ExtendedPrecision {
 public:
  /// Keeps references to both.
  ContactPrecision(const System& closed, const ClosedRows& rows);

  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef gradient) const override {
    return closed_.potential_compensated(t, q, tail, gradient);
  }
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef g_values) const override;
  bool extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                            VectorRefOf<Extended> out) const override;
  bool extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const override;
  bool extended_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> out) const override {
    return extended_->extended_gradient(t, q, tail, out);
  }
  bool extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail,
                           VectorRefOf<Extended> pi) const override {
    return extended_->extended_invariants(q, tail, pi);
  }
  bool extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                   VectorRefOf<Extended> values) const override {
    return extended_->extended_invariant_jacobian(q, tail, values);
  }
  std::array<Extended, 4> extended_invariant_potential(Index k, Extended pi) const override {
    return extended_->extended_invariant_potential(k, pi);
  }
  bool extended_regular_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> out) const override {
    return extended_->extended_regular_gradient(t, q, tail, out);
  }

 private:
  const System& closed_;
  const ExtendedPrecision* extended_;  // of the closed system
  const ClosedRows& rows_;
  mutable Vector all_, all_values_;
  mutable VectorOf<Extended> extended_values_, extended_all_, extended_rows_;
};

}  // namespace gnomon
