#pragma once
/// \file
/// Friction R(q,v,lambda), nonlinear in the multipliers, in one step of a discrete-derivative scheme whose multipliers
/// belong to the middle of the step:
///
///     p1 - p0 = ... + h R(q_m, dq/h, lambda)       H1 - H0 = R.dq exactly, beside the other terms of the balance
///
/// With both constraint levels lambda is of order 2. With g(q1) = 0 alone it alternates, lambda_n = lambda(t_m) + O(h)
/// (-1)^n, and friction with it: in two equal steps the alternating part leaves R'' O(h^2), so q and p keep order 2 at
/// a constant step (measured), with pairs of equal substeps the order of a composition.
///
/// lambda has the multipliers of the constraints, then zeros for obstacles, which are open. Without constraints there
/// is no friction.

#include <type_traits>
#include <vector>

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/value_and_change.hpp"

namespace gnomon::kernels {

class AppliedFriction {
 public:
  explicit AppliedFriction(const System& system);

  bool active() const { return friction_ != nullptr; }

  /// R(q,v,lambda), valid until the next call; to first order from the rounded arguments at Extended.
  template <class S>
  const VectorOf<S>& operator()(const VectorOf<S>& q, const VectorOf<S>& v, const VectorOf<S>& lambda) {
    auto& r = r_.get<S>();
    if constexpr (std::is_same_v<S, double>) {
      lambda_.head(m_) = lambda;
      friction_->friction(q, v, lambda_, r);
    } else {
      split(q, q_, dq_);
      split(v, v_, dv_);
      split(lambda, lambda_, dlambda_);
      friction_->friction(q_, v_, lambda_, value_);
      evaluate_jacobians();
      multiply(friction_->friction_pattern(ForceArgument::q), by_q_, dq_, change_);
      multiply(friction_->friction_pattern(ForceArgument::v), by_v_, dv_, part_);
      change_ += part_;
      multiply(friction_->friction_pattern(ForceArgument::lambda), by_lambda_, dlambda_, part_);
      change_ += part_;
      join(value_, change_, r);
    }
    return r;
  }
  /// R.d
  long double work(const Vector& q, const Vector& v, const Vector& lambda, const Vector& d);

  /// The place of its derivatives by q and v (together, on the unknown of the positions) and by lambda in a matrix.
  struct Place {
    BlockMap by_q, by_v, by_lambda;
  };
  void place(Layout& layout, Place& place, const Block& rows, const Block& position, const Block& multiplier) const;
  /// values += a R_q + b R_v on the positions and c R_lambda on the multipliers
  void add(const Place& place, const Vector& q, const Vector& v, const Vector& lambda, double a, double b, double c,
           VectorRef values);

 private:
  void evaluate_jacobians();

  const Friction* friction_;  // null: none, and nothing but active() and place() may be called
  Index m_;
  ForAllScalars<VectorOf> r_;
  Vector q_, v_, dq_, dv_, value_, change_, part_, lambda_, dlambda_;
  Vector by_q_, by_v_, by_lambda_, values_;
  SparsityPattern constraints_pattern_;
  std::vector<Index> of_constraints_;  // entries of by_lambda_ that belong to constraints
};

extern template const VectorOf<Dual1>& AppliedFriction::operator()(const VectorOf<Dual1>&, const VectorOf<Dual1>&,
                                                                   const VectorOf<Dual1>&);
extern template const VectorOf<Extended>& AppliedFriction::operator()(const VectorOf<Extended>&,
                                                                      const VectorOf<Extended>&,
                                                                      const VectorOf<Extended>&);

}  // namespace gnomon::kernels
