#pragma once
/// \file
/// System: what a mechanical model is, to every scheme, solver and reference.
///
///     q' = dH/dp    p' = -dH/dq - G(q)^T lambda + Q(q,v,t) + R(q,v,lambda)    0 = g(q,t)    (hidden: 0 = G(q) v + g_t)
///     H = T + U(q,t),    T = p^T M^-1 p / 2,  M constant or M(q),    G = dg/dq  (m x n)
///
/// The user supplies M, U and g; M(q), Q, R and more are optional (parts.hpp). Everything below is at double and
/// type-erased; AutodiffSystem (autodiff_system.hpp) derives all of it from U and g written once.

#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/types.hpp"
#include "gnomon/model/mass.hpp"
#include "gnomon/model/model.hpp"
#include "gnomon/model/parts.hpp"

namespace gnomon {

/// What a system declares about itself; schemes and their promises depend on it. What it has beyond the core of System
/// is not declared: see System::parts().
struct SystemTraits : CommonTraits {
  static constexpr int not_polynomial = -1;

  Index n = 0;                             ///< coordinates
  int potential_degree = not_polynomial;   ///< degree of U in q, or not_polynomial
  int constraint_degree = not_polynomial;  ///< degree of g in q, or not_polynomial
  int regular_degree = 2;                  ///< degree of the part U2 of a SplitPotential in q, or not_polynomial
  /// Parts that branch on a value, and by what, e.g. "force: <": they count as not polynomial, and their derivatives
  /// are dense. Found by AutodiffSystem; empty: none does.
  std::string branches;
  std::vector<Block> blocks;  ///< named ranges of q, e.g. one a body
  /// Quadrature weights w_i of a penalty sum_i w_i r(g_i)/(2 eps) over constraints, then obstacles; empty: ones.
  Vector constraint_weights;
  Vector restitutions;  ///< of impacts, one an obstacle; empty, or NaN of one: as the run says
};

/// Traits of a system that declares no more than its name and the polynomial degrees of U and g.
inline SystemTraits polynomial_traits(std::string name, int potential_degree, int constraint_degree) {
  SystemTraits traits;
  traits.name = std::move(name);
  traits.potential_degree = potential_degree;
  traits.constraint_degree = constraint_degree;
  return traits;
}

/// A mechanical system: 15 functions that every model has, and parts() for what it may have. All functions are const,
/// thread-safe and allocate nothing. Arguments: t in the model's time unit, q and v of length n, lambda of length m.
/// Outputs are overwritten. A function may throw CannotEvaluate, or return values that are not finite, to say "not
/// here": solvers treat both as a failed evaluation.
class GNOMON_EXPORT System : public Model {
 public:
  System() = default;
  // Its parts point at the system itself.
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const SystemTraits& traits() const override = 0;
  Index n() const { return traits().n; }
  /// What the model has beyond this core; the same during the life of the system.
  const Parts& parts() const { return parts_; }

  /// The constant mass matrix. With parts().mass: M at a typical configuration, which is a scale of the unknowns and a
  /// metric, never the mass in an equation.
  virtual const Mass& mass() const = 0;

  /// \name Potential U(q,t)
  ///@{
  virtual double potential(double t, const ConstVectorRef& q) const = 0;
  /// out = grad U
  virtual void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const = 0;
  /// out = (Hess U) w
  virtual void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                                       VectorRef out) const = 0;
  ///@}

  /// \name Constraints g(q,t) = 0
  ///@{
  /// Pattern of G, m x n; G and its directional derivatives are value vectors on it.
  virtual const SparsityPattern& constraint_pattern() const = 0;
  /// out = g
  virtual void constraints(double t, const ConstVectorRef& q, VectorRef out) const = 0;
  /// values = G
  virtual void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const = 0;
  /// out = d(G^T lambda)/dq w = sum_i lambda_i (Hess g_i) w
  virtual void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                        const ConstVectorRef& w, VectorRef out) const = 0;
  /// values = d(G v)/dq, row i = v^T Hess g_i
  virtual void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                              VectorRef values) const = 0;
  /// values, row i = d(v^T (Hess g_i) w)/dq
  virtual void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                                VectorRef values) const = 0;
  /// out = G v + g_t, the first derivative of g along q(t)
  virtual void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const = 0;
  /// out = v^T (Hess g) v + 2 G_t v + g_tt: the second derivative of g along q(t) is G v' + out
  virtual void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const = 0;
  ///@}

  /// \name Second derivatives of U + lambda.g
  ///@{
  /// Pattern of Hess U + sum_i lambda_i Hess g_i, n x n.
  virtual const SparsityPattern& hessian_pattern() const = 0;
  /// values = that Hessian on its pattern
  virtual void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                  VectorRef values) const = 0;
  /// values = d/ds at q + s v of sum_i lambda_i Hess g_i, on the same pattern. False: not offered, and entries j of all
  /// columns are those of constraint_third(v, e_j), times lambda.
  virtual bool constraint_hessian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                             const ConstVectorRef& v, VectorRef values) const {
    static_cast<void>(t), static_cast<void>(q), static_cast<void>(lambda), static_cast<void>(v),
        static_cast<void>(values);
    return false;
  }
  ///@}

  /// \name What follows from the core and a part, or from the core alone
  ///@{
  /// out = q' = T_p, whatever the mass; `scratch` of length n.
  void velocity(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef scratch, VectorRef out) const {
    if (parts_.mass)
      parts_.mass->kinetic_gradient(q, p, scratch, out);
    else
      mass().solve(p, out);
  }
  /// U at the compensated position q + tail, |tail| <= ulp(q)/2: by parts().extended, or to first order. `gradient` is
  /// scratch of length n.
  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef gradient) const {
    return parts_.extended ? parts_.extended->potential_compensated(t, q, tail, gradient)
                           : potential_to_first_order(t, q, tail, gradient);
  }
  /// out = g at the compensated position: by parts().extended, or to first order. `g_values` is scratch on the
  /// constraint pattern.
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef g_values) const {
    if (parts_.extended)
      parts_.extended->constraints_compensated(t, q, tail, out, g_values);
    else
      constraints_to_first_order(t, q, tail, out, g_values);
  }
  /// U(q) + grad U(q).tail
  long double potential_to_first_order(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                       VectorRef gradient) const;
  /// out = g(q) + G(q) tail
  void constraints_to_first_order(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                                  VectorRef g_values) const;
  ///@}

  /// \name Model
  ///@{
  std::vector<std::pair<std::string, Index>> sizes() const override;
  const System* mechanical() const override { return this; }
  const Vector& second_half(const StateView& at) const override { return at.p; }
  void velocity(const StateView& at, VectorRef scratch, VectorRef out) const override {
    velocity(at.q, at.p, scratch, out);
  }
  bool measure(const StateView& at, Measured& out) const override;
  ///@}

 protected:
  /// Set by the constructor of the model, e.g. parts_.force = this.
  Parts parts_;
};

/// The values of the rows of velocity constraints among those on System::constraint_pattern(), which are the last.
template <class Values>
auto velocity_rows(const System& system, Values&& values) {
  const SparsityPattern& pattern = system.constraint_pattern();
  const Index first = pattern.offsets[static_cast<std::size_t>(system.m() - system.parts().n_velocity_constraints())];
  return values.segment(first, pattern.nonzeros() - first);
}

}  // namespace gnomon
