#pragma once
/// \file
/// The penalty function R(g) = sum_i r(g_i), r convex, at least quadratic, r(0) = 0 (Leyendecker, Betsch, Steinmann
/// (2004), eqs. (8), (13)), and its discrete derivatives:
///
///     r(y) = y^2 + a y^4, a >= 0    the quotients are polynomials: nothing is divided, and nothing cancels for a = 0
///     r of the model               the quotient, or its series where the two arguments are close; at Extended to first
///                                   order from the rounded arguments

#include "kernels/discrete_gradient/difference_quotient.hpp"

namespace gnomon::kernels {

class PenaltyFunction {
 public:
  static PenaltyFunction polynomial(double quartic = 0) { return {nullptr, quartic}; }
  static PenaltyFunction of_model(const ModelPenalty& model) { return {&model, 0}; }

  long double value(long double y) const;
  /// Real: double or Extended
  template <class Real>
  Real first(Real y) const {
    if (model_ == nullptr) return 2 * y * (1 + 2 * quartic_ * y * y);
    const double rounded = static_cast<double>(y);
    const auto r = model_->penalty_function(rounded);
    return r[1] + r[2] * (y - rounded);
  }
  double second(double y) const;
  /// [r(a + d) - r(a)]/d and its derivative by d.
  template <class Real>
  QuotientOf<Real> quotient(double a, Real d) const {
    if (model_ != nullptr) {
      const double rounded = static_cast<double>(d);
      const Quotient q = difference_quotient([this](double y) { return model_->penalty_function(y); }, a, a + rounded);
      return {q.value + q.derivative * (d - rounded), q.derivative};
    }
    const Real middle = a + 0.5 * d;
    return {2 * middle * (1 + quartic_ * (2 * middle * middle + 0.5 * d * d)),
            1 + quartic_ * (6 * middle * middle + 2 * middle * d + 0.5 * d * d)};
  }
  /// [r(a + d) - r(a)]/d - r'(y), y = a + d/2 - e.
  template <class Real>
  Real excess(double a, Real d, Real e) const {
    const Real middle = a + 0.5 * d, y = middle - e;
    if (model_ != nullptr) return quotient(a, d).value - first(y);
    return 2 * e + quartic_ * (middle * d * d + 4 * e * (middle * middle + middle * y + y * y));
  }

 private:
  PenaltyFunction(const ModelPenalty* model, double quartic) : model_(model), quartic_(quartic) {}

  const ModelPenalty* model_;
  double quartic_;
};

}  // namespace gnomon::kernels
