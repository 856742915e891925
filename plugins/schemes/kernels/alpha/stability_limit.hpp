#pragma once
/// \file
/// The stability limit h < 2/[lambda (1 - 4 alpha)]^(1/2) of the alpha-schemes for alpha < 1/4, lambda the largest
/// eigenvalue of M^-1 A: Glowinski, Holmstroem, (23).

namespace gnomon::kernels {

/// (23); infinity where there is none.
double stability_limit(double alpha, double largest);

}  // namespace gnomon::kernels
