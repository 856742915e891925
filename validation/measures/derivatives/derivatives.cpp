/// A problem's functions against differences of each other and against what its traits declare.
#include "gnomon/start/verify.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

Quantities measure_derivatives(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Quantities out;
  for (const ModelCheck& check : verify_functions(*instance.model, instance.t0, instance.q0, instance.p0))
    out.push_back({check.name, check.value, check.note,
                   check.tolerance ? std::optional(Gate::at_most(*check.tolerance)) : std::nullopt});
  return out;
}

}  // namespace gnomon::validation
