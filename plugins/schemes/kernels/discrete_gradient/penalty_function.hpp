#pragma once
/// \file
/// The penalty function R(g) = sum_i r(g_i), r convex, at least quadratic, r(0) = 0 (Leyendecker, Betsch, Steinmann
/// (2004), eqs. (8), (13)), and its discrete derivatives:
///
///     r(y) = y^2 + a y^4, a >= 0    the quotients are polynomials: nothing is divided, and nothing cancels for a = 0
///     r of the model                the quotient, or its series where the two arguments are close

#include "kernels/discrete_gradient/difference_quotient.hpp"

namespace gnomon::kernels {

class PenaltyFunction {
 public:
  static PenaltyFunction polynomial(double quartic = 0) { return {nullptr, quartic}; }
  static PenaltyFunction of_model(const ModelPenalty& model) { return {&model, 0}; }

  long double value(long double y) const {
    if (model_ != nullptr) return model_->penalty_function(static_cast<double>(y))[0];
    return y * y * (1 + quartic_ * y * y);
  }
  double first(double y) const {
    if (model_ != nullptr) return model_->penalty_function(y)[1];
    return 2 * y * (1 + 2 * quartic_ * y * y);
  }
  double second(double y) const {
    if (model_ != nullptr) return model_->penalty_function(y)[2];
    return 2 + 12 * quartic_ * y * y;
  }
  /// [r(a + d) - r(a)]/d and its derivative by d.
  Quotient quotient(double a, double d) const {
    if (model_ != nullptr)
      return difference_quotient([this](double y) { return model_->penalty_function(y); }, a, a + d);
    const double middle = a + 0.5 * d;
    return {2 * middle * (1 + quartic_ * (2 * middle * middle + 0.5 * d * d)),
            1 + quartic_ * (6 * middle * middle + 2 * middle * d + 0.5 * d * d)};
  }
  /// [r(a + d) - r(a)]/d - r'(y), y = a + d/2 - e.
  double excess(double a, double d, double e) const {
    const double middle = a + 0.5 * d, y = middle - e;
    if (model_ != nullptr) return quotient(a, d).value - first(y);
    return 2 * e + quartic_ * (middle * d * d + 4 * e * (middle * middle + middle * y + y * y));
  }

 private:
  PenaltyFunction(const ModelPenalty* model, double quartic) : model_(model), quartic_(quartic) {}

  const ModelPenalty* model_;
  double quartic_;
};

}  // namespace gnomon::kernels
