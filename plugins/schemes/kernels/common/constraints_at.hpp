#pragma once
/// \file
/// G at one point of a residual, evaluated once for all products with it.

#include <type_traits>

#include "gnomon/model/system_at.hpp"

namespace gnomon::kernels {

/// The System and the point of the last set() outlive its use. At duals every product evaluates G anew.
template <class S>
class ConstraintsAt {
 public:
  void allocate(const System& system) {
    pattern_ = &system.constraint_pattern();
    if (!dual) values_.setConstant(pattern_->nonzeros(), S(0.0));
  }
  void set(SystemAt& at, double t, const VectorOf<S>& q) {
    if constexpr (dual) {
      at_ = &at;
      t_ = t;
      q_ = &q;
    } else {
      at.constraint_jacobian(t, q, values_);
    }
  }
  /// out = G^T lambda
  void force(const VectorOf<S>& lambda, VectorOf<S>& out) const {
    if constexpr (dual)
      at_->constraint_force(t_, *q_, lambda, out);
    else
      multiply_transposed(*pattern_, values_, lambda, out);
  }
  /// out = G v
  void times(const VectorOf<S>& v, VectorOf<S>& out) const {
    if constexpr (dual)
      at_->constraint_jacobian_times(t_, *q_, v, out);
    else
      multiply(*pattern_, values_, v, out);
  }

 private:
  static constexpr bool dual = std::is_same_v<S, Dual1>;

  const SparsityPattern* pattern_ = nullptr;
  VectorOf<S> values_;
  SystemAt* at_ = nullptr;
  double t_ = 0;
  const VectorOf<S>* q_ = nullptr;
};

}  // namespace gnomon::kernels
