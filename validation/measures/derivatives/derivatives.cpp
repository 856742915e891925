/// A problem's functions against central differences of each other, and against what its traits declare.
#include "measures/derivatives/derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"
#include "measures/derivatives/disagreement.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

namespace {

constexpr double spacing = 1e-5;           // of first differences, relative to the scale of q
constexpr double first_tolerance = 1e-7;   // their truncation and rounding
constexpr double exact_tolerance = 1e-11;  // two formulas for one thing
constexpr double second_spacing = 1e-3;    // of differences of higher order
constexpr double second_tolerance = 1e-6;

/// Where the functions are compared: time, position, velocity, a direction, multipliers.
struct Point {
  double t;
  Vector q, v, w, lambda;
};

/// The points moved onto g = 0: symmetries need to hold only there. The start, which is there, when that fails.
std::vector<Point> projected(const System& system, std::vector<Point> points) {
  for (Point& z : points) {
    Vector q = z.q, p(system.n());
    system.mass().apply(z.v, p);
    try {
      project_start(system, z.t, q, p);
      z.q = q;
    } catch (const Error&) {
      z.q = points.front().q;
    }
  }
  return points;
}

class Checker {
 public:
  Checker(const ProblemInstance& instance, std::vector<Point> points)
      : s_(mechanical(instance)), n_(s_.n()), m_(s_.m()), points_(std::move(points)) {
    step_ = spacing * std::max(1e-3, instance.q0.lpNorm<Eigen::Infinity>());
  }

  Quantities run() {
    potential();
    compensated();
    if (s_.parts().mass) kinetic();
    if (s_.parts().force) force();
    if (s_.parts().time_dependence && m_ > 0) rates();
    if (m_ > 0) {
      constraint_first();
      constraint_second();
      constraint_third();
      along_the_motion();
    }
    hessian();
    if (s_.parts().symmetries) symmetries();
    if (s_.parts().split) invariants();
    degrees();
    return std::move(out_);
  }

 private:
  using Function = std::function<Vector(const Vector& q)>;

  /// The derivative of f along the direction, from points a step and two away whatever the direction's length. Of
  /// fourth order: the step follows the extent of the whole, and forces between neighbours in a long chain vary faster.
  Vector difference(const Function& f, const Vector& q, const Vector& direction) const {
    const double s = step_ / direction.lpNorm<Eigen::Infinity>();
    const Vector near = f(q + s * direction) - f(q - s * direction);
    const Vector far = f(q + 2 * s * direction) - f(q - 2 * s * direction);
    return (8 * near - far) / (12 * s);
  }
  Vector unit(Index j) const { return Vector::Unit(n_, j); }

  Vector gradient(const Point& z, const Vector& q) const {
    Vector out(n_);
    s_.potential_gradient(z.t, q, out);
    return out;
  }
  Vector g(double t, const Vector& q) const {
    Vector out(m_);
    s_.constraints(t, q, out);
    return out;
  }
  Vector jacobian_values(double t, const Vector& q) const {
    Vector out(s_.constraint_pattern().nonzeros());
    s_.constraint_jacobian(t, q, out);
    return out;
  }
  Vector jacobian_times(double t, const Vector& q, const Vector& v) const {
    Vector out(m_);
    multiply(s_.constraint_pattern(), jacobian_values(t, q), v, out);
    return out;
  }

  void report(const char* name, const Disagreement& found, double tolerance, const char* note) {
    out_.push_back({name, found.relative(), Gate::at_most(tolerance), note});
  }

  void potential() {
    Disagreement first, second;
    for (const Point& z : points_) {
      const auto u = [&](const Vector& q) { return Vector::Constant(1, s_.potential(z.t, q)); };
      Vector numeric(n_), hw(n_);
      for (Index j = 0; j < n_; ++j) numeric[j] = difference(u, z.q, unit(j))[0];
      first.compare(gradient(z, z.q), numeric);
      s_.potential_hessian_times(z.t, z.q, z.w, hw);
      const auto grad = [&](const Vector& q) { return gradient(z, q); };
      second.compare(hw, difference(grad, z.q, z.w));
      second.scale_with(gradient(z, z.q).lpNorm<Eigen::Infinity>());
    }
    report("potential-gradient", first, first_tolerance, "grad U against differences of U");
    report("potential-hessian", second, first_tolerance, "(Hess U) w against differences of grad U");
  }

