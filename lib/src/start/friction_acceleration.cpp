#include "start/friction_acceleration.hpp"

#include <Eigen/LU>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "start/saddle_point.hpp"

namespace gnomon {

void friction_acceleration(const System& system, double t, const Vector& q, const Vector& v, Vector& a, Vector& lambda,
                           Index rank, const Vector* further) {
  const Friction* friction = system.parts().friction;
  const Index n = system.n(), m = system.m();
  if (!friction && !further) return acceleration(system, t, q, v, a, lambda, rank);
  // (a; lambda) = (a_0; lambda_0) + S R(q,v,lambda), where S solves with the saddle-point matrix: the root of
  // F = lambda - lambda_0 - (S R)_lambda, F' = I - (S R_lambda)_lambda.
  Vector a_0(n), lambda_0(m), force(n), a_r(n), lambda_r(m);
  acceleration(system, t, q, v, a_0, lambda_0, rank);
  const SaddlePoint saddle_point(system, t, q, thresholds::rank, nullptr, false, rank);
  const Vector none = Vector::Zero(m);
  if (further) {
    saddle_point.solve(*further, none, a_r, lambda_r);
    a_0 += a_r;
    lambda_0 += lambda_r;
  }
  if (!friction) {
    a = a_0;
    lambda = lambda_0;
    return;
  }
  const SparsityPattern& pattern = friction->friction_pattern(ForceArgument::lambda);
  Vector values(pattern.nonzeros());
  Matrix derivative = Matrix::Identity(m, m);
  const SparsityPattern& g = system.constraint_pattern();
  Vector jacobian(g.nonzeros()), lengths(m), sizes(m);
  if (m > 0) system.constraint_jacobian(t, q, jacobian);
  row_lengths(g, jacobian, system.mass().diagonal_entries(), lengths);
  multiplier_sizes(lengths, lambda_0, sizes);
  const auto evaluate = [&] {
    friction->friction(q, v, lambda, force);
    friction->friction_jacobian(ForceArgument::lambda, q, v, lambda, values);
    return force.allFinite() && values.allFinite();
  };
  double last = std::numeric_limits<double>::infinity();
  constexpr int most_iterations = 50;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    bool finite = evaluate();
    if (!finite && iteration == 0 && m > 0) {  // powers of lambda are so at zero
      lambda = sizes;
      finite = evaluate();
    }
    if (!finite) throw CannotEvaluate("the friction R(q,v,lambda) is not finite on the way to the multipliers");
    saddle_point.solve(force, none, a_r, lambda_r);
    a = a_0 + a_r;
    const Vector residual = lambda - lambda_0 - lambda_r;
    if (m == 0) return;
    const Matrix by_lambda = to_dense(pattern, values);
    Vector column(m);
    for (Index j = 0; j < m; ++j) {
      saddle_point.solve(by_lambda.col(j), none, a_r, column);
      derivative.col(j) = Vector::Unit(m, j) - column;
    }
    const Vector step = derivative.partialPivLu().solve(residual);
    if (!step.allFinite()) break;
    const double change = largest_part(step, lambda, sizes);
    lambda -= step;
    if (at_rounding(change, last)) return;
    last = change;
  }
  throw CannotEvaluate(
      "no multipliers were found that agree with their friction; friction as strong as the constraint forces may leave "
      "none");
}

Vector acceleration_by(const System& system, double t, const Vector& q, const Vector& force) {
  Vector a(system.n()), lambda(system.m());
  SaddlePoint(system, t, q).solve(force, Vector::Zero(system.m()), a, lambda);
  return a;
}

}  // namespace gnomon
