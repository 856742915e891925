#include "kernels/alpha/stability_limit.hpp"

#include <cmath>
#include <limits>

namespace gnomon::kernels {

double stability_limit(double alpha, double largest) {
  return alpha < 0.25 && largest > 0 ? 2 / std::sqrt(largest * (1 - 4 * alpha))
                                     : std::numeric_limits<double>::infinity();
}

}  // namespace gnomon::kernels
