#pragma once
/// \file
/// A state as users see it: three blocks by the model's names, q p lambda or y z psi.

#include <array>
#include <string>

#include "gnomon/run/integrator.hpp"

namespace gnomon::program {

struct StateBlocks {
  std::array<std::string, 3> names;
  std::array<const Vector*, 3> values;  ///< in the state
};

inline StateBlocks state_blocks(const Integrator& integrator, const State& z) {
  if (const OverdeterminedSystem* system = integrator.overdetermined())
    return {system->traits().state_names, {&z.q.value(), &z.scheme_data, &z.lambda}};
  return {integrator.system().traits().state_names, {&z.q.value(), &z.p.value(), &z.lambda}};
}
inline StateBlocks state_blocks(const Integrator& integrator) {
  return state_blocks(integrator, integrator.state());
}

}  // namespace gnomon::program
