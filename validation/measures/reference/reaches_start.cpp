/// Starts that a problem holds as digits: the references must reach them from the start that they were computed from.
#include <algorithm>

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// Largest |d lambda / dt| of the index-1 multipliers along the motion through the start, by a central difference.
double multiplier_rate(const ProblemInstance& start) {
  constexpr double step = 1e-4;
  const System& system = mechanical(start);
  Vector v(system.n()), a, before, after;
  system.mass().solve(start.p0, v);
  acceleration(system, start.t0, start.q0, v, a, before);
  const Vector here = a;
  const auto at = [&](double h, Vector& lambda) {
    const Vector q = start.q0 + h * v + h * h / 2 * here, w = v + h * here;
    acceleration(system, start.t0 + h, q, w, a, lambda);
  };
  at(-step, before);
  at(step, after);
  return (after - before).lpNorm<Eigen::Infinity>() / (2 * step);
}

}  // namespace

Quantities measure_reaches_start(const Registry& registry, const Case& c) {
  if (c.tolerances.size() != 1) throw Error(ErrorCode::bad_value, "tolerances must be one number");
  const ProblemInstance from = build(registry, c), start = registry.build(c.problem, c.start);
  Quantities out;
  for (const auto& name : c.references) {
    const Phase reached = reference_state(registry, from, c, name, c.tolerances.front(), c.until);
    out.push_back({name, std::max(relative_error(reached.q, start.q0), relative_error(reached.p, start.p0)),
                   "state it reaches against the tabulated start"});
  }
  out.push_back({"lambda-rate", multiplier_rate(start), "max |lambda'| of the index-1 multipliers there"});
  return out;
}

}  // namespace gnomon::validation
