#pragma once
/// \file
/// A System's functions against central differences of each other and against what it declares, for verify(). Private
/// to the core.

#include <functional>
#include <vector>

#include "gnomon/model/system.hpp"
#include "gnomon/start/verify.hpp"
#include "start/disagreement.hpp"

namespace gnomon {

class SystemChecker {
 public:
  /// At the start and at three points near it. The system outlives it.
  SystemChecker(const System& system, double t0, const Vector& q0, const Vector& p0);
  std::vector<ModelCheck> run();

 private:
  /// Where the functions are compared: time, position, velocity, a direction as long as positions, multipliers whose
  /// forces are as large as those of U.
  struct Point {
    double t;
    Vector q, v, w, lambda;
  };
  using Function = std::function<Vector(const Vector& q)>;

  void potential();
  void compensated();
  void kinetic();
  void force();
  void rates();
  void constraint_first();
  void constraint_second();
  void constraint_third();
  void along_the_motion();
  void velocity_constraints();
  /// dA(X, Y) = A'[X] Y - A'[Y] X
  Vector exterior(double t, const Vector& q, const Vector& x, const Vector& y) const;
  /// A basis of the combinations c of the constraints of velocities with c.dA(X, Y) = 0 for all X and Y that [G; A]
  /// allows.
  Matrix closed_combinations(double t, const Vector& q) const;
  /// How many of them have d(c.A)(X, Y) = 0 for all X and Y that they themselves allow, too. Where all have, they are
  /// derivatives of positions (Frobenius).
  Index integrable(const Point& z) const;
  void hessian();
  void symmetries();
  void invariants();
  void degrees();

  /// The points moved onto g = 0: symmetries need to hold only there. The start, which is there, when that fails.
  std::vector<Point> projected() const;
  /// The derivative of f along the direction, from points a step and two away whatever the direction's length. Of
  /// fourth order: the step follows the extent of the whole, and forces between neighbours in a long chain vary faster.
  /// Beside turns, lengths may be far smaller than the whole: steps are shortened until the formula agrees, and the
  /// quotient that is nearest to it counts.
  Vector difference(const Vector& formula, const Function& f, const Vector& q, const Vector& direction) const;
  /// The same along velocities.
  Vector difference_by_v(const Vector& formula, const Function& f, const Vector& v, const Vector& direction) const {
    return time_ * difference(
                       formula / time_, [&](const Vector& way) { return f(way / time_); }, time_ * v, direction);
  }
  Vector unit(Index j) const { return Vector::Unit(n_, j); }
  Vector gradient(const Point& z, const Vector& q) const;
  /// G^T lambda.
  Vector constraint_force(const Point& z, const Vector& q) const;
  /// Constraints and their derivatives in the units row_, as all numbers of rows are compared.
  Vector g(double t, const Vector& q) const;
  Vector jacobian_values(double t, const Vector& q) const;
  Vector jacobian_times(double t, const Vector& q, const Vector& v) const;
  /// Rows, and entries of rows, in their units.
  Vector in_units(const Vector& rows) const { return rows.cwiseQuotient(row_); }
  Vector entries_in_units(Vector values) const;
  double entries_size(const Point& z) const { return jacobian_values(z.t, z.q).lpNorm<Eigen::Infinity>(); }
  void report(const char* name, const Disagreement& found, double tolerance, const char* note);

  const System& s_;
  Index n_, m_;
  Index positions_;  ///< constraints that are g(q,t)
  std::vector<Point> points_;
  double size_;  ///< of positions
  double step_;  ///< a small part of it
  double time_;  ///< in which it moves so far
  Vector row_;   ///< units of constraints: a power of two next to their largest change over that way
  std::vector<ModelCheck> out_;
};

}  // namespace gnomon
