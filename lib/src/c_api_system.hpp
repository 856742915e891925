#pragma once
/// \file
/// A System made of the callbacks of a C program; what they leave out comes from differences.

#include <memory>
#include <optional>
#include <string>

#include "c_api_matrix.hpp"
#include "gnomon/gnomon.h"
#include "gnomon/system.hpp"

namespace gnomon::c_api {

using SharedMatrix = std::shared_ptr<std::remove_pointer_t<SUNMatrix>>;

/// What the user set, before it is a System.
struct Callbacks {
  SUNContext context = nullptr;
  void* user_data = nullptr;
  Index n = 0, m = 0;
  double size = 1;  ///< of coordinates: the largest |q_i| of the start, 1 where that is zero
  std::optional<Mass> mass;
  GnomonPotentialFn potential = nullptr;
  GnomonGradientFn gradient = nullptr;
  GnomonHessianFn hessian = nullptr;
  GnomonConstraintFn constraints = nullptr;
  GnomonJacobianFn jacobian = nullptr;
  SharedMatrix hessian_matrix, jacobian_matrix;  ///< like those that the user wants; null: dense
  int potential_degree = SystemTraits::not_polynomial, constraint_degree = SystemTraits::not_polynomial;
};

/// Thrown when a callback returned < 0: it will not be called again.
class FatalCallback : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Derivatives that no callback gives are central differences along a line:
///
///     f'(0) = (f(s) - f(-s)) / 2s                                       exact where f is of degree <= 2 along it,
///     f'(0) = (8 (f(s) - f(-s)) - (f(2s) - f(-2s))) / 12s               exact to degree 4.
///
/// Where the declared degree makes them exact s is of the size of q, now or at the start, so that only rounding is
/// left; else s is eps^(1/5) of it and the error eps^(4/5). Second derivatives are differences of differences.
class CallbackSystem final : public System {
 public:
  /// Throws Error(bad_value) where something is missing that no difference can give, Error(bad_size) for matrices of
  /// the wrong size.
  explicit CallbackSystem(const Callbacks& callbacks);
  ~CallbackSystem() override;

  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return *calls_.mass; }
  double potential(double t, const ConstVectorRef& q) const override;
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override;
  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                               VectorRef out) const override;
  const SparsityPattern& constraint_pattern() const override { return jacobian_->pattern(); }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override;
  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override;
  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const override;
  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override;
  void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override;
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override;
  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override;
  const SparsityPattern& hessian_pattern() const override { return hessian_->pattern(); }
  void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override;

  /// A callback returned < 0.
  bool failed_for_good() const;
  /// "potential gradient, Jacobian of the constraints", or "none".
  std::string differences() const;

 private:
  struct Scratch;
  template <class Call>
  void call(const char* name, Call&& callback) const;
  int gradient_degree() const { return lower(traits_.potential_degree); }
  int jacobian_degree() const { return lower(traits_.constraint_degree); }
  static int lower(int degree) { return degree > 0 ? degree - 1 : degree; }
  void hessian_at(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef values) const;

  Callbacks calls_;
  SystemTraits traits_;
  Colouring jacobian_colours_, hessian_colours_;
  std::unique_ptr<MatrixBuffer> jacobian_, hessian_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace gnomon::c_api
