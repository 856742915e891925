#include "kernels/runge_kutta/frozen_projection.hpp"
#include "kernels/runge_kutta/manifold_projection.hpp"

namespace gnomon::kernels {

template class ManifoldProjection<ConstantRkInertia>;
template class ManifoldProjection<ConfigurationRkInertia>;
template class FrozenProjection<ConstantRkInertia>;
template class FrozenProjection<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
