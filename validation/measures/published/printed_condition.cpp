/// The condition number of a scheme's matrix as Leyendecker, Betsch, Steinmann (2004) print it: no scaling, unknowns q,
/// p (and lambda), rows q1 - q0 - h (...), p1 - p0 + h (...) (and g). The solvers never see this matrix.
#include <fmt/format.h>

#include <algorithm>

#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"
#include "measures/singular_values.hpp"
#include "measures/solver/step_equations.hpp"

namespace gnomon::validation {

namespace {

struct Condition {
  double number = 0;
  Index unknowns = 0;
};

Condition condition_at(const Registry& registry, const ProblemInstance& instance, const Method& method, double h) {
  Integrator integrator = started(registry, instance, method);
  const Mass& mass = mechanical(instance).mass();
  const Index n = mechanical(instance).n();
  Condition result;
  visit_step_equations(integrator, registry.solver(method.solver), h,
                       [&](Index, ScaledEquations& equations, const Vector& predictor) {
                         NonlinearEquations& unscaled = equations.equations();
                         Vector x(predictor.size()), values(unscaled.pattern().nonzeros()), column(n);
                         equations.to_unscaled(predictor, x);
                         unscaled.jacobian(x, values);
                         Matrix matrix = to_dense(unscaled.pattern(), values);
                         // Our first rows are M dq/h - p_m: times h M^-1 they are the paper's.
                         for (Index j = 0; j < matrix.cols(); ++j) {
                           mass.solve(matrix.col(j).head(n), column);
                           matrix.col(j).head(n) = h * column;
                         }
                         const SingularValues svd(matrix);
                         result.number = svd.singularValues()[0] / svd.singularValues()[matrix.cols() - 1];
                         result.unknowns = matrix.cols();
                       });
  return result;
}

bool takes_mu(const Scheme& scheme) {
  const OptionSpecs options = scheme.options();
  return std::any_of(options.begin(), options.end(), [](const OptionSpec& option) { return option.name == "mu"; });
}

}  // namespace

Quantities measure_printed_condition(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  std::vector<double> numbers;
  Index unknowns = 0;
  Method method = c.method;
  if (!c.mu.empty()) method.options.emplace_back("mu", fmt::format("{:.17g}", c.mu.front()));
  for (const double h : c.step) {
    const Condition found = condition_at(registry, instance, method, h);
    numbers.push_back(found.number);
    unknowns = found.unknowns;
  }
  Quantities out{{"unknowns", static_cast<double>(unknowns), ""},
                 {"condition", numbers.back(), fmt::format("at h = {:g}", c.step.back())}};
  if (c.other.scheme != Case().other.scheme) {  // its default scheme eliminates dp: not the paper's matrix
    Method other = c.other;
    if (!c.mu.empty() && takes_mu(registry.scheme(other.scheme)))
      other.options.emplace_back("mu", fmt::format("{:.17g}", c.mu.front()));
    const double beside = condition_at(registry, instance, other, c.step.back()).number;
    out.push_back({"condition-ratio", numbers.back() / beside, "to that of " + c.other.scheme});
  }
  if (c.step.size() > 1) out.push_back({"slope-h", log_slope(c.step, numbers), "of log condition against log h"});
  if (c.mu.size() > 1) {
    numbers.clear();
    for (const double mu : c.mu) {
      Method varied = c.method;
      varied.options.emplace_back("mu", fmt::format("{:.17g}", mu));
      numbers.push_back(condition_at(registry, instance, varied, c.step.back()).number);
    }
    out.push_back({"slope-mu", log_slope(c.mu, numbers), "of log condition against log mu"});
    out.push_back({"condition-over-mu", numbers.back() / c.mu.back(), fmt::format("at mu = {:g}", c.mu.back())});
  }
  return out;
}

}  // namespace gnomon::validation