  /// T(q,p) at p = M(q) v: T_p = v, T_q, the Hessian and third derivatives along (w, M w) against differences.
  void kinetic() {
    const ConfigurationMass& part = *s_.parts().mass;
    Disagreement velocity, first, second, third;
    for (const Point& z : points_) {
      Matrix mass(n_, n_);
      part.mass_matrix(z.q, mass);
      const Vector p = mass * z.v, w_p = mass * z.w;
      Vector t_q(n_), t_p(n_), h_q(n_), h_p(n_), numeric(n_);
      part.kinetic_gradient(z.q, p, t_q, t_p);
      velocity.compare(t_p, z.v);
      velocity.compare(part.kinetic_energy(z.q, p), 0.5 * p.dot(z.v));
      const auto energy = [&](const Vector& q) { return Vector::Constant(1, part.kinetic_energy(q, p)); };
      for (Index j = 0; j < n_; ++j) numeric[j] = difference(energy, z.q, unit(j))[0];
      first.compare(t_q, numeric);
      first.scale_with(part.kinetic_energy(z.q, p));
      part.kinetic_hessian_times(z.q, p, z.w, w_p, h_q, h_p);
      const auto gradient = [&](const Vector& q) {
        const double along = (q - z.q).dot(z.w) / z.w.squaredNorm();
        Vector out(2 * n_);
        part.kinetic_gradient(q, p + along * w_p, out.head(n_), out.tail(n_));
        return out;
      };
      const Vector slope = difference(gradient, z.q, z.w);
      second.compare(h_q, slope.head(n_));
      second.compare(h_p, slope.tail(n_));
      const Vector u_q = z.v, u_p = 0.5 * p;
      part.kinetic_third(z.q, p, u_q, u_p, z.w, w_p, h_q, h_p);
      const auto hessian = [&](const Vector& q) {
        const double along = (q - z.q).dot(z.w) / z.w.squaredNorm();
        Vector out(2 * n_);
        part.kinetic_hessian_times(q, p + along * w_p, u_q, u_p, out.head(n_), out.tail(n_));
        return out;
      };
      const Vector turn = difference(hessian, z.q, z.w);
      third.compare(h_q, turn.head(n_));
      third.compare(h_p, turn.tail(n_));
    }
    report("kinetic-velocity", velocity, exact_tolerance, "T_p = M(q)^-1 p and T = p . v / 2");
    report("kinetic-gradient", first, first_tolerance, "T_q against differences of T");
    report("kinetic-hessian", second, first_tolerance, "(Hess T) w against differences of (T_q, T_p)");
    report("kinetic-third", third, first_tolerance, "third derivatives of T against differences of (Hess T) w");
  }

  /// dQ/dq and dQ/dv against differences of Q.
  void force() {
    const Force& part = *s_.parts().force;
    Disagreement by_q, by_v;
    for (const Point& z : points_)
      for (const ForceArgument by : {ForceArgument::q, ForceArgument::v}) {
        const SparsityPattern& pattern = part.force_pattern(by);
        Vector values(pattern.nonzeros()), along(n_);
        part.force_jacobian(by, z.t, z.q, z.v, values);
        multiply(pattern, values, z.w, along);
        const auto q_of = [&](const Vector& at) -> const Vector& { return by == ForceArgument::q ? at : z.q; };
        const auto v_of = [&](const Vector& at) -> const Vector& { return by == ForceArgument::v ? at : z.v; };
        const auto force_at = [&](const Vector& at) {
          Vector out(n_);
          part.force(z.t, q_of(at), v_of(at), out);
          return out;
        };
        Disagreement& found = by == ForceArgument::q ? by_q : by_v;
        const Vector& at = by == ForceArgument::q ? z.q : z.v;
        found.compare(along, difference(force_at, at, z.w));
        found.scale_with(force_at(at).lpNorm<Eigen::Infinity>());
      }
    report("force-by-q", by_q, first_tolerance, "dQ/dq against differences of Q");
    report("force-by-v", by_v, first_tolerance, "dQ/dv against differences of Q");
  }

