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
  const Model& model = integrator.model();
  return {model.traits().state_names, {&z.q.value(), &model.second_half(z.view()), &z.lambda}};
}
inline StateBlocks state_blocks(const Integrator& integrator) {
  return state_blocks(integrator, integrator.state());
}

}  // namespace gnomon::program
