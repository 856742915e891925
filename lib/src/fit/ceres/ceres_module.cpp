/// \file
/// The module that knows Ceres Solver: Levenberg-Marquardt with a QR factorisation of the dense Jacobian.

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>

#include "gnomon/fit/least_squares.hpp"

namespace gnomon {

namespace {

/// A part of the cost and of the unknowns: a change that ends the search. Where exact data are fitted the last step is
/// quadratic, and what noise leaves of the cost is far above it.
constexpr double smallest_change_of_cost = 0x1p-50, smallest_change_of_unknowns = 0x1p-44;
/// A bound of the gradient, in units of the cost: the search does not end by it.
constexpr double smallest_gradient = 0x1p-400;
/// Steps to unknowns without a value, one after another, before the search is given up.
constexpr int most_rejected_steps = 30;

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Cost final : public ceres::CostFunction {
 public:
  explicit Cost(const LeastSquaresProblem& problem) : problem_(problem) {
    set_num_residuals(static_cast<int>(problem.residuals));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(problem.start.size()));
  }
  bool Evaluate(double const* const* parameters, double* residuals, double** jacobians) const override {
    const Index n = problem_.start.size();
    const bool wanted = jacobians && jacobians[0];
    Vector r(problem_.residuals);
    Matrix jacobian;
    const Vector x = Eigen::Map<const Vector>(parameters[0], n);
    if (!problem_.evaluate(x, r, wanted ? &jacobian : nullptr) || !r.allFinite()) return false;
    Eigen::Map<Vector>(residuals, problem_.residuals) = r;
    if (!wanted) return true;
    if (!jacobian.allFinite()) return false;
    if (n == 1)  // a matrix of one column has no order
      Eigen::Map<Vector>(jacobians[0], problem_.residuals) = jacobian.col(0);
    else
      Eigen::Map<Rows>(jacobians[0], problem_.residuals, n) = jacobian;
    return true;
  }

 private:
  const LeastSquaresProblem& problem_;
};

class Stop final : public ceres::IterationCallback {
 public:
  explicit Stop(const LeastSquaresProblem& problem) : problem_(problem) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary&) override {
    return problem_.stop && problem_.stop() ? ceres::SOLVER_ABORT : ceres::SOLVER_CONTINUE;
  }

 private:
  const LeastSquaresProblem& problem_;
};

class CeresLeastSquares final : public LeastSquares {
 public:
  LeastSquaresSolution minimise(const LeastSquaresProblem& of) const override {
    LeastSquaresSolution solution;
    solution.x = of.start;
    ceres::Problem problem;
    double* const x = solution.x.data();
    problem.AddResidualBlock(new Cost(of), nullptr, x);
    for (int i = 0; i < static_cast<int>(of.start.size()); ++i) {
      if (std::isfinite(of.lower[i])) problem.SetParameterLowerBound(x, i, of.lower[i]);
      if (std::isfinite(of.upper[i])) problem.SetParameterUpperBound(x, i, of.upper[i]);
    }
    Stop stop(of);
    ceres::Solver::Options options;
    options.minimizer_type = ceres::TRUST_REGION;
    options.trust_region_strategy_type = ceres::LEVENBERG_MARQUARDT;
    options.linear_solver_type = ceres::DENSE_QR;
    options.line_search_interpolation_type = ceres::QUADRATIC;  // steps to bounds are tried without derivatives
    options.logging_type = ceres::SILENT;
    options.num_threads = 1;
    options.max_num_iterations = of.most_iterations;
    options.max_num_consecutive_invalid_steps = most_rejected_steps;
    options.function_tolerance = std::max(smallest_change_of_cost, of.precision * of.precision);
    options.parameter_tolerance = std::max(smallest_change_of_unknowns, of.precision);
    options.gradient_tolerance = smallest_gradient;
    options.callbacks.push_back(&stop);
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    solution.converged = summary.termination_type == ceres::CONVERGENCE;
    solution.iterations = summary.num_successful_steps + summary.num_unsuccessful_steps;
    solution.message = summary.message;
    return solution;
  }
};

}  // namespace

}  // namespace gnomon

extern "C" __attribute__((visibility("default"))) const gnomon::LeastSquares* gnomon_ceres() {
  static const gnomon::CeresLeastSquares least_squares;
  return &least_squares;
}
