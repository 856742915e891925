#include "kernels/runge_kutta/rk_stages.hpp"

namespace gnomon::kernels {

template class RkStageRows<ConstantRkInertia>;
template class RkStageRows<ConfigurationRkInertia>;
template class RkStages<ConstantRkInertia>;
template class RkStages<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