  /// dG/dt and the Hessians of dg/dt against differences in time of G and of the Hessian of lambda.g.
  void rates() {
    const TimeDependence& part = *s_.parts().time_dependence;
    Disagreement first, second;
    constexpr double s = 1e-3;
    for (const Point& z : points_) {
      const auto slope = [](const auto& f) { return Vector((8 * (f(s) - f(-s)) - (f(2 * s) - f(-2 * s))) / (12 * s)); };
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
    report("rate-jacobian", first, first_tolerance, "dG/dt against differences of G in time");
    report("rate-hessian", second, first_tolerance, "Hess dg/dt against differences in time of Hess g");
  }

  /// U and g at q + tail: the tail must be felt, with the gradient's slope.
  void compensated() {
    Disagreement energy, position;
    for (const Point& z : points_) {
      const Vector tail = 1e-9 * z.w, opposite = -tail;
      Vector scratch(n_), plus(m_), minus(m_), values(s_.constraint_pattern().nonzeros());
      const long double rise =
          s_.potential_compensated(z.t, z.q, tail, scratch) - s_.potential_compensated(z.t, z.q, opposite, scratch);
      energy.compare(static_cast<double>(rise / 2e-9L), gradient(z, z.q).dot(z.w));
      energy.scale_with(gradient(z, z.q).norm() * z.w.norm());
      if (m_ == 0) continue;
      s_.constraints_compensated(z.t, z.q, tail, plus, values);
      s_.constraints_compensated(z.t, z.q, opposite, minus, values);
      position.compare((plus - minus) / 2e-9, jacobian_times(z.t, z.q, z.w));
    }
    report("potential-tail", energy, second_tolerance, "U at q + tail against U + grad U . tail");
    if (m_ > 0) report("constraint-tail", position, second_tolerance, "g at q + tail against g + G tail");
  }

  void constraint_first() {
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
    report("constraint-jacobian", inside, first_tolerance, "G against differences of g");
    report("constraint-pattern", outside, first_tolerance, "entries of G outside its pattern");
  }

  void constraint_second() {
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
    report("constraint-hessian", force, first_tolerance, "d(G^T lambda)/dq w against differences");
    report("constraint-curvature", rows, first_tolerance, "d(G v)/dq w against differences");
    report("constraint-mutual", mutual, exact_tolerance, "lambda.(d(G v)/dq w) against v.(d(G^T lambda)/dq w)");
  }

  void constraint_third() {
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
    report("constraint-third", third, first_tolerance, "d(v.(Hess g) w)/dq against differences");
  }

  void along_the_motion() {
    Disagreement velocity, bias;
    for (const Point& z : points_) {
      Vector formula(m_);
      s_.constraint_velocity(z.t, z.q, z.v, formula);
      const double e = step_;
      velocity.compare(formula, (g(z.t + e, z.q + e * z.v) - g(z.t - e, z.q - e * z.v)) / (2 * e));
      velocity.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>());
      s_.constraint_bias(z.t, z.q, z.v, formula);
      const double d = second_spacing;
      // Fourth order: (-f(2d) + 16 f(d) - 30 f(0) + 16 f(-d) - f(-2d)) / (12 d^2)
      const auto f = [&](double s) { return g(z.t + s, z.q + s * z.v); };
      bias.compare(formula, (-f(2 * d) + 16 * f(d) - 30 * f(0) + 16 * f(-d) - f(-2 * d)) / (12 * d * d));
      bias.scale_with(jacobian_times(z.t, z.q, z.w).lpNorm<Eigen::Infinity>());
    }
    report("constraint-velocity", velocity, first_tolerance, "G v + g_t against differences along the motion");
    report("constraint-bias", bias, second_tolerance, "second derivative of g along the motion, against differences");
  }

  void hessian() {
    Disagreement mutual, outside;
    for (const Point& z : points_) {
      Vector values(s_.hessian_pattern().nonzeros()), column(n_), part = Vector::Zero(n_);
      s_.lagrangian_hessian(z.t, z.q, z.lambda, values);
      const Matrix dense = to_dense(s_.hessian_pattern(), values);
      for (Index j = 0; j < n_; ++j) {
        s_.potential_hessian_times(z.t, z.q, unit(j), column);
        if (m_ > 0) s_.constraint_hessian_times(z.t, z.q, z.lambda, unit(j), part);
        column += part;
        mutual.compare(dense.col(j), column);
        for (Index i = 0; i < n_; ++i)
          if (s_.hessian_pattern().find(i, j) < 0) outside.compare(0, column[i]);
      }
      outside.scale_with(std::max(1e-300, dense.lpNorm<Eigen::Infinity>()));
    }
    report("hessian", mutual, exact_tolerance, "Hess U + sum lambda Hess g against its products");
    report("hessian-pattern", outside, exact_tolerance, "entries of it outside its pattern");
  }

