#pragma once
/// \file
/// Function: f(t, x) with every derivative that a System needs, whatever they come from.

#include <array>
#include <memory>
#include <string>

#include "gnomon/base/sparsity.hpp"

namespace gnomon {

/// f : (t, x) -> R^outputs with x in up to three blocks. Directions and derivatives by x that are not marked otherwise
/// belong to block 0; f_i is output i. All functions are const and thread-safe. They take work space from
/// thread_workspace(), which the constructor reserves on its own thread and the first call on each other one.
class GNOMON_EXPORT Function {
 public:
  static constexpr std::size_t n_blocks = 3;
  /// One vector a block; null for a block that the function does not have, and for a direction that is zero there.
  using Blocks = std::array<const double*, n_blocks>;
  using Results = std::array<double*, n_blocks>;

  virtual ~Function() = default;
  Index outputs() const { return outputs_; }
  const std::array<Index, n_blocks>& block_sizes() const { return sizes_; }
  /// Derivative of f by a block: outputs x block size.
  const SparsityPattern& pattern(std::size_t block = 0) const { return patterns_[block]; }
  /// sum_i mu_i Hess f_i, by block 0.
  const SparsityPattern& hessian_pattern() const { return hessian_pattern_; }

  virtual void value(double t, const Blocks& x, double* out) const = 0;
  /// f at x + tail, evaluated at long double.
  virtual void extended(double t, const Blocks& x, const Blocks& tail, long double* out) const = 0;
  /// The same, rounded.
  virtual void compensated(double t, const Blocks& x, const Blocks& tail, double* out) const = 0;

  virtual void jacobian(std::size_t block, double t, const Blocks& x, double* values) const = 0;
  /// That of block 0 at x + tail, evaluated at long double; of a function without patterns and of one output, its
  /// gradient by all blocks. False: not offered.
  virtual bool extended_jacobian(double t, const Blocks& x, const Blocks& tail, long double* values) const {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(tail), static_cast<void>(values);
    return false;
  }
  /// row i = v^T Hess f_i
  virtual void jacobian_derivative(double t, const Blocks& x, const double* v, double* values) const = 0;
  /// row i = d(v^T (Hess f_i) w)/dx
  virtual void third(double t, const Blocks& x, const double* v, const double* w, double* values) const = 0;
  /// d/dt of the Jacobian
  virtual void rate_jacobian(double t, const Blocks& x, double* values) const = 0;
  /// first and second derivative of f(t + s, x + s v) by s; either may be null
  virtual void along(double t, const Blocks& x, const double* v, double* first, double* second) const = 0;

  /// Adds entry k of sum_i mu_i Hess f_i on hessian_pattern(), and of its d/dt, to values[places[k]].
  virtual void add_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values) const = 0;
  virtual void add_rate_hessian(double t, const Blocks& x, const double* mu, const Index* places,
                                double* values) const = 0;
  /// The same of its derivative along v.
  virtual void add_hessian_derivative(double t, const Blocks& x, const double* mu, const double* v, const Index* places,
                                      double* values) const = 0;

  /// Of output 0, by every block: grad f_0; and grad (w^T (Hess f_0) u), the direction of third derivatives.
  virtual void gradient(double t, const Blocks& x, const Results& out) const = 0;
  virtual void third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u, const Results& out) const = 0;
  /// sum_i mu_i (Hess f_i) w, by every block
  virtual void product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const = 0;

 protected:
  Index outputs_ = 0;
  std::array<Index, n_blocks> sizes_{};
  std::array<SparsityPattern, n_blocks> patterns_;
  SparsityPattern hessian_pattern_;
};

}  // namespace gnomon
