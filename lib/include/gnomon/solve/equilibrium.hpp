#pragma once
/// \file
/// Static equilibrium of a System as nonlinear equations, for any solver.

#include <algorithm>
#include <memory>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/split_form.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"

namespace gnomon {

/// Where the potential is stationary, in increments x = [dq | lambda] from a configuration q0, q = q0 + dq:
///
///     exact      grad U(q) + G(q)^T lambda = 0,   g(q) = 0
///     penalty    grad U(q) + G(q)^T lambda = 0,   lambda_i = w_i g_i(q)/eps     (x = dq alone)
///
/// The second is where U + sum_i w_i g_i^2/(2 eps) is stationary, w the model's quadrature weights
/// (SystemTraits::constraint_weights). Without constraints the two are the same.
class GNOMON_EXPORT EquilibriumEquations final : public TemplatedEquations<EquilibriumEquations>, public SplitForm {
 public:
  enum class Method { exact, penalty };

  /// eps > 0 is for the penalty only. The system must outlive this object. Throws Error(refused) for a system with
  /// obstacles, with friction or as require_no_force_at_rest(q0) does, and Error(bad_value) for eps <= 0.
  EquilibriumEquations(const System& system, double t, const Vector& q0, Method method, double eps = 1);

  /// Forces outside the potential may damp: throws Error(refused) where Q(t, q, 0) is not exactly zero.
  void require_no_force_at_rest(const Vector& q) const;

  void scales(VectorRef columns, VectorRef rows) const override;
  double rounding_floor() const override { return floor_; }
  void jacobian(const ConstVectorRef& x, VectorRef values) override;
  /// For exact constraints |p_j| = 1 (Parts::unit_vectors) and U at most quadratic.
  bool has_split_form() const override { return unit_vectors_ != nullptr; }

  int dimension() const override { return unit_vectors_->dimension; }
  Index n_points() const override { return m_; }
  const SparsityPattern& quadratic_pattern() const override { return system_->hessian_pattern(); }
  const SparsityPattern& split_pattern() const override { return unit_vectors_->pattern; }
  const Vector& split_weights() const override { return weights_; }
  void quadratic(VectorRef a, VectorRef b, VectorRef split, VectorRef c) override;
  void take_apart(const ConstVectorRef& x, VectorRef y, VectorRef theta) override;
  void put_together(const ConstVectorRef& y, const ConstVectorRef& theta, VectorRef x) override;

  Index n() const { return n_; }
  /// Rows of exact constraints: 0 with the penalty.
  Index m() const { return exact() ? m_ : 0; }
  /// What is minimised: U, and the penalty where there is one.
  double energy(const ConstVectorRef& x);

  /// The largest coordinate of q0 in its unit, at least one.
  double size_of_configuration() const {
    return std::max(1.0, q0_.cwiseQuotient(columns_.head(n_)).cwiseAbs().maxCoeff());
  }

  Vector position(const ConstVectorRef& x) const { return q0_ + x.head(n_); }
  /// Of a solution; of the penalty too.
  Vector multipliers(const ConstVectorRef& x);
  /// Start value: dq = 0 and the given multipliers.
  Vector start(const Vector& lambda) const;

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f);

 private:
  friend class TemplatedEquations<EquilibriumEquations>;
  template <class S>
  struct Point {
    VectorOf<S> q, gradient, force, g, lambda;
  };
  bool exact() const { return method_ == Method::exact; }
  double weight(Index i) const { return weights_[i] / eps_; }
  void lay_out();
  double natural_length(const Vector& unit) const;
  void find_scales();

  const System* system_;
  const UnitVectorForm* unit_vectors_ = nullptr;
  SystemAt at_;
  double t_;
  Vector q0_;
  Method method_;
  double eps_;
  Index n_, m_;
  Vector weights_;
  BlockMap hessian_, forces_, rows_;
  std::vector<Index> normal_;
  Vector columns_, row_units_;
  double floor_ = thresholds::residual_rounding;
  ForBothScalars<Point> points_;
  Vector q_, g_, lambda_, g_values_, hessian_values_;
};

}  // namespace gnomon
