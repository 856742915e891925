#include "projected_rk/projected_rk_error.hpp"

namespace gnomon::kernels {

template class ProjectedRkError<ConstantRkInertia>;
template class ProjectedRkError<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
