/// A scheme, extrapolated, against independent references; and the references against themselves and each other.
#include <algorithm>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

double difference(const Phase& a, const Phase& b) {
  return relative_error(a.q, b.q);
}

/// Two levels of Richardson extrapolation in h^2, from h, h/2 and h/4: for symmetric schemes of order 2.
Phase extrapolated(const Registry& registry, const ProblemInstance& instance, const Method& method, double length,
                   double h, double& last_correction) {
  std::vector<Phase> z;
  for (const int divisor : {1, 2, 4})
    z.push_back(state_after(registry, instance, method, divisor * whole_steps(length, h), h / divisor));
  const auto combine = [](const Phase& fine, const Phase& coarse, double factor) {
    return Phase{fine.q + (fine.q - coarse.q) / (factor - 1), fine.p + (fine.p - coarse.p) / (factor - 1)};
  };
  const Phase first = combine(z[1], z[0], 4), second = combine(z[2], z[1], 4);
  const Phase result = combine(second, first, 16);
  last_correction = difference(result, second);
  return result;
}

}  // namespace

Quantities measure_reference_agreement(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  if (c.tolerances.size() != 2)
    throw Error(ErrorCode::bad_value, "tolerances must be two numbers: the one used, and a second to compare with");
  Quantities out;
  double correction = 0;
  const Phase ours = extrapolated(registry, instance, c.method, c.until - instance.t0, c.step.front(), correction);
  out.push_back({"extrapolation", correction, {}, "last correction of the extrapolated " + c.method.scheme});

  struct Named {
    std::string name;
    Phase z;
  };
  std::vector<Named> others;
  for (const auto& name : c.references) {
    const Phase tight = reference_state(registry, instance, c, name, c.tolerances[0], c.until);
    if (name != "exact") {
      const Phase loose = reference_state(registry, instance, c, name, c.tolerances[1], c.until);
      out.push_back({name + "-self", difference(loose, tight), {}, "two tolerances of " + name});
    }
    others.push_back({name, tight});
  }
  if (!c.table.empty()) others.push_back({"table", table_state(c, instance)});

  for (std::size_t i = 0; i < others.size(); ++i) {
    out.push_back(
        {others[i].name, difference(ours, others[i].z), {}, "extrapolated " + c.method.scheme + " against it"});
    for (std::size_t j = 0; j < i; ++j)
      out.push_back(
          {others[j].name + "-" + others[i].name, difference(others[j].z, others[i].z), {}, "one against the other"});
  }
  return out;
}

}  // namespace gnomon::validation
