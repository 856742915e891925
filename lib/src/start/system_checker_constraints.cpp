#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/uniform.hpp"
#include "start/system_checker.hpp"

namespace gnomon {

namespace {

/// The disagreement of the spacing in time that has the least.
class LeastDisagreement {
 public:
  Disagreement& at(std::size_t spacing) { return each_[spacing]; }
  const Disagreement& least() const {
    const auto size = [](const Disagreement& one) {
      const double relative = one.relative();
      return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
    };
    return *std::min_element(each_.begin(), each_.end(),
                             [&size](const Disagreement& a, const Disagreement& b) { return size(a) < size(b); });
  }

 private:
  std::array<Disagreement, thresholds::tried_times.size()> each_;
};

}  // namespace

/// dU/dt, dG/dt and the Hessians of dg/dt against differences in time of U, G and of the Hessian of lambda.g.
void SystemChecker::rates() {
  const TimeDependence& part = *s_.parts().time_dependence;
  LeastDisagreement energy, first, second;
  for (const Point& z : points_) {
    const auto u = [&](double after) -> Vector { return Vector::Constant(1, s_.potential(z.t + after, z.q)); };
    Vector values(s_.constraint_pattern().nonzeros()), hessian(s_.hessian_pattern().nonzeros());
    part.constraint_rate_jacobian(z.t, z.q, values);
    values = entries_in_units(values);
    const Index entries = s_.constraint_pattern().offsets[static_cast<std::size_t>(positions_)];
    const auto jacobian = [&](double after) { return Vector(jacobian_values(z.t + after, z.q).head(entries)); };
    Vector lambda = z.lambda;
    lambda.tail(m_ - positions_).setZero();
    part.constraint_rate_hessian(z.t, z.q, lambda, hessian);
    const auto of_constraints = [&](double after) {
      Vector whole(hessian.size()), potential(hessian.size());
      s_.lagrangian_hessian(z.t + after, z.q, lambda, whole);
      s_.lagrangian_hessian(z.t + after, z.q, Vector::Zero(m_), potential);
      return Vector(whole - potential);
    };
    for (std::size_t k = 0; k < thresholds::tried_times.size(); ++k) {
      const double s = thresholds::short_time * thresholds::tried_times[k] * time_;
      const auto slope = [s](const auto& f) {
        return Vector((8 * (f(s) - f(-s)) - (f(2 * s) - f(-2 * s))) / (12 * s));
      };
      energy.at(k).compare(part.potential_rate(z.t, z.q), slope(u)[0]);
      energy.at(k).scale_with(std::abs(u(0)[0]) / time_);
      first.at(k).compare(values.head(entries), slope(jacobian));
      first.at(k).scale_with(entries_size(z) / time_);
      second.at(k).compare(hessian, slope(of_constraints));
      second.at(k).scale_with(of_constraints(0).lpNorm<Eigen::Infinity>() / time_);
    }
  }
  report("rate-potential", energy.least(), thresholds::first_difference, "dU/dt against differences of U in time");
  report("rate-jacobian", first.least(), thresholds::first_difference, "dG/dt against differences of G in time");
  report("rate-hessian", second.least(), thresholds::first_difference,
         "Hess dg/dt against differences in time of Hess g");
}

void SystemChecker::constraint_first() {
  Disagreement inside, outside;
  for (const Point& z : points_) {
    const Matrix dense = to_dense(s_.constraint_pattern(), jacobian_values(z.t, z.q));
    const auto f = [&](const Vector& q) { return Vector(g(z.t, q).head(positions_)); };
    for (Index j = 0; j < n_; ++j) {
      const Vector numeric = difference(dense.col(j).head(positions_), f, z.q, unit(j));
      inside.compare(dense.col(j).head(positions_), numeric);
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
    const auto pull = [&](const Vector& q) { return constraint_force(z, q); };
    Vector hw(n_), values(s_.constraint_pattern().nonzeros()), row_times_w(m_);
    s_.constraint_hessian_times(z.t, z.q, z.lambda, z.w, hw);
    force.compare(hw, difference(hw, pull, z.q, z.w));
    force.scale_with(pull(z.q).lpNorm<Eigen::Infinity>());
    s_.constraint_jacobian_derivative(z.t, z.q, z.v, values);
    multiply(s_.constraint_pattern(), values, z.w, row_times_w);
    row_times_w = in_units(row_times_w);
    rows.compare(row_times_w, difference(
                                  row_times_w, [&](const Vector& q) { return jacobian_times(z.t, q, z.v); }, z.q, z.w));
    rows.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>() / time_);
    mutual.compare(hw.dot(z.v), z.lambda.cwiseProduct(row_).dot(row_times_w));
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
      return in_units(out);
    };
    Vector values(s_.constraint_pattern().nonzeros());
    s_.constraint_third(z.t, z.q, z.v, z.w, values);
    const Matrix dense = to_dense(s_.constraint_pattern(), entries_in_units(values));
    for (Index j = 0; j < n_; ++j) third.compare(dense.col(j), difference(dense.col(j), curvature, z.q, unit(j)));
    third.scale_with(curvature(z.q).lpNorm<Eigen::Infinity>() / z.w.lpNorm<Eigen::Infinity>());
  }
  report("constraint-third", third, thresholds::first_difference, "d(v.(Hess g) w)/dq against differences");
  Disagreement weighted;
  for (const Point& z : points_) {
    const Vector lambda = in_units(Vector::LinSpaced(m_, 1.3, 0.6));
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
  LeastDisagreement velocity, bias;
  for (const Point& z : points_) {
    Vector speed(m_), bend(m_);
    s_.constraint_velocity(z.t, z.q, z.v, speed);
    s_.constraint_bias(z.t, z.q, z.v, bend);
    const double size = jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>();
    const auto f = [&](double s) { return g(z.t + s, z.q + s * z.v); };
    for (std::size_t k = 0; k < thresholds::tried_times.size(); ++k) {
      const double e = thresholds::central_spacing * thresholds::tried_times[k] * time_;
      velocity.at(k).compare(in_units(speed).head(positions_), ((f(e) - f(-e)) / (2 * e)).head(positions_));
      velocity.at(k).scale_with(size / time_);
      const double d = thresholds::wide_spacing * thresholds::tried_times[k] * time_;
      // Fourth order: (-f(2d) + 16 f(d) - 30 f(0) + 16 f(-d) - f(-2d)) / (12 d^2)
      const Vector bent = (-f(2 * d) + 16 * f(d) - 30 * f(0) + 16 * f(-d) - f(-2 * d)) / (12 * d * d);
      bias.at(k).compare(in_units(bend).head(positions_), bent.head(positions_));
      bias.at(k).scale_with(size / (time_ * time_));
    }
  }
  report("constraint-velocity", velocity.least(), thresholds::first_difference,
         "G v + g_t against differences along the motion");
  report("constraint-bias", bias.least(), thresholds::second_difference,
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
  return in_units(one - other).tail(m_ - positions_);
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
    form = exterior(t, q, size_ * allowed(x), size_ * allowed(y));
  }
  return left_null_space(forms, thresholds::rank * size_ * rows.bottomRows(r).norm());
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
    const double s = thresholds::central_spacing;
    return (beside(z.q + s * x) - beside(z.q - s * x)) / (2 * s);
  };
  const Allowed allowed(kept);
  Uniform uniform(6);
  Matrix forms(c.cols(), c.cols() + 2);
  Vector x(n_), y(n_);
  for (auto form : forms.colwise()) {
    uniform.fill(x);
    uniform.fill(y);
    x = size_ * allowed(x);
    y = size_ * allowed(y);
    form = slope(x).transpose() * (a * y) - slope(y).transpose() * (a * x) + c.transpose() * exterior(z.t, z.q, x, y);
  }
  return left_null_space(forms, thresholds::second_difference * size_ * a.norm()).cols();
}

