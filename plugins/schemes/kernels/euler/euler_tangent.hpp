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

#include "gnomon/base/dense_lu.hpp"
#include "kernels/common/implicit_change.hpp"
#include "kernels/euler/term_equations.hpp"

namespace gnomon::kernels {

class EulerTangent {
 public:
  explicit EulerTangent(const OverdeterminedSystem& system) : system_(&system) {
    for (std::size_t k = 0; k < n_slots; ++k) change_[k].setZero(size_of(k));
    dp_.setZero(system.traits().nz);
  }

  /// changes: columns [dy; dp] of the start.
  void begin(const EulerPoint& point, const Matrix& changes) {
    const OverdeterminedTraits& traits = system_->traits();
    for (std::size_t k = 0; k < n_slots; ++k) changes_[k].setZero(size_of(k), changes.cols());
    dp0_ = changes.bottomRows(traits.nz);
    changes_[index(Slot::y0)] = changes.topRows(traits.ny);
    const OverdeterminedPoint at{point[Slot::y0], point[Slot::z0], point[Slot::first]};
    const SparsityPattern& p_z = system_->pattern(Term::momentum, Argument::z);
    Vector values(p_z.nonzeros());
    system_->jacobian(Term::momentum, Argument::z, at, values);
    const DenseLu p_z_factors(to_dense(p_z, values));
    for (Index c = 0; c < changes.cols(); ++c) {
      take(Slot::y0, c);
      take(Slot::z0, c);
      take(Slot::first, c);
      momentum(at, Slot::y0, Slot::z0);
      changes_[index(Slot::z0)].col(c) = p_z_factors.solve(Vector(dp0_.col(c) - dp_));
    }
  }

  /// After a system was solved, at its solution x, which was placed.
  void solved(TermEquations& equations, const EulerPoint& point, const std::vector<Slot>& unknowns,
              const ConstVectorRef& x) {
    const ImplicitChange solve(equations, x);
    Vector known(x.size());
    for (Index c = 0; c < dp0_.cols(); ++c) {
      for (std::size_t k = 0; k < n_slots; ++k) take(static_cast<Slot>(k), c);
      for (const Slot slot : unknowns) change_[index(slot)] = base_change(point, slot, c);
      equations.known_tangent(change_, dp0_.col(c), known);
      const Vector dx = solve(known);
      for (const Slot slot : unknowns)
        changes_[index(slot)].col(c) =
            change_[index(slot)] + dx.segment(equations.offset(slot), change_[index(slot)].size());
    }
  }

  /// changes: columns [dy; dp] of the end.
  void finish(const EulerPoint& point, Matrix& changes) {
    const OverdeterminedPoint at{point[Slot::y1], point[Slot::z1], point[Slot::second]};
    for (Index c = 0; c < changes.cols(); ++c) {
      for (const Slot slot : {Slot::y1, Slot::z1, Slot::first}) take(slot, c);
      momentum(at, Slot::y1, Slot::z1);
      changes.col(c) << change_[index(Slot::y1)], dp_;
    }
  }

 private:
  static std::size_t index(Slot slot) { return static_cast<std::size_t>(slot); }
  Index size_of(std::size_t slot) const { return system_->traits().size(argument_of(static_cast<Slot>(slot))); }
  void take(Slot slot, Index column) { change_[index(slot)] = changes_[index(slot)].col(column); }
  /// dp = p_y dy + p_z dz
  void momentum(const OverdeterminedPoint& at, Slot y, Slot z) {
    system_->tangent(Term::momentum, at, {change_[index(y)], change_[index(z)], change_[index(Slot::first)]}, dp_);
  }
  Vector base_change(const EulerPoint& point, Slot slot, Index column) const {
    if (!point.base(slot)) return Vector::Zero(size_of(index(slot)));
    return changes_[index(argument_of(slot) == Argument::y ? Slot::y0 : Slot::z0)].col(column);
  }

  const OverdeterminedSystem* system_;
  std::array<Matrix, n_slots> changes_;  // a column a direction
  Matrix dp0_;
  StepChange change_;  // along one direction
  Vector dp_;
};

}  // namespace gnomon::kernels
