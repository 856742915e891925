#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <optional>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/uniform.hpp"
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
    const Index entries = s_.constraint_pattern().offsets[static_cast<std::size_t>(positions_)];
    first.compare(values.head(entries),
                  slope([&](double after) { return Vector(jacobian_values(z.t + after, z.q).head(entries)); }));
    first.scale_with(jacobian_values(z.t, z.q).lpNorm<Eigen::Infinity>());
    Vector lambda = z.lambda;
    lambda.tail(m_ - positions_).setZero();
    part.constraint_rate_hessian(z.t, z.q, lambda, hessian);
    const auto of_constraints = [&](double after) {
      Vector whole(hessian.size()), potential(hessian.size());
      s_.lagrangian_hessian(z.t + after, z.q, lambda, whole);
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
      inside.compare(dense.col(j).head(positions_), numeric.head(positions_));
      outside.scale_with(dense.lpNorm<Eigen::Infinity>());
      for (Index i = 0; i < positions_; ++i)
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
  Disagreement weighted;
  for (const Point& z : points_) {
    const Vector lambda = Vector::LinSpaced(m_, 1.3, 0.6);
    Vector hessian(s_.hessian_pattern().nonzeros()), values(s_.constraint_pattern().nonzeros()), column(n_);
    if (!s_.constraint_hessian_derivative(z.t, z.q, lambda, z.v, hessian)) return;
    const Matrix dense = to_dense(s_.hessian_pattern(), hessian);
    for (Index j = 0; j < n_; ++j) {
      s_.constraint_third(z.t, z.q, z.v, unit(j), values);
      multiply_transposed(s_.constraint_pattern(), values, lambda, column);
      weighted.compare(dense.col(j), column);
    }
  }
  report("constraint-hessian-derivative", weighted, thresholds::same_formula,
         "d(lambda.Hess g)/dq v against lambda.(d(v.(Hess g) w)/dq)");
}

void SystemChecker::along_the_motion() {
  Disagreement velocity, bias;
  for (const Point& z : points_) {
    Vector formula(m_);
    s_.constraint_velocity(z.t, z.q, z.v, formula);
    const double e = step_;
    const Vector slope = (g(z.t + e, z.q + e * z.v) - g(z.t - e, z.q - e * z.v)) / (2 * e);
    velocity.compare(formula.head(positions_), slope.head(positions_));
    velocity.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>());
    s_.constraint_bias(z.t, z.q, z.v, formula);
    const double d = thresholds::wide_spacing;
    // Fourth order: (-f(2d) + 16 f(d) - 30 f(0) + 16 f(-d) - f(-2d)) / (12 d^2)
    const auto f = [&](double s) { return g(z.t + s, z.q + s * z.v); };
    const Vector bend = (-f(2 * d) + 16 * f(d) - 30 * f(0) + 16 * f(-d) - f(-2 * d)) / (12 * d * d);
    bias.compare(formula.head(positions_), bend.head(positions_));
    bias.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>());
  }
  report("constraint-velocity", velocity, thresholds::first_difference,
         "G v + g_t against differences along the motion");
  report("constraint-bias", bias, thresholds::second_difference,
         "second derivative of g along the motion, against differences");
}

namespace {

/// x less what the rows of a matrix see of it.
class Allowed {
 public:
  explicit Allowed(const Matrix& rows) : rows_(rows), factors_(rows) {}
  Vector operator()(const Vector& x) const { return x - factors_.solve(rows_ * x); }

 private:
  Matrix rows_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> factors_;
};

/// An orthonormal basis of the c with c.column = 0 for all columns, whose numbers below `rounding` are zero.
Matrix left_null_space(const Matrix& columns, double rounding) {
  const Eigen::JacobiSVD<Matrix> svd(columns, Eigen::ComputeFullU);
  const Index rank = (svd.singularValues().array() > rounding).count();
  return svd.matrixU().rightCols(columns.rows() - rank);
}

}  // namespace

Vector SystemChecker::exterior(double t, const Vector& q, const Vector& x, const Vector& y) const {
  Vector values(s_.constraint_pattern().nonzeros()), one(m_), other(m_);
  s_.parts().velocity_constraints->constraint_turn(t, q, x, values);
  multiply(s_.constraint_pattern(), values, y, one);
  s_.parts().velocity_constraints->constraint_turn(t, q, y, values);
  multiply(s_.constraint_pattern(), values, x, other);
  return (one - other).tail(m_ - positions_);
}

