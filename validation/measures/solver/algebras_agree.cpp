/// Every registered linear algebra solves the Newton systems of a step as the dense one does.
#include <algorithm>
#include <limits>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/singular_values.hpp"
#include "measures/solver/step_equations.hpp"

namespace gnomon::validation {

namespace {

/// |d - d_dense| / |d_dense| that rounding explains: so many units in the last place for every unit of condition.
constexpr double units = 500;

struct Found {
  double error = 0;
  std::string refusal, summary;
};

void compare(const AlgebraFactory& factory, ScaledEquations& equations, const Vector& values, const Vector& right,
             const Vector& expected, double condition, Found& found) {
  const auto algebra = factory.create(Options("algebra " + factory.name(), factory.options()));
  try {
    algebra->attach(equations.pattern(), equations.equations().blocks());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    found.refusal = error.what();
    return;
  }
  // Twice, since the second factorisation may reuse what the first one found.
  for (const Setup setup : {Setup::first, Setup::again}) {
    Vector d = right;
    if (!algebra->factor(values, setup) || !algebra->solve(d)) {
      found.error = std::numeric_limits<double>::quiet_NaN();
      found.summary = algebra->message();
      return;
    }
    const double size = std::max(expected.lpNorm<Eigen::Infinity>(), 1e-300);
    found.error = std::max(found.error, (d - expected).lpNorm<Eigen::Infinity>() / (size * condition * 2.2e-16));
  }
  found.summary = algebra->summary();
}

}  // namespace

Quantities measure_algebras_agree(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Integrator integrator = started(registry, instance, c.method);
  advance(integrator, 3, c.step.front());
  std::map<std::string, Found> found;
  double worst_condition = 1;
  Uniform uniform(5);
  visit_step_equations(integrator, registry.solver(c.method.solver), c.step.front(),
                       [&](Index, ScaledEquations& equations, const Vector& predictor) {
                         Vector values(equations.pattern().nonzeros()), right(equations.size());
                         if (equations.jacobian(predictor, values) != EvaluationStatus::ok)
                           throw RunFailed(integrator.state().t, equations.message());
                         uniform.fill(right);
                         const SingularValues svd(to_dense(equations.pattern(), values),
                                                  Eigen::ComputeThinU | Eigen::ComputeThinV);
                         const Vector& s = svd.singularValues();
                         const double condition = s[0] / s[s.size() - 1];
                         worst_condition = std::max(worst_condition, condition);
                         const Vector expected = svd.solve(right);
                         for (const auto& name : registry.algebras())
                           compare(registry.algebra(name), equations, values, right, expected, condition, found[name]);
                       });
  Quantities out{{"condition", worst_condition, "of the scaled Jacobian"}};
  for (const auto& [name, result] : found) {
    if (!result.refusal.empty())
      out.push_back({name + "-refused", 1, result.refusal});
    else
      out.push_back({name, result.error, "|d - d_svd| / (|d_svd| cond eps); " + result.summary, Gate::at_most(units)});
  }
  return out;
}

}  // namespace gnomon::validation
