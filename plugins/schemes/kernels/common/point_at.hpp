#pragma once
/// \file
/// The derivatives of U and g at one point of a residual, and along a velocity there: from PointDerivatives where the
/// model has it, else from the functions of System.

#include <type_traits>

#include "gnomon/model/system_at.hpp"
#include "kernels/common/value_and_change.hpp"

namespace gnomon::kernels {

/// At duals and, of a model without the part, at Extended: to first order in the tangent or tail of q and v.
template <class S>
class PointAt {
 public:
  VectorOf<S> gradient;        ///< grad U
  VectorOf<S> jacobian, turn;  ///< G, and the rows v^T Hess g_i, on the constraint pattern

  void allocate(const System& system) {
    gradient.setConstant(system.n(), S(0.0));
    for (auto* x : {&jacobian, &turn}) x->setConstant(system.constraint_pattern().nonzeros(), S(0.0));
    if (exact) return;
    for (Vector* x : {&q_, &dq_, &v_, &dv_}) x->setZero(system.n());
    for (Vector* x : {&g_, &dg_, &third_}) x->setZero(system.constraint_pattern().nonzeros());
  }

  void set(SystemAt& at, double t, const VectorOf<S>& q, const VectorOf<S>& v) {
    const System& system = at.system();
    if constexpr (!std::is_same_v<S, Dual1>) {
      if (const PointDerivatives* point = system.parts().point)
        return point->point_derivatives(t, q.data(), v.data(), gradient.data(), jacobian.data(), turn.data());
    }
    at.potential_gradient(t, q, gradient);
    if (jacobian.size() > 0) set_constraints(at, t, q, v);
  }

  /// Without grad U, which is left undefined.
  void set_constraints(SystemAt& at, double t, const VectorOf<S>& q, const VectorOf<S>& v) {
    const System& system = at.system();
    if (!std::is_same_v<S, Dual1> && system.parts().point) return set(at, t, q, v);
    if constexpr (exact) {
      system.constraint_jacobian(t, q, jacobian);
      system.constraint_jacobian_derivative(t, q, v, turn);
    } else {
      split(q, q_, dq_);
      split(v, v_, dv_);
      if constexpr (std::is_same_v<S, Extended>) {
        at.constraint_jacobian(t, q, jacobian);
      } else {
        system.constraint_jacobian(t, q_, g_);
        at.constraint_jacobian_change(t, q_, dq_, dg_);
        join(g_, dg_, jacobian);
      }
      system.constraint_jacobian_derivative(t, q_, v_, g_);
      system.constraint_jacobian_derivative(t, q_, dv_, dg_);
      system.constraint_third(t, q_, v_, dq_, third_);
      dg_ += third_;
      join(g_, dg_, turn);
    }
  }

 private:
  static constexpr bool exact = std::is_same_v<S, double>;

  Vector q_, dq_, v_, dv_, g_, dg_, third_;
};

}  // namespace gnomon::kernels