Matrix SystemChecker::closed_combinations(double t, const Vector& q) const {
  const Index r = m_ - positions_;
  const Matrix rows = to_dense(s_.constraint_pattern(), jacobian_values(t, q));
  const Allowed allowed(rows);
  Uniform uniform(5);
  Matrix forms(r, r + 2);
  Vector x(n_), y(n_);
  for (auto form : forms.colwise()) {
    uniform.fill(x);
    uniform.fill(y);
    form = exterior(t, q, allowed(x), allowed(y));
  }
  return left_null_space(forms, thresholds::rank * rows.bottomRows(r).norm());
}

Index SystemChecker::integrable(const Point& z) const {
  const Index r = m_ - positions_;
  const Matrix c = closed_combinations(z.t, z.q);
  if (c.cols() == 0) return 0;
  const Matrix rows = to_dense(s_.constraint_pattern(), jacobian_values(z.t, z.q)), a = rows.bottomRows(r);
  Matrix kept(positions_ + c.cols(), n_);
  kept << rows.topRows(positions_), c.transpose() * a;
  // The nearest combinations at another position, of which the derivative of c is.
  const auto beside = [&](const Vector& q) -> Matrix {
    const Matrix there = closed_combinations(z.t, q);
    return there * (there.transpose() * c);
  };
  const auto slope = [&](const Vector& x) -> Matrix {
    return (beside(z.q + step_ * x) - beside(z.q - step_ * x)) / (2 * step_);
  };
  const Allowed allowed(kept);
  Uniform uniform(6);
  Matrix forms(c.cols(), c.cols() + 2);
  Vector x(n_), y(n_);
  for (auto form : forms.colwise()) {
    uniform.fill(x);
    uniform.fill(y);
    x = allowed(x);
    y = allowed(y);
    form = slope(x).transpose() * (a * y) - slope(y).transpose() * (a * x) + c.transpose() * exterior(z.t, z.q, x, y);
  }
  return left_null_space(forms, thresholds::second_difference * a.norm()).cols();
}

/// A v + b against its differences by v, by q and along the motion, and A along the motion.
void SystemChecker::velocity_constraints() {
  const VelocityConstraints& part = *s_.parts().velocity_constraints;
  const Index r = part.n_velocity_constraints();
  Disagreement by_v, by_q, turn, bias;
  for (const Point& z : points_) {
    const auto psi = [&](double t, const Vector& q, const Vector& v) {
      Vector out(m_);
      s_.constraint_velocity(t, q, v, out);
      return Vector(out.tail(r));
    };
    const auto times_w = [&](const Vector& values) {
      Vector out(m_);
      multiply(s_.constraint_pattern(), values, z.w, out);
      return Vector(out.tail(r));
    };
    Vector values(s_.constraint_pattern().nonzeros()), rate = Vector::Zero(values.size()), whole(m_);
    const double size = times_w(jacobian_values(z.t, z.q)).lpNorm<Eigen::Infinity>();
    by_v.compare(times_w(jacobian_values(z.t, z.q)),
                 difference([&](const Vector& v) { return psi(z.t, z.q, v); }, z.v, z.w));
    s_.constraint_jacobian_derivative(z.t, z.q, z.v, values);
    if (s_.parts().time_dependence) s_.parts().time_dependence->constraint_rate_jacobian(z.t, z.q, rate);
    by_q.compare(times_w(values + rate), difference([&](const Vector& q) { return psi(z.t, q, z.v); }, z.q, z.w));
    part.constraint_turn(z.t, z.q, z.v, values);
    const double e = step_;
    turn.compare(
        times_w(values),
        times_w((jacobian_values(z.t + e, z.q + e * z.v) - jacobian_values(z.t - e, z.q - e * z.v)) / (2 * e)));
    s_.constraint_bias(z.t, z.q, z.v, whole);
    bias.compare(whole.tail(r), (psi(z.t + e, z.q + e * z.v, z.v) - psi(z.t - e, z.q - e * z.v, z.v)) / (2 * e));
    for (Disagreement* found : {&by_v, &by_q, &turn, &bias}) found->scale_with(size);
  }
  if (!s_.parts().time_dependence) {
    Index least = r;
    for (const Point& z : points_) least = std::min(least, integrable(z));
    if (least > 0)
      out_.push_back({"velocity-integrable", static_cast<double>(least), std::nullopt,
                      "combinations of A v that are d/dt of a g(q), times a factor: write that g where it is known"});
  }
  report("velocity-jacobian", by_v, thresholds::first_difference, "A w against differences of A v + b by v");
  report("velocity-by-q", by_q, thresholds::first_difference, "d(A v + b)/dq w against differences");
  report("velocity-turn", turn, thresholds::first_difference, "A against differences along the motion");
  report("velocity-bias", bias, thresholds::first_difference, "d/dt (A v + b) - A v' against differences");
}

}  // namespace gnomon