  void symmetries() {
    const Symmetries& part = *s_.parts().symmetries;
    Disagreement potential, constraint, kinetic;
    Vector xi(n_), plus(n_), minus(n_), mv(n_);
    for (const Point& z : projected(s_, points_))
      for (Index a = 0; a < part.n_symmetries(); ++a) {
        part.symmetry_generator(a, z.q, xi);
        const Vector grad = gradient(z, z.q);
        potential.compare(0, grad.dot(xi));
        potential.scale_with(grad.norm() * xi.norm());
        if (m_ > 0) {
          constraint.compare(Vector::Zero(m_), jacobian_times(z.t, z.q, xi));
          constraint.scale_with(jacobian_values(z.t, z.q).norm() * xi.norm());
        }
        // T is invariant when p . (D xi v) - T_q . xi = 0 with p = M v; xi is linear or quadratic, so the difference
        // is exact.
        double by_mass = 0;
        if (!s_.parts().mass) {
          s_.mass().apply(z.v, mv);
        } else {
          Matrix mass(n_, n_);
          Vector t_q(n_), t_p(n_);
          s_.parts().mass->mass_matrix(z.q, mass);
          mv = mass * z.v;
          s_.parts().mass->kinetic_gradient(z.q, mv, t_q, t_p);
          by_mass = t_q.dot(xi);
        }
        part.symmetry_generator(a, z.q + second_spacing * z.v, plus);
        part.symmetry_generator(a, z.q - second_spacing * z.v, minus);
        const Vector dxi = (plus - minus) / (2 * second_spacing);
        kinetic.compare(by_mass, mv.dot(dxi));
        kinetic.scale_with(mv.norm() * std::max(dxi.norm(), xi.norm()));
      }
    report("symmetry-potential", potential, exact_tolerance, "grad U . xi = 0");
    if (m_ > 0) report("symmetry-constraints", constraint, exact_tolerance, "G xi = 0");
    report("symmetry-kinetic", kinetic, 1e-10, "p . (D xi v) = 0");
  }

  void invariants() {
    const SplitPotential& potential = *s_.parts().split;
    const Index k_max = potential.n_invariants();
    const SparsityPattern& pattern = potential.invariant_pattern();
    Disagreement jacobian, split, chain, hessian, symmetric;
    for (const Point& z : points_) {
      const auto pi_of = [&](const Vector& q) {
        Vector out(k_max);
        potential.invariants(q, out);
        return out;
      };
      const Vector pi = pi_of(z.q);
      Vector values(pattern.nonzeros()), c(k_max), total(n_), regular(n_), xi(n_), along(k_max);
      potential.invariant_jacobian(z.q, values);
      const Matrix dense = to_dense(pattern, values);
      for (Index j = 0; j < n_; ++j) jacobian.compare(dense.col(j), difference(pi_of, z.q, unit(j)));
      for (Index k = 0; k < k_max; ++k) {
        const auto v = potential.invariant_potential(k, pi[k]);
        const double e = spacing * std::max(1e-3, std::abs(pi[k]));
        const auto up = potential.invariant_potential(k, pi[k] + e), down = potential.invariant_potential(k, pi[k] - e);
        for (std::size_t i = 0; i < 3; ++i) chain.compare(v[i + 1], (up[i] - down[i]) / (2 * e));
        c[k] = v[1];
      }
      multiply_transposed(pattern, values, c, total);
      potential.regular_potential_gradient(z.t, z.q, regular);
      total += regular;
      split.compare(total, gradient(z, z.q));
      // grad U2 + sum c_k grad pi_k + G^T lambda with c and lambda fixed, and its derivative
      const auto forces = [&](const Vector& q) {
        Vector out(n_), part(n_), v(pattern.nonzeros());
        potential.regular_potential_gradient(z.t, q, out);
        potential.invariant_jacobian(q, v);
        multiply_transposed(pattern, v, c, part);
        out += part;
        multiply_transposed(s_.constraint_pattern(), jacobian_values(z.t, q), z.lambda, part);
        return Vector(out + part);
      };
      Vector hessian_values(s_.hessian_pattern().nonzeros());
      potential.split_hessian(z.t, z.q, c, z.lambda, hessian_values);
      const Matrix split_hessian = to_dense(s_.hessian_pattern(), hessian_values);
      for (Index j = 0; j < n_; ++j) hessian.compare(split_hessian.col(j), difference(forces, z.q, unit(j)));
      hessian.scale_with(forces(z.q).lpNorm<Eigen::Infinity>());
      for (Index a = 0; a < s_.parts().n_symmetries(); ++a) {
        s_.parts().symmetries->symmetry_generator(a, z.q, xi);
        multiply(pattern, values, xi, along);
        symmetric.compare(Vector::Zero(k_max), along);
        symmetric.scale_with(values.norm() * xi.norm());
      }
    }
    report("invariant-jacobian", jacobian, first_tolerance, "grad pi against differences");
    report("invariant-potential", chain, first_tolerance, "V', V'', V''' against differences");
    report("invariant-split", split, exact_tolerance, "grad U2 + sum V' grad pi against grad U");
    report("invariant-hessian", hessian, first_tolerance, "Hess U2 + c Hess pi + lambda Hess g against differences");
    report("invariant-symmetry", symmetric, exact_tolerance, "grad pi . xi = 0");
  }