/// A v + b against its differences by v, by q and along the motion, and A along the motion.
void SystemChecker::velocity_constraints() {
  const VelocityConstraints& part = *s_.parts().velocity_constraints;
  const Index r = part.n_velocity_constraints();
  Disagreement by_v, by_q;
  LeastDisagreement turn, bias;
  for (const Point& z : points_) {
    const auto psi = [&](double t, const Vector& q, const Vector& v) {
      Vector out(m_);
      s_.constraint_velocity(t, q, v, out);
      return Vector(in_units(out).tail(r));
    };
    const auto times_w = [&](const Vector& values) {
      Vector out(m_);
      multiply(s_.constraint_pattern(), values, z.w, out);
      return Vector(out.tail(r));
    };
    Vector values(s_.constraint_pattern().nonzeros()), rate = Vector::Zero(values.size()), whole(m_);
    const double size = times_w(jacobian_values(z.t, z.q)).lpNorm<Eigen::Infinity>();
    const Vector by_velocity = times_w(jacobian_values(z.t, z.q));
    by_v.compare(by_velocity, difference_by_v(
                                  by_velocity, [&](const Vector& v) { return psi(z.t, z.q, v); }, z.v, z.w));
    by_v.scale_with(size);
    s_.constraint_jacobian_derivative(z.t, z.q, z.v, values);
    if (s_.parts().time_dependence) s_.parts().time_dependence->constraint_rate_jacobian(z.t, z.q, rate);
    const Vector by_position = times_w(entries_in_units(values + rate));
    by_q.compare(by_position, difference(
                                  by_position, [&](const Vector& q) { return psi(z.t, q, z.v); }, z.q, z.w));
    by_q.scale_with(size / time_);
    part.constraint_turn(z.t, z.q, z.v, values);
    s_.constraint_bias(z.t, z.q, z.v, whole);
    for (std::size_t k = 0; k < thresholds::tried_times.size(); ++k) {
      const double e = thresholds::central_spacing * thresholds::tried_times[k] * time_;
      const auto along = [&](const auto& f) { return Vector((f(e) - f(-e)) / (2 * e)); };
      turn.at(k).compare(times_w(entries_in_units(values)),
                         times_w(along([&](double s) { return jacobian_values(z.t + s, z.q + s * z.v); })));
      turn.at(k).scale_with(size / time_);
      bias.at(k).compare(in_units(whole).tail(r), along([&](double s) { return psi(z.t + s, z.q + s * z.v, z.v); }));
      bias.at(k).scale_with(size / (time_ * time_));
    }
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
  report("velocity-turn", turn.least(), thresholds::first_difference, "A against differences along the motion");
  report("velocity-bias", bias.least(), thresholds::first_difference, "d/dt (A v + b) - A v' against differences");
}

}  // namespace gnomon
