/// The functions of an overdetermined DAE against central differences of each other.
#include "start/overdetermined_checker.hpp"

#include <Eigen/QR>
#include <array>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/uniform.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "start/disagreement.hpp"

namespace gnomon {

namespace {

constexpr double spacing = thresholds::fourth_order_spacing;  // relative to the largest unknown of a kind
constexpr std::array<const char*, 6> row_names{"velocity",         "momentum",   "force",
                                               "multiplier-force", "constraint", "hidden"};
constexpr std::array<const char*, 3> argument_names{"y", "z", "psi"};

struct Point {
  Vector y, z, psi;
  OverdeterminedPoint view() const { return {y, z, psi}; }
  Vector& part(Argument argument) { return argument == Argument::y ? y : argument == Argument::z ? z : psi; }
  Point moved(double s, const Point& d) const { return {y + s * d.y, z + s * d.z, psi + s * d.psi}; }
  double size() const {
    const double largest = std::max({max_norm(y), max_norm(z), max_norm(psi)});
    return largest > 0 ? largest : 1;
  }
};

class Checker {
 public:
  Checker(const OverdeterminedSystem& system, const Vector& y0, const Vector& z0)
      : s_(system), traits_(system.traits()) {
    Uniform uniform(5);
    Point start{y0, z0, Vector::Zero(traits_.m)};
    Vector w = Vector::Zero(traits_.nz);
    Index1(s_).solve(y0, z0, w, start.psi);
    find_sizes(start, w);
    for (int k = 0; k < 4; ++k) {
      Point shift = random(uniform), direction = random(uniform);
      if (k == 0) shift = zero();
      for (const Argument argument : all_arguments)
        for (Point* one : {&shift, &direction}) one->part(argument) *= size_of(argument);
      points_.push_back(start.moved(0.05, shift));
      directions_.push_back(std::move(direction));
    }
    find_row_units();
  }

  std::vector<ModelCheck> run() {
    for (const Term term : all_terms) {
      tangents(term);
      jacobians(term);
    }
    hidden_is_derivative();
    if (traits_.has_energy) power();
    return std::move(out_);
  }

 private:
  /// Positions, velocities and multipliers have sizes of their own. Velocities that vanish have that of the motion from
  /// rest over the size of y, |w| T with |v_z w| T^2 = |y|; multipliers that vanish have that of the force; where there
  /// is no such size it is that of the others.
  void find_sizes(const Point& start, const Vector& w) {
    for (const Argument argument : all_arguments) {
      Point at = start;
      double size = max_norm(at.part(argument));
      if (!(size > 0) && argument == Argument::z) {
        Point direction = zero();
        direction.z = w;
        size = max_norm(w) * std::sqrt(max_norm(start.y) / max_norm(tangent(Term::velocity, start, direction)));
      }
      if (!(size > 0) && argument == Argument::psi && traits_.m > 0)
        size = max_norm(value(Term::force, start)) / max_norm(jacobian(Term::multiplier_force, Argument::psi, start));
      size_of(argument) = size > 0 && std::isfinite(size) ? size : start.size();
    }
  }
  double& size_of(Argument argument) { return sizes_[static_cast<std::size_t>(argument)]; }
  /// The largest part of their sizes by which the unknowns change.
  double largest_part(Point change) const {
    double largest = 0;
    for (const Argument argument : all_arguments)
      largest = std::max(largest, max_norm(change.part(argument)) / sizes_[static_cast<std::size_t>(argument)]);
    return largest > 0 ? largest : 1;
  }
  Point zero() const { return {Vector::Zero(traits_.ny), Vector::Zero(traits_.nz), Vector::Zero(traits_.m)}; }
  Point random(Uniform& uniform) const {
    Point p{Vector(traits_.ny), Vector(traits_.nz), Vector(traits_.m)};
    for (const Argument argument : all_arguments) uniform.fill(p.part(argument));
    return p;
  }
  /// Constraints may be of any unit: powers of two next to the largest entries of their rows.
  void find_row_units() {
    Vector units = Vector::Zero(traits_.m);
    for (const Point& at : points_) units = units.cwiseMax(largest_entries(Term::constraint, Argument::y, at));
    for (Index i = 0; i < traits_.m; ++i)
      row_[i] = units[i] > 0 && std::isfinite(units[i]) ? std::exp2(std::ilogb(units[i])) : 1;
  }
  bool has_row_units(Term term) const { return term == Term::constraint || term == Term::hidden; }
  Vector value(Term term, const Point& at) const {
    Vector out(traits_.rows(term));
    s_.evaluate(term, at.view(), out);
    if (has_row_units(term)) out = out.cwiseQuotient(row_);
    return out;
  }
  Vector tangent(Term term, const Point& at, const Point& direction) const {
    Vector out(traits_.rows(term));
    s_.tangent(term, at.view(), direction.view(), out);
    if (has_row_units(term)) out = out.cwiseQuotient(row_);
    return out;
  }
  /// The Jacobian of a term by an argument.
  Matrix jacobian(Term term, Argument argument, const Point& at) const {
    const SparsityPattern& pattern = s_.pattern(term, argument);
    Vector values(pattern.nonzeros());
    if (values.size() > 0) s_.jacobian(term, argument, at.view(), values);
    Matrix dense = to_dense(pattern, values);
    if (has_row_units(term)) dense = row_.cwiseInverse().asDiagonal() * dense;
    return dense;
  }
  Vector largest_entries(Term term, Argument argument, const Point& at) const {
    return jacobian(term, argument, at).cwiseAbs().rowwise().maxCoeff();
  }
  /// The derivative along the direction, of fourth order.
  template <class F>
  auto difference(const F& f, const Point& at, const Point& direction) const {
    const double s = spacing / largest_part(direction);
    using Value = decltype(f(at));
    const Value near = f(at.moved(s, direction)) - f(at.moved(-s, direction));
    const Value far = f(at.moved(2 * s, direction)) - f(at.moved(-2 * s, direction));
    return Value((8 * near - far) / (12 * s));
  }
  void report(const std::string& name, const Disagreement& found, double tolerance, const std::string& note) {
    out_.push_back({name, found.relative(), tolerance, note});
  }