  /// The (d+1)-th difference of a polynomial of degree d vanishes.
  void degrees() {
    const auto vanishing = [&](int degree, const std::function<Vector(const Point&, const Vector&)>& f) {
      Disagreement found;
      for (const Point& z : points_) {
        Vector sum;
        double binomial = 1, scale = 0;
        for (int k = 0; k <= degree + 1; ++k) {
          const Vector value = f(z, z.q + 0.25 * k * z.w);
          scale = std::max(scale, binomial * value.lpNorm<Eigen::Infinity>());
          const Vector term = (k % 2 ? -binomial : binomial) * value;
          sum = k ? Vector(sum + term) : term;
          binomial *= static_cast<double>(degree + 1 - k) / (k + 1);
        }
        found.compare(Vector::Zero(sum.size()), sum);
        found.scale_with(scale);
      }
      return found;
    };
    if (s_.traits().potential_degree >= 0)
      report("potential-degree",
             vanishing(s_.traits().potential_degree,
                       [&](const Point& z, const Vector& q) { return Vector::Constant(1, s_.potential(z.t, q)); }),
             exact_tolerance, "U is of the declared degree");
    if (m_ > 0 && s_.traits().constraint_degree >= 0)
      report("constraint-degree",
             vanishing(s_.traits().constraint_degree, [&](const Point& z, const Vector& q) { return g(z.t, q); }),
             exact_tolerance, "g is of the declared degree");
  }

  const System& s_;
  Index n_, m_;
  std::vector<Point> points_;
  double step_;
  Quantities out_;
};

}  // namespace

Quantities check_derivatives(const ProblemInstance& instance) {
  if (const OverdeterminedSystem* dae = instance.model->overdetermined())
    return check_overdetermined(*dae, instance.q0, instance.p0);
  const System& system = mechanical(instance);
  // Obstacles are differentiated where they are held closed.
  if (system.parts().obstacles) {
    ProblemInstance closed = instance;
    closed.model = system.parts().obstacles->with_obstacles_closed();
    return check_derivatives(closed);
  }
  const Index n = system.n();
  Uniform uniform(3);
  std::vector<Point> points;
  const double scale = std::max(1e-3, instance.q0.lpNorm<Eigen::Infinity>());
  for (int k = 0; k < 4; ++k) {
    Point z{instance.t0, instance.q0, Vector(n), Vector(n), Vector(system.m())};
    uniform.fill(z.v);
    uniform.fill(z.w);
    uniform.fill(z.lambda);
    z.v *= scale;
    z.w *= scale;
    if (k > 0) {  // the start itself, then points beside it, off the constraints too
      Vector shift(n);
      uniform.fill(shift);
      z.q += 0.1 * scale * shift;
    }
    points.push_back(std::move(z));
  }
  Quantities out = Checker(instance, std::move(points)).run();
  // Forces outside U and g are seen where the system is taken as an overdetermined DAE.
  const Parts& parts = system.parts();
  const bool moving = parts.time_dependence || (parts.force && parts.force->force_depends_on_time());
  if (!parts.mass && !moving && (parts.force || parts.friction)) {
    Vector v(n);
    system.mass().solve(instance.p0, v);
    for (Quantity& quantity : check_overdetermined(*overdetermined_from(instance.model), instance.q0, v))
      out.push_back(std::move(quantity));
  }
  return out;
}

Quantities measure_derivatives(const Registry& registry, const Case& c) {
  return check_derivatives(build(registry, c));
}

}  // namespace gnomon::validation
