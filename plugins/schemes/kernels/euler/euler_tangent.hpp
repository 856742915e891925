#pragma once
/// \file
/// The exact derivative of a step that is written in TermEquations, by the implicit function theorem: a change of
/// (y0, z0) changes the unknowns x of every system F(x; y0, z0, earlier unknowns) = 0 by
///
///     dx = -F_x^-1 F_{y0,z0,...} d(y0, z0, ...)
///
/// The momentum p(y,z) is what the state holds, so p_z dz0 = dp0 - p_y dy0 at the start and dp1 = p_y dy1 + p_z dz1 at
/// the end.

#include <array>
#include <vector>

#include "kernels/euler/term_equations.hpp"

namespace gnomon::kernels {

class EulerTangent {
 public:
  explicit EulerTangent(const OverdeterminedSystem& system);

  /// changes: columns [dy; dp] of the start.
  void begin(const EulerPoint& point, const Matrix& changes);

  /// After a system was solved, at its solution x, which was placed.
  void solved(TermEquations& equations, const EulerPoint& point, const std::vector<Slot>& unknowns,
              const ConstVectorRef& x);

  /// changes: columns [dy; dp] of the end.
  void finish(const EulerPoint& point, Matrix& changes);

 private:
  static std::size_t index(Slot slot) { return static_cast<std::size_t>(slot); }
  Index size_of(std::size_t slot) const { return system_->traits().size(argument_of(static_cast<Slot>(slot))); }
  void take(Slot slot, Index column) { change_[index(slot)] = changes_[index(slot)].col(column); }
  /// dp = p_y dy + p_z dz
  void momentum(const OverdeterminedPoint& at, Slot y, Slot z);
  Vector base_change(const EulerPoint& point, Slot slot, Index column) const;

  const OverdeterminedSystem* system_;
  std::array<Matrix, n_slots> changes_;  // a column a direction
  Matrix dp0_;
  StepChange change_;  // along one direction
  Vector dp_;
};

}  // namespace gnomon::kernels
