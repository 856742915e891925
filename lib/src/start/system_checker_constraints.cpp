#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "start/short_time.hpp"
#include "start/system_checker.hpp"

namespace gnomon {

/// dU/dt, dG/dt and the Hessians of dg/dt against differences in time of U, G and of the Hessian of lambda.g.
void SystemChecker::rates() {
  const TimeDependence& part = *s_.parts().time_dependence;
  Disagreement energy, first, second;
  for (const Point& z : points_) {
    Vector pull(n_);
    s_.mass().solve(gradient(z, z.q), pull);
    const double s = short_time(z.q, z.v, pull);
    const auto slope = [s](const auto& f) { return Vector((8 * (f(s) - f(-s)) - (f(2 * s) - f(-2 * s))) / (12 * s)); };
    const auto u = [&](double after) -> Vector { return Vector::Constant(1, s_.potential(z.t + after, z.q)); };
    energy.compare(part.potential_rate(z.t, z.q), slope(u)[0]);
    energy.scale_with(std::abs(u(0)[0]));
    Vector values(s_.constraint_pattern().nonzeros()), hessian(s_.hessian_pattern().nonzeros());
    part.constraint_rate_jacobian(z.t, z.q, values);
    first.compare(values, slope([&](double after) { return jacobian_values(z.t + after, z.q); }));
    first.scale_with(jacobian_values(z.t, z.q).lpNorm<Eigen::Infinity>());
    part.constraint_rate_hessian(z.t, z.q, z.lambda, hessian);
    const auto of_constraints = [&](double after) {
      Vector whole(hessian.size()), potential(hessian.size());
      s_.lagrangian_hessian(z.t + after, z.q, z.lambda, whole);
      s_.lagrangian_hessian(z.t + after, z.q, Vector::Zero(m_), potential);
      return Vector(whole - potential);
    };
    second.compare(hessian, slope(of_constraints));
    second.scale_with(of_constraints(0).lpNorm<Eigen::Infinity>());
  }
  report("rate-potential", energy, thresholds::first_difference, "dU/dt against differences of U in time");
  report("rate-jacobian", first, thresholds::first_difference, "dG/dt against differences of G in time");
  report("rate-hessian", second, thresholds::first_difference, "Hess dg/dt against differences in time of Hess g");
}

void SystemChecker::constraint_first() {
  Disagreement inside, outside;
  for (const Point& z : points_) {
    const Matrix dense = to_dense(s_.constraint_pattern(), jacobian_values(z.t, z.q));
    const auto f = [&](const Vector& q) { return g(z.t, q); };
    for (Index j = 0; j < n_; ++j) {
      const Vector numeric = difference(f, z.q, unit(j));
      inside.compare(dense.col(j), numeric);
      outside.scale_with(dense.lpNorm<Eigen::Infinity>());
      for (Index i = 0; i < m_; ++i)
        if (s_.constraint_pattern().find(i, j) < 0) outside.compare(0, numeric[i]);
    }
  }
  report("constraint-jacobian", inside, thresholds::first_difference, "G against differences of g");
  report("constraint-pattern", outside, thresholds::first_difference, "entries of G outside its pattern");
}

void SystemChecker::constraint_second() {
  Disagreement force, mutual, rows;
  for (const Point& z : points_) {
    const auto pull = [&](const Vector& q) {
      Vector out(n_);
      multiply_transposed(s_.constraint_pattern(), jacobian_values(z.t, q), z.lambda, out);
      return out;
    };
    Vector hw(n_), values(s_.constraint_pattern().nonzeros()), row_times_w(m_);
    s_.constraint_hessian_times(z.t, z.q, z.lambda, z.w, hw);
    force.compare(hw, difference(pull, z.q, z.w));
    force.scale_with(pull(z.q).lpNorm<Eigen::Infinity>());
    s_.constraint_jacobian_derivative(z.t, z.q, z.v, values);
    multiply(s_.constraint_pattern(), values, z.w, row_times_w);
    rows.compare(row_times_w, difference([&](const Vector& q) { return jacobian_times(z.t, q, z.v); }, z.q, z.w));
    rows.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>());
    mutual.compare(hw.dot(z.v), z.lambda.dot(row_times_w));
    mutual.scale_with(hw.norm() * z.v.norm());
  }
  report("constraint-hessian", force, thresholds::first_difference, "d(G^T lambda)/dq w against differences");
  report("constraint-curvature", rows, thresholds::first_difference, "d(G v)/dq w against differences");
  report("constraint-mutual", mutual, thresholds::same_formula, "lambda.(d(G v)/dq w) against v.(d(G^T lambda)/dq w)");
}

void SystemChecker::constraint_third() {
  Disagreement third;
  for (const Point& z : points_) {
    const auto curvature = [&](const Vector& q) {
      Vector values(s_.constraint_pattern().nonzeros()), out(m_);
      s_.constraint_jacobian_derivative(z.t, q, z.v, values);
      multiply(s_.constraint_pattern(), values, z.w, out);
      return out;
    };
    Vector values(s_.constraint_pattern().nonzeros());
    s_.constraint_third(z.t, z.q, z.v, z.w, values);
    const Matrix dense = to_dense(s_.constraint_pattern(), values);
    for (Index j = 0; j < n_; ++j) third.compare(dense.col(j), difference(curvature, z.q, unit(j)));
    third.scale_with(curvature(z.q).lpNorm<Eigen::Infinity>());
  }
  report("constraint-third", third, thresholds::first_difference, "d(v.(Hess g) w)/dq against differences");
}

void SystemChecker::along_the_motion() {
  Disagreement velocity, bias;
  for (const Point& z : points_) {
    Vector formula(m_);
    s_.constraint_velocity(z.t, z.q, z.v, formula);
    const double e = step_;
    velocity.compare(formula, (g(z.t + e, z.q + e * z.v) - g(z.t - e, z.q - e * z.v)) / (2 * e));
    velocity.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>());
    s_.constraint_bias(z.t, z.q, z.v, formula);
    const double d = thresholds::wide_spacing;
    // Fourth order: (-f(2d) + 16 f(d) - 30 f(0) + 16 f(-d) - f(-2d)) / (12 d^2)
    const auto f = [&](double s) { return g(z.t + s, z.q + s * z.v); };
    bias.compare(formula, (-f(2 * d) + 16 * f(d) - 30 * f(0) + 16 * f(-d) - f(-2 * d)) / (12 * d * d));
    bias.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>());
  }
  report("constraint-velocity", velocity, thresholds::first_difference,
         "G v + g_t against differences along the motion");
  report("constraint-bias", bias, thresholds::second_difference,
         "second derivative of g along the motion, against differences");
}

}  // namespace gnomon
