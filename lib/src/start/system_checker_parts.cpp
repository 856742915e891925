#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/start/consistency.hpp"
#include "start/system_checker.hpp"

namespace gnomon {

std::vector<SystemChecker::Point> SystemChecker::projected() const {
  std::vector<Point> points = points_;
  for (Point& z : points) {
    Vector q = z.q, p(s_.n());
    s_.mass().apply(z.v, p);
    try {
      project_start(s_, z.t, q, p);
      z.q = q;
    } catch (const Error&) {
      z.q = points.front().q;
    }
  }
  return points;
}

void SystemChecker::symmetries() {
  const Symmetries& part = *s_.parts().symmetries;
  Disagreement potential, constraint, kinetic;
  Vector xi(n_), plus(n_), minus(n_);
  for (const Point& z : projected())
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
      const Vector mv = momenta(s_, z.q, z.v);
      double by_mass = 0;
      if (const ConfigurationMass* mass = s_.parts().mass) {
        Vector t_q(n_), t_p(n_);
        mass->kinetic_gradient(z.q, mv, t_q, t_p);
        by_mass = t_q.dot(xi);
      }
      const double d = thresholds::wide_spacing * time_;
      part.symmetry_generator(a, z.q + d * z.v, plus);
      part.symmetry_generator(a, z.q - d * z.v, minus);
      const Vector dxi = (plus - minus) / (2 * d);
      kinetic.compare(by_mass, mv.dot(dxi));
      kinetic.scale_with(mv.norm() * std::max(dxi.norm(), xi.norm() / time_));
    }
  report("symmetry-potential", potential, thresholds::same_formula, "grad U . xi = 0");
  if (m_ > 0) report("symmetry-constraints", constraint, thresholds::same_formula, "G xi = 0");
  report("symmetry-kinetic", kinetic, thresholds::symmetry, "p . (D xi v) = 0");
}

void SystemChecker::invariants() {
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
    for (Index j = 0; j < n_; ++j) jacobian.compare(dense.col(j), difference(dense.col(j), pi_of, z.q, unit(j)));
    for (Index k = 0; k < k_max; ++k) {
      const auto v = potential.invariant_potential(k, pi[k]);
      const double e = thresholds::central_spacing * (pi[k] != 0 ? std::abs(pi[k]) : 1);
      const auto up = potential.invariant_potential(k, pi[k] + e), down = potential.invariant_potential(k, pi[k] - e);
      double unit = 1;  // of the derivatives: powers of pi, so that all are energies
      for (std::size_t i = 0; i < 3; ++i) {
        unit *= pi[k] != 0 ? std::abs(pi[k]) : 1;
        chain.compare(unit * v[i + 1], unit * (up[i] - down[i]) / (2 * e));
      }
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
      return Vector(out + constraint_force(z, q));
    };
    Vector hessian_values(s_.hessian_pattern().nonzeros());
    potential.split_hessian(z.t, z.q, c, z.lambda, hessian_values);
    const Matrix split_hessian = to_dense(s_.hessian_pattern(), hessian_values);
    for (Index j = 0; j < n_; ++j)
      hessian.compare(split_hessian.col(j), difference(split_hessian.col(j), forces, z.q, unit(j)));
    hessian.scale_with(forces(z.q).lpNorm<Eigen::Infinity>() / size_);
    for (Index a = 0; a < s_.parts().n_symmetries(); ++a) {
      s_.parts().symmetries->symmetry_generator(a, z.q, xi);
      multiply(pattern, values, xi, along);
      symmetric.compare(Vector::Zero(k_max), along);
      symmetric.scale_with(values.norm() * xi.norm());
    }
  }
  report("invariant-jacobian", jacobian, thresholds::first_difference, "grad pi against differences");
  report("invariant-potential", chain, thresholds::first_difference, "V', V'', V''' against differences");
  report("invariant-split", split, thresholds::same_formula, "grad U2 + sum V' grad pi against grad U");
  report("invariant-hessian", hessian, thresholds::first_difference,
         "Hess U2 + c Hess pi + lambda Hess g against differences");
  report("invariant-symmetry", symmetric, thresholds::same_formula, "grad pi . xi = 0");
}

}  // namespace gnomon
