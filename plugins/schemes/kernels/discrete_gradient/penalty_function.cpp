#include "kernels/discrete_gradient/penalty_function.hpp"

namespace gnomon::kernels {

long double PenaltyFunction::value(long double y) const {
  if (model_ != nullptr) return model_->penalty_function(static_cast<double>(y))[0];
  return y * y * (1 + quartic_ * y * y);
}

double PenaltyFunction::second(double y) const {
  if (model_ != nullptr) return model_->penalty_function(y)[2];
  return 2 + 12 * quartic_ * y * y;
}

}  // namespace gnomon::kernels
