#include "rattle/rattle_equations.hpp"

namespace gnomon::kernels {

template class RattlePositions<ConstantRattleInertia>;
template class RattlePositions<ConfigurationRattleInertia>;
template class RattleMomenta<ConstantRattleInertia>;
template class RattleMomenta<ConfigurationRattleInertia>;

}  // namespace gnomon::kernels