  void tangents(Term term) {
    Disagreement found;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const auto f = [&](const Point& at) { return value(term, at); };
      found.compare(tangent(term, points_[k], directions_[k]), difference(f, points_[k], directions_[k]));
    }
    report(row_names[static_cast<std::size_t>(term)], found, thresholds::first_difference,
           std::string("tangent of the ") + to_string(term) + " against differences");
  }

  /// Every column of the Jacobian by one argument is the tangent in that direction, zeros outside the pattern included.
  void jacobians(Term term) {
    for (const Argument argument : all_arguments) {
      const SparsityPattern& pattern = s_.pattern(term, argument);
      Disagreement found;
      double scale = 0;
      for (const Point& at : points_) {
        const Matrix dense = jacobian(term, argument, at);
        Point unit = zero();
        for (Index j = 0; j < dense.cols(); ++j) {
          unit.part(argument)[j] = 1;
          const Vector column = tangent(term, at, unit);
          found.compare(dense.col(j), column);
          scale = std::max(scale, column.lpNorm<Eigen::Infinity>());
          unit.part(argument)[j] = 0;
        }
      }
      if (scale == 0 && pattern.nonzeros() == 0) continue;
      const auto i = static_cast<std::size_t>(term), j = static_cast<std::size_t>(argument);
      report(std::string(row_names[i]) + "-" + argument_names[j], found, thresholds::same_overdetermined_formula,
             std::string("its Jacobian by ") + argument_names[j] + " against tangents");
    }
  }

  void hidden_is_derivative() {
    if (traits_.m == 0) return;
    Disagreement found;
    for (const Point& at : points_) {
      Point along = zero();
      along.y = value(Term::velocity, at);
      found.compare(value(Term::hidden, at), tangent(Term::constraint, at, along));
      found.scale_with(max_norm(jacobian(Term::constraint, Argument::y, at)) * max_norm(along.y));
    }
    report("hidden-level", found, thresholds::same_overdetermined_formula,
           "h = g_y v against the tangent of g along v");
  }

  /// The point moved onto g = 0 and h = 0, each by Newton's method with corrections of least length.
  bool onto_manifold(Point& at) const {
    for (const Term term : {Term::constraint, Term::hidden}) {
      const Argument argument = term == Term::constraint ? Argument::y : Argument::z;
      for (int iteration = 0; iteration < 20 && traits_.m > 0; ++iteration)
        at.part(argument) -= jacobian(term, argument, at).completeOrthogonalDecomposition().solve(value(term, at));
      if (traits_.m > 0 &&
          !(max_norm(value(term, at)) <=
            thresholds::on_constraints * max_norm(jacobian(term, argument, at)) * max_norm(at.part(argument))))
        return false;
    }
    return true;
  }

  void power() {
    Disagreement found;
    Index1 index1(s_);
    for (Point at : points_) {
      if (!onto_manifold(at)) at = points_.front();
      Vector w = Vector::Zero(traits_.nz);
      index1.solve(at.y, at.z, w, at.psi);
      const Point slope{value(Term::velocity, at), w, Vector::Zero(traits_.m)};
      const auto energy = [&](const Point& there) { return s_.energy(there.view()); };
      found.compare(s_.power(at.view()), difference(energy, at, slope));
      found.scale_with(std::abs(s_.energy(at.view())) * largest_part(slope));
    }
    report("power", found, thresholds::first_difference, "power P against dE/dt along the slope of the solution");
  }

  const OverdeterminedSystem& s_;
  const OverdeterminedTraits& traits_;
  std::vector<Point> points_, directions_;
  std::array<double, 3> sizes_{1, 1, 1};  // of y, z and psi
  Vector row_ = Vector::Ones(traits_.m);  // units of constraints
  std::vector<ModelCheck> out_;
};

}  // namespace

std::vector<ModelCheck> check_overdetermined(const OverdeterminedSystem& system, const Vector& y0, const Vector& z0) {
  return Checker(system, y0, z0).run();
}

}  // namespace gnomon
