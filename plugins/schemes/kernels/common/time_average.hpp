#pragma once
/// \file
/// A system whose U and g depend on time, as a discrete derivative over one step sees it: every function averaged over
/// the two times of the step,
///
///     fbar(q) = [f(q,t0) + f(q,t1)]/2        for U, g and every derivative of them by q; g_t likewise,
///
/// whatever t it is asked at. M, Q, R and the invariants of a split potential do not depend on these times and are
/// those of the given system.

#include <array>

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

class TimeAverage final : public System, public TimeDependence, public ExtendedPrecision, public SplitPotential {
 public:
  /// The system outlives it.
  explicit TimeAverage(const System& system);
  void set_times(double t0, double t1);

  const SystemTraits& traits() const override { return system_->traits(); }
  const Mass& mass() const override { return system_->mass(); }

  double potential(double, const ConstVectorRef& q) const override;
  void potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override;
  void potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const override;

  const SparsityPattern& constraint_pattern() const override { return system_->constraint_pattern(); }
  void constraints(double, const ConstVectorRef& q, VectorRef out) const override;
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override;
  void constraint_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override;
  void constraint_jacobian_derivative(double, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override;
  void constraint_third(double, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override;
  void constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override;
  void constraint_bias(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override;
  const SparsityPattern& hessian_pattern() const override { return system_->hessian_pattern(); }
  void lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override;

  double potential_rate(double, const ConstVectorRef& q) const override;
  void constraint_rate_jacobian(double, const ConstVectorRef& q, VectorRef values) const override;
  void constraint_rate_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                               VectorRef values) const override;

  long double potential_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef gradient) const override;
  void constraints_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef g_values) const override;
  bool extended_gradient(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> out) const override;
  bool extended_jacobian(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const override;
  bool extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail,
                           VectorRefOf<Extended> pi) const override;
  bool extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                   VectorRefOf<Extended> values) const override;
  std::array<Extended, 4> extended_invariant_potential(Index k, Extended pi) const override;
  bool extended_regular_gradient(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> out) const override;

  Index n_invariants() const override { return split_->n_invariants(); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override { split_->invariants(q, pi); }
  const SparsityPattern& invariant_pattern() const override { return split_->invariant_pattern(); }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override;
  std::array<double, 4> invariant_potential(Index k, double pi) const override;
  void regular_potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override;
  void split_hessian(double, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override;

 private:
  template <class F>
  void average(VectorRef& out, const F& f) const {
    f(t0_, out);
    f(t1_, later_.head(out.size()));
    out = 0.5 * (out + later_.head(out.size()));
  }
  template <class F>
  bool extended_average(VectorRefOf<Extended>& out, const F& f) const {
    if (!f(t0_, out) || !f(t1_, extended_later_.head(out.size()))) return false;
    out = (out + extended_later_.head(out.size())) / 2;
    return true;
  }

  const System* system_;
  const TimeDependence* rates_;
  const ExtendedPrecision* extended_;
  const SplitPotential* split_;
  double t0_ = 0, t1_ = 0;
  mutable Vector later_;
  mutable VectorOf<Extended> extended_later_;
};

}  // namespace gnomon::kernels
