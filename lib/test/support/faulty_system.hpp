#pragma once
/// \file
/// A System that passes everything on to another one, except for one function that fails.

#include <limits>
#include <memory>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::test {

class FaultySystem final : public System,
                           public Force,
                           public Obstacles,
                           public Symmetries,
                           public SplitPotential,
                           public ExtendedPrecision {
 public:
  enum class Function {
    potential,
    potential_compensated,
    potential_gradient,
    potential_hessian_times,
    constraints,
    constraints_compensated,
    constraint_jacobian,
    constraint_hessian_times,
    constraint_jacobian_derivative,
    constraint_third,
    constraint_velocity,
    constraint_bias,
    lagrangian_hessian,
    force,
    obstacles,
    symmetry_generator,
    invariants,
    invariant_jacobian,
    invariant_potential,
    regular_potential_gradient,
    split_hessian,
    count
  };
  /// Throws CannotEvaluate or a number, returns a value that is not finite.
  enum class How { throws, throws_number, nan, infinity, count };

  /// Its force has no derivatives. `only`: which call of the function fails, from 1; 0: all of them.
  FaultySystem(const System& sound, Function function, How how, long only = 0)
      : sound_(sound), function_(function), how_(how), only_(only) {
    parts_ = sound.parts();
    parts_.point = nullptr;
    if (parts_.force) parts_.force = this;
    if (parts_.obstacles) parts_.obstacles = this;
    if (parts_.symmetries) parts_.symmetries = this;
    if (parts_.split) parts_.split = this;
    parts_.extended = this;
  }

  /// Of the function that fails.
  long calls() const { return calls_; }

  const SystemTraits& traits() const override { return sound_.traits(); }
  const Mass& mass() const override { return sound_.mass(); }

  double potential(double t, const ConstVectorRef& q) const override {
    return sound_.potential(t, q) + fault(Function::potential);
  }
  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef gradient) const override {
    return sound_.potential_compensated(t, q, tail, gradient) + fault(Function::potential_compensated);
  }
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    sound_.potential_gradient(t, q, out);
    spoil(out, Function::potential_gradient);
  }
  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                               VectorRef out) const override {
    sound_.potential_hessian_times(t, q, w, out);
    spoil(out, Function::potential_hessian_times);
  }
  const SparsityPattern& constraint_pattern() const override { return sound_.constraint_pattern(); }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    sound_.constraints(t, q, out);
    spoil(out, Function::constraints);
  }
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef g_values) const override {
    sound_.constraints_compensated(t, q, tail, out, g_values);
    spoil(out, Function::constraints_compensated);
  }
  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    sound_.constraint_jacobian(t, q, values);
    spoil(values, Function::constraint_jacobian);
  }
  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const override {
    sound_.constraint_hessian_times(t, q, lambda, w, out);
    spoil(out, Function::constraint_hessian_times);
  }
  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override {
    sound_.constraint_jacobian_derivative(t, q, v, values);
    spoil(values, Function::constraint_jacobian_derivative);
  }
  void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override {
    sound_.constraint_third(t, q, v, w, values);
    spoil(values, Function::constraint_third);
  }
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    sound_.constraint_velocity(t, q, v, out);
    spoil(out, Function::constraint_velocity);
  }
  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    sound_.constraint_bias(t, q, v, out);
    spoil(out, Function::constraint_bias);
  }
  const SparsityPattern& hessian_pattern() const override { return sound_.hessian_pattern(); }
  void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    sound_.lagrangian_hessian(t, q, lambda, values);
    spoil(values, Function::lagrangian_hessian);
  }
  void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    sound_.parts().force->force(t, q, v, out);
    spoil(out, Function::force);
  }
  const SparsityPattern& force_pattern(ForceArgument) const override {
    throw Error(ErrorCode::refused, "system " + traits().name + " has no derivatives of its force");
  }
  void force_jacobian(ForceArgument by, double, const ConstVectorRef&, const ConstVectorRef&,
                      VectorRef) const override {
    force_pattern(by);
  }
  bool force_depends_on_time() const override { return sound_.parts().force->force_depends_on_time(); }
  Index n_obstacles() const override { return sound_.parts().n_obstacles(); }
  std::shared_ptr<const System> with_obstacles_closed() const override {
    return sound_.parts().obstacles->with_obstacles_closed();
  }
  void obstacles(const ConstVectorRef& q, VectorRef out) const override {
    sound_.parts().obstacles->obstacles(q, out);
    spoil(out, Function::obstacles);
  }
  Index n_symmetries() const override { return sound_.parts().n_symmetries(); }
  std::string symmetry_name(Index a) const override { return sound_.parts().symmetries->symmetry_name(a); }
  void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const override {
    sound_.parts().symmetries->symmetry_generator(a, q, out);
    spoil(out, Function::symmetry_generator);
  }
  Index n_invariants() const override { return sound_.parts().n_invariants(); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override {
    sound_.parts().split->invariants(q, pi);
    spoil(pi, Function::invariants);
  }
  const SparsityPattern& invariant_pattern() const override { return sound_.parts().split->invariant_pattern(); }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    sound_.parts().split->invariant_jacobian(q, values);
    spoil(values, Function::invariant_jacobian);
  }
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    auto derivatives = sound_.parts().split->invariant_potential(k, pi);
    derivatives[3] += fault(Function::invariant_potential);
    return derivatives;
  }
  void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    sound_.parts().split->regular_potential_gradient(t, q, out);
    spoil(out, Function::regular_potential_gradient);
  }
  void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    sound_.parts().split->split_hessian(t, q, c, lambda, values);
    spoil(values, Function::split_hessian);
  }

 private:
  void spoil(VectorRef out, Function function) const {
    const double amount = fault(function);
    if (out.size() > 0) out[0] += amount;
  }
  double fault(Function function) const {
    if (function != function_ || (++calls_, only_ != 0 && calls_ != only_)) return 0;
    if (how_ == How::throws) throw CannotEvaluate("spoiled on purpose");
    if (how_ == How::throws_number) throw 42;
    return how_ == How::nan ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  }

  const System& sound_;
  Function function_;
  How how_;
  long only_;
  mutable long calls_ = 0;
};

}  // namespace gnomon::test
