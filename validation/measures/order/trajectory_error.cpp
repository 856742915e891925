/// Errors along the whole trajectory, of the multipliers too: largest max-norm error over all steps, for every step
/// size of a list, and the slopes. references = ["own"] compares with the method's own solution at a sixteenth of the
/// step.
#include <algorithm>
#include <memory>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

namespace {

struct Errors {
  double q = 0, p = 0, lambda_end = 0, lambda_middle = 0;
};

double max_distance(const Vector& a, const Vector& b) {
  return a.size() ? (a - b).lpNorm<Eigen::Infinity>() : 0;
}

ReferenceReport reached(const ProblemInstance& instance, ReferenceSolution& solution, double t,
                        const std::string& name) {
  ReferenceReport report = solution.advance_to(t);
  if (!report.success) throw RunFailed(report.t, name + ": " + report.message);
  report.p = phase_of(report, instance).p;
  return report;
}

/// What the state at t is compared with: a reference, or the method itself with steps sixteen times smaller, for orders
/// whose errors are smaller than those of every reference.
class Solution {
 public:
  Solution(const Registry& registry, const Case& c, const ProblemInstance& instance, std::string reference, double h)
      : instance_(&instance), name_(std::move(reference)), fine_(h / 16) {
    if (name_ == own_solution) {
      integrator_ = std::make_unique<Integrator>(started(registry, instance, c.method));
      return;
    }
    solution_ = start_reference(registry, instance, c, name_, 0);
  }
  /// t: the next half step.
  ReferenceReport at(double t) {
    if (solution_) return reached(*instance_, *solution_, t, name_);
    advance(*integrator_, 8, fine_);
    ReferenceReport report;
    const Phase z = phase_of(*integrator_);
    report.q = z.q;
    report.p = z.p;
    report.lambda = integrator_->state().lambda;
    return report;
  }

 private:
  const ProblemInstance* instance_;
  std::string name_;
  double fine_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<ReferenceSolution> solution_;
};

Errors largest_errors(const Registry& registry, const Case& c, const ProblemInstance& instance,
                      const std::string& reference, double h) {
  Solution solution(registry, c, instance, reference, h);
  Integrator integrator = started(registry, instance, c.method);
  const long steps = whole_steps(c.until - instance.t0, h);
  Errors errors;
  for (long i = 1; i <= steps; ++i) {
    advance(integrator, 1, h);
    const Phase z = phase_of(integrator);
    const Vector& lambda = integrator.state().lambda;
    const double t = instance.t0 + static_cast<double>(i) * h;
    errors.lambda_middle = std::max(errors.lambda_middle, max_distance(lambda, solution.at(t - 0.5 * h).lambda));
    const ReferenceReport expected = solution.at(t);
    errors.q = std::max(errors.q, max_distance(z.q, expected.q));
    errors.p = std::max(errors.p, max_distance(z.p, expected.p));
    errors.lambda_end = std::max(errors.lambda_end, max_distance(lambda, expected.lambda));
  }
  return errors;
}

}  // namespace

Quantities measure_trajectory_error(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const std::string reference = c.references.empty() ? "exact" : c.references.front();
  std::vector<double> q, p, end, middle;
  for (const double h : c.step) {
    const Errors errors = largest_errors(registry, c, instance, reference, h);
    q.push_back(errors.q);
    p.push_back(errors.p);
    end.push_back(errors.lambda_end);
    middle.push_back(errors.lambda_middle);
  }
  Quantities out;
  const auto add = [&](const std::string& name, const std::vector<double>& errors, const std::string& note) {
    for (std::size_t i = 0; i < errors.size(); ++i)
      out.push_back({name + "-" + std::to_string(i + 1), errors[i],
                     "largest over the steps of h = " + short_number(c.step[i]) + note});
    if (errors.size() > 1) out.push_back({"order-" + name, log_slope(c.step, errors), "against " + reference + note});
  };
  add("q", q, "");
  add("p", p, "");
  if (instance.model->m() > 0) {
    add("lambda", end, ", at the end of the step");
    add("lambda-middle", middle, ", at the middle of the step");
  }
  return out;
}

}  // namespace gnomon::validation
