#include "kernels/runge_kutta/symmetric_projection.hpp"

namespace gnomon::kernels {

template class SymmetricProjection<ConstantRkInertia>;
template class SymmetricProjection<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
