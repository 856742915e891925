#include "kernels/common/time_average.hpp"

#include <algorithm>
#include <array>

namespace gnomon::kernels {
namespace {

class AveragedSystem final : public TimeAverage, TimeDependence, ExtendedPrecision, SplitPotential {
 public:
  explicit AveragedSystem(const System& system)
      : system_(&system),
        rates_(system.parts().time_dependence),
        extended_(system.parts().extended),
        split_(system.parts().split) {
    parts_ = system.parts();
    parts_.time_dependence = this;
    parts_.point = nullptr;
    if (extended_) parts_.extended = this;
    if (split_) parts_.split = this;
    const Index size = std::max({system.n(), system.m(), static_cast<Index>(system.constraint_pattern().nonzeros()),
                                 static_cast<Index>(system.hessian_pattern().nonzeros())});
    later_.setZero(size);
    extended_later_.setZero(size);
  }
  void set_times(double t0, double t1) override {
    t0_ = t0;
    t1_ = t1;
  }

  const SystemTraits& traits() const override { return system_->traits(); }
  const Mass& mass() const override { return system_->mass(); }

  double potential(double, const ConstVectorRef& q) const override {
    return 0.5 * (system_->potential(t0_, q) + system_->potential(t1_, q));
  }
  void potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override {
    average(out, [&](double t, VectorRef f) { system_->potential_gradient(t, q, f); });
  }
  void potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const override {
    average(out, [&](double t, VectorRef f) { system_->potential_hessian_times(t, q, w, f); });
  }

  const SparsityPattern& constraint_pattern() const override { return system_->constraint_pattern(); }
  void constraints(double, const ConstVectorRef& q, VectorRef out) const override {
    average(out, [&](double t, VectorRef f) { system_->constraints(t, q, f); });
  }
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override {
    average(values, [&](double t, VectorRef f) { system_->constraint_jacobian(t, q, f); });
  }
  void constraint_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override {
    average(out, [&](double t, VectorRef f) { system_->constraint_hessian_times(t, q, lambda, w, f); });
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override {
    average(values, [&](double t, VectorRef f) { system_->constraint_jacobian_derivative(t, q, v, f); });
  }
  void constraint_third(double, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override {
    average(values, [&](double t, VectorRef f) { system_->constraint_third(t, q, v, w, f); });
  }
  void constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    average(out, [&](double t, VectorRef f) { system_->constraint_velocity(t, q, v, f); });
  }
  void constraint_bias(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    average(out, [&](double t, VectorRef f) { system_->constraint_bias(t, q, v, f); });
  }
  const SparsityPattern& hessian_pattern() const override { return system_->hessian_pattern(); }
  void lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    average(values, [&](double t, VectorRef f) { system_->lagrangian_hessian(t, q, lambda, f); });
  }
  bool constraint_hessian_derivative(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                     const ConstVectorRef& v, VectorRef values) const override {
    bool offered = true;
    average(values, [&](double t, VectorRef f) {
      offered = system_->constraint_hessian_derivative(t, q, lambda, v, f) && offered;
    });
    return offered;
  }

  double potential_rate(double, const ConstVectorRef& q) const override {
    return 0.5 * (rates_->potential_rate(t0_, q) + rates_->potential_rate(t1_, q));
  }
  void constraint_rate_jacobian(double, const ConstVectorRef& q, VectorRef values) const override {
    average(values, [&](double t, VectorRef f) { rates_->constraint_rate_jacobian(t, q, f); });
  }
  void constraint_rate_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                               VectorRef values) const override {
    average(values, [&](double t, VectorRef f) { rates_->constraint_rate_hessian(t, q, lambda, f); });
  }

  long double potential_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef gradient) const override {
    return 0.5L * (extended_->potential_compensated(t0_, q, tail, gradient) +
                   extended_->potential_compensated(t1_, q, tail, gradient));
  }
  void constraints_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef g_values) const override {
    average(out, [&](double t, VectorRef f) { extended_->constraints_compensated(t, q, tail, f, g_values); });
  }
  bool extended_gradient(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> out) const override {
    return extended_average(
        out, [&](double t, VectorRefOf<Extended> f) { return extended_->extended_gradient(t, q, tail, f); });
  }
  bool extended_jacobian(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const override {
    return extended_average(
        values, [&](double t, VectorRefOf<Extended> f) { return extended_->extended_jacobian(t, q, tail, f); });
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
  bool extended_regular_gradient(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> out) const override {
    return extended_average(
        out, [&](double t, VectorRefOf<Extended> f) { return extended_->extended_regular_gradient(t, q, tail, f); });
  }

  Index n_invariants() const override { return split_->n_invariants(); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override { split_->invariants(q, pi); }
  const SparsityPattern& invariant_pattern() const override { return split_->invariant_pattern(); }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    split_->invariant_jacobian(q, values);
  }
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    return split_->invariant_potential(k, pi);
  }
  void regular_potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override {
    average(out, [&](double t, VectorRef f) { split_->regular_potential_gradient(t, q, f); });
  }
  void split_hessian(double, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    average(values, [&](double t, VectorRef f) { split_->split_hessian(t, q, c, lambda, f); });
  }

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

}  // namespace

std::unique_ptr<TimeAverage> time_average(const System& system) {
  return std::make_unique<AveragedSystem>(system);
}

}  // namespace gnomon::kernels
