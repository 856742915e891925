#include "measures/order/convergence.hpp"

#include <algorithm>
#include <boost/math/statistics/linear_regression.hpp>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

namespace {

/// Rounding noise of an accumulated state, relative.
constexpr double rounding = 1e-14;

}  // namespace

Comparison best_comparison(const Registry& registry, const ProblemInstance& instance, double t) {
  if (instance.exact) {
    Phase z{Vector(instance.q0.size()), Vector(instance.p0.size())};
    instance.exact(t, z.q, z.p);
    return {"exact", z, 10 * rounding};
  }
  std::vector<std::string> names = registry.references();
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return (a == "ida-ggl") > (b == "ida-ggl");  // it does not drift off the constraints: the most accurate on tops
  });
  for (const auto& name : names) {
    try {
      const Phase fine = reference_state(registry, instance, name, 1e-12, t);
      const Phase coarse = reference_state(registry, instance, name, 1e-11, t);
      const double change = std::max(relative_error(coarse.q, fine.q), relative_error(coarse.p, fine.p));
      return {name, fine, std::max(change, rounding)};
    } catch (const Error&) {
      continue;  // does not fit this problem
    } catch (const RunFailed&) {
      continue;  // does not get there
    }
  }
  throw Error(ErrorCode::refused, "no reference solves this problem, so its order cannot be measured");
}

double log_slope(const std::vector<double>& steps, const std::vector<double>& errors) {
  const std::size_t count = std::min(steps.size(), errors.size());
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x, y;
  for (std::size_t i = 0; i < count; ++i) {
    x.push_back(std::log(steps[i]));
    y.push_back(std::log(errors[i]));
  }
  return boost::math::statistics::simple_ordinary_least_squares(x, y).second;
}

Convergence refine(const Registry& registry, const ProblemInstance& instance, const Method& method,
                   const Comparison& comparison, double length, long max_steps, double growth) {
  Convergence result;
  std::vector<double> q_steps, q_errors, p_steps, p_errors;
  const double plateau = 10 * comparison.accuracy;
  for (long count = 8; count <= max_steps; count = std::lround(growth * static_cast<double>(count))) {
    const double h = length / static_cast<double>(count);
    Phase z;
    try {
      z = state_after(registry, instance, method, count, h);
    } catch (const RunFailed&) {
      if (growth * static_cast<double>(count) > static_cast<double>(max_steps)) throw;
      continue;
    }
    const double eq = relative_error(z.q, comparison.z.q), ep = relative_error(z.p, comparison.z.p);
    if (eq < plateau && ep < plateau) break;
    result.steps.push_back(h);
    result.position_errors.push_back(eq);
    result.momentum_errors.push_back(ep);
    if (eq > 0.1 || ep > 0.1) continue;
    if (eq >= plateau) {
      q_steps.push_back(h);
      q_errors.push_back(eq);
    }
    if (ep >= plateau) {
      p_steps.push_back(h);
      p_errors.push_back(ep);
    }
  }
  const auto finest_slope = [&result](const std::vector<double>& steps, const std::vector<double>& errors) {
    const std::size_t used = std::min<std::size_t>(3, steps.size());
    result.points = std::min(result.points, static_cast<int>(used));
    if (used < 3) return std::numeric_limits<double>::quiet_NaN();
    const auto first = static_cast<std::ptrdiff_t>(steps.size() - used);
    const auto between = [&](std::ptrdiff_t i) {
      return log_slope({steps.begin() + i, steps.begin() + i + 2}, {errors.begin() + i, errors.begin() + i + 2});
    };
    result.bend = std::max(result.bend, std::abs(between(first) - between(first + 1)));
    return log_slope({steps.begin() + first, steps.end()}, {errors.begin() + first, errors.end()});
  };
  result.points = 3;
  result.position_order = finest_slope(q_steps, q_errors);
  result.momentum_order = finest_slope(p_steps, p_errors);
  return result;
}

}  // namespace gnomon::validation
