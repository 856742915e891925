#include "start/system_checker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/uniform.hpp"
#include "start/natural_size.hpp"
#include "start/short_time.hpp"

namespace gnomon {

SystemChecker::SystemChecker(const System& system, double t0, const Vector& q0, const Vector& p0)
    : s_(system), n_(system.n()), m_(system.m()), positions_(m_ - system.parts().n_velocity_constraints()) {
  Uniform uniform(3);
  size_ = natural_size(system, t0, q0, p0);
  step_ = thresholds::central_spacing * size_;
  for (int k = 0; k < 4; ++k) {
    Point z{t0, q0, Vector(n_), Vector(n_), Vector(m_)};
    uniform.fill(z.v);
    uniform.fill(z.w);
    uniform.fill(z.lambda);
    z.w *= size_;
    if (k > 0) {  // the start itself, then points beside it, off the constraints too
      Vector shift(n_);
      uniform.fill(shift);
      z.q += 0.1 * size_ * shift;
    }
    points_.push_back(std::move(z));
  }
  Vector pull(n_), force(n_), velocity(n_), scratch(n_), entries(s_.constraint_pattern().nonzeros());
  double energy = 0, fastest = 0;
  row_.setZero(m_);
  for (const Point& z : points_) {
    force = gradient(z, z.q);
    energy = std::max(energy, size_ * max_norm(force));
    if (s_.parts().force) {
      s_.parts().force->force(z.t, z.q, Vector::Zero(n_), pull);
      force -= pull;
    }
    s_.mass().solve(force, pull);
    fastest = std::max(fastest, max_norm(pull));
    if (m_ == 0) continue;
    s_.constraint_jacobian(z.t, z.q, entries);
    const SparsityPattern& pattern = s_.constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        row_[i] = std::max(row_[i], size_ * std::abs(entries[k]));
  }
  s_.velocity(q0, p0, scratch, velocity);
  time_ = natural_time(Vector::Constant(1, size_), velocity, Vector::Constant(1, fastest));
  for (double& unit : row_) unit = unit > 0 && std::isfinite(unit) ? std::exp2(std::ilogb(unit)) : 1;
  for (Point& z : points_) {
    z.v *= size_ / time_;
    z.lambda = (energy > 0 ? energy : 1) * in_units(z.lambda);
  }
}

std::vector<ModelCheck> SystemChecker::run() {
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
  if (s_.parts().velocity_constraints) velocity_constraints();
  hessian();
  if (s_.parts().symmetries) symmetries();
  if (s_.parts().split) invariants();
  degrees();
  return std::move(out_);
}

Vector SystemChecker::difference(const Vector& formula, const Function& f, const Vector& q,
                                 const Vector& direction) const {
  Vector nearest, last;
  double least = std::numeric_limits<double>::infinity();
  for (const double part : thresholds::tried_ways) {
    const double s = part * step_ / direction.lpNorm<Eigen::Infinity>();
    const Vector after = f(q + s * direction), before = f(q - s * direction);
    // A shorter step must resolve what is compared: below rounding every function is constant.
    const double noise = thresholds::unit_of_rounding * std::max(max_norm(after), max_norm(before)) / s;
    const double size = std::max(max_norm(formula), last.allFinite() ? max_norm(last) : 0);
    if (nearest.size() > 0 && !(noise <= thresholds::first_difference * size)) break;
    const Vector far = f(q + 2 * s * direction) - f(q - 2 * s * direction);
    const Vector quotient = (8 * (after - before) - far) / (12 * s);
    const bool settled =
        last.size() > 0 && max_norm(quotient - last) <= thresholds::first_difference * max_norm(quotient);
    const double apart = max_norm(formula - quotient);
    if (nearest.size() == 0 || apart < least) nearest = quotient;
    if (apart < least) least = apart;
    if (settled || least <= thresholds::first_difference * max_norm(nearest)) break;
    last = quotient;
  }
  return nearest;
}

Vector SystemChecker::gradient(const Point& z, const Vector& q) const {
  Vector out(n_);
  s_.potential_gradient(z.t, q, out);
  return out;
}

Vector SystemChecker::constraint_force(const Point& z, const Vector& q) const {
  Vector out(n_), values(s_.constraint_pattern().nonzeros());
  s_.constraint_jacobian(z.t, q, values);
  multiply_transposed(s_.constraint_pattern(), values, z.lambda, out);
  return out;
}

Vector SystemChecker::g(double t, const Vector& q) const {
  Vector out(m_);
  s_.constraints(t, q, out);
  return in_units(out);
}

Vector SystemChecker::entries_in_units(Vector values) const {
  const std::vector<Index>& offsets = s_.constraint_pattern().offsets;
  for (Index i = 0; i < m_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    values.segment(offsets[at], offsets[at + 1] - offsets[at]) /= row_[i];
  }
  return values;
}

Vector SystemChecker::jacobian_values(double t, const Vector& q) const {
  Vector out(s_.constraint_pattern().nonzeros());
  s_.constraint_jacobian(t, q, out);
  return entries_in_units(std::move(out));
}

Vector SystemChecker::jacobian_times(double t, const Vector& q, const Vector& v) const {
  Vector out(m_);
  multiply(s_.constraint_pattern(), jacobian_values(t, q), v, out);
  return out;
}

void SystemChecker::report(const char* name, const Disagreement& found, double tolerance, const char* note) {
  out_.push_back({name, found.relative(), tolerance, note});
}

void SystemChecker::potential() {
  Disagreement first, second;
  for (const Point& z : points_) {
    const auto u = [&](const Vector& q) { return Vector::Constant(1, s_.potential(z.t, q)); };
    const Vector formula = gradient(z, z.q);
    Vector numeric(n_), hw(n_);
    for (Index j = 0; j < n_; ++j) numeric[j] = difference(formula.segment<1>(j), u, z.q, unit(j))[0];
    first.compare(formula, numeric);
    s_.potential_hessian_times(z.t, z.q, z.w, hw);
    const auto grad = [&](const Vector& q) { return gradient(z, q); };
    second.compare(hw, difference(hw, grad, z.q, z.w));
    second.scale_with(gradient(z, z.q).lpNorm<Eigen::Infinity>());
  }
  report("potential-gradient", first, thresholds::first_difference, "grad U against differences of U");
  report("potential-hessian", second, thresholds::first_difference, "(Hess U) w against differences of grad U");
}

/// T(q,p) at p = M(q) v: T_p = v, T_q, the Hessian and third derivatives along (w, M w), and the matrices of all
/// columns, against differences.
void SystemChecker::kinetic() {
  const ConfigurationMass& part = *s_.parts().mass;
  Disagreement velocity, first, second, third;
  for (const Point& z : points_) {
    Matrix mass(n_, n_);
    part.mass_matrix(z.q, mass);
    const Vector p = mass * z.v, w_p = mass * z.w / time_;
    // Derivatives by q and by p, as energies.
    const double momentum = max_norm(p);
    const auto in_energies = [&](const Vector& both) {
      Vector out(2 * n_);
      out << size_ * both.head(n_), momentum * both.tail(n_);
      return out;
    };
    Vector gradient(2 * n_), product(2 * n_), numeric(n_);
    part.kinetic_gradient(z.q, p, gradient.head(n_), gradient.tail(n_));
    velocity.compare(momentum * gradient.tail(n_), momentum * z.v);
    velocity.compare(part.kinetic_energy(z.q, p), 0.5 * p.dot(z.v));
    const auto energy = [&](const Vector& q) { return Vector::Constant(1, part.kinetic_energy(q, p)); };
    for (Index j = 0; j < n_; ++j) numeric[j] = difference(gradient.segment<1>(j), energy, z.q, unit(j))[0];
    first.compare(size_ * gradient.head(n_), size_ * numeric);
    first.scale_with(part.kinetic_energy(z.q, p));
    // The derivative of f(q, p, two halves of the result) along (w, M w/time), as energies.
    const auto along = [&](const Vector& formula, const auto& f) {
      const auto value = [&](const Vector& q) {
        const double distance = (q - z.q).dot(z.w) / z.w.squaredNorm();
        Vector out(2 * n_);
        f(q, p + distance * w_p, out.head(n_), out.tail(n_));
        return in_energies(out);
      };
      return difference(in_energies(formula), value, z.q, z.w);
    };
    part.kinetic_hessian_times(z.q, p, z.w, w_p, product.head(n_), product.tail(n_));
    const Vector slope = along(product, [&](const Vector& q, const Vector& p_at, auto out_q, auto out_p) {
      part.kinetic_gradient(q, p_at, out_q, out_p);
    });
    second.compare(in_energies(product), slope);
    const Vector u_q = time_ * z.v, u_p = 0.5 * p;
    part.kinetic_third(z.q, p, u_q, u_p, z.w, w_p, product.head(n_), product.tail(n_));
    third.compare(in_energies(product),
                  along(product, [&](const Vector& q, const Vector& p_at, auto out_q, auto out_p) {
                    part.kinetic_hessian_times(q, p_at, u_q, u_p, out_q, out_p);
                  }));
    Matrix columns(2 * n_, 2 * n_);
    Vector scratch(3 * n_), direction(2 * n_);
    direction << z.w, w_p;
    part.kinetic_hessian(z.q, p, scratch, columns);
    second.compare(in_energies(columns * direction), slope);
    part.velocity_hessian(z.q, p, u_p, scratch, columns);
    const Vector turned = columns * direction;
    third.compare(in_energies(turned), along(turned, [&](const Vector& q, const Vector& p_at, auto out_q, auto out_p) {
                    part.kinetic_hessian_times(q, p_at, Vector::Zero(n_), u_p, out_q, out_p);
                  }));
  }
  report("kinetic-velocity", velocity, thresholds::same_formula, "T_p = M(q)^-1 p and T = p . v / 2");
  report("kinetic-gradient", first, thresholds::first_difference, "T_q against differences of T");
  report("kinetic-hessian", second, thresholds::first_difference, "(Hess T) w against differences of (T_q, T_p)");
  report("kinetic-third", third, thresholds::first_difference,
         "third derivatives of T against differences of (Hess T) w");
}

/// dQ/dq and dQ/dv against differences of Q.
void SystemChecker::force() {
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
      if (by == ForceArgument::q)
        found.compare(along, difference(along, force_at, at, z.w));
      else
        found.compare(along / time_, difference_by_v(along, force_at, at, z.w) / time_);
      found.scale_with(force_at(at).lpNorm<Eigen::Infinity>());
    }
  report("force-by-q", by_q, thresholds::first_difference, "dQ/dq against differences of Q");
  report("force-by-v", by_v, thresholds::first_difference, "dQ/dv against differences of Q");
}

/// U and g at q + tail: the tail must be felt, with the gradient's slope.
void SystemChecker::compensated() {
  Disagreement energy, position;
  for (const Point& z : points_) {
    const Vector tail = thresholds::checked_tail * z.w, opposite = -tail;
    Vector scratch(n_), plus(m_), minus(m_), values(s_.constraint_pattern().nonzeros());
    const long double rise =
        s_.potential_compensated(z.t, z.q, tail, scratch) - s_.potential_compensated(z.t, z.q, opposite, scratch);
    energy.compare(static_cast<double>(rise / (2 * thresholds::checked_tail_extended)), gradient(z, z.q).dot(z.w));
    energy.scale_with(gradient(z, z.q).norm() * z.w.norm());
    if (m_ == 0) continue;
    s_.constraints_compensated(z.t, z.q, tail, plus, values);
    s_.constraints_compensated(z.t, z.q, opposite, minus, values);
    position.compare(in_units(plus - minus).head(positions_) / (2 * thresholds::checked_tail),
                     jacobian_times(z.t, z.q, z.w).head(positions_));
  }
  report("potential-tail", energy, thresholds::second_difference, "U at q + tail against U + grad U . tail");
  if (m_ > 0) report("constraint-tail", position, thresholds::second_difference, "g at q + tail against g + G tail");
}

void SystemChecker::hessian() {
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
    outside.scale_with(std::max(thresholds::no_division_by_zero, dense.lpNorm<Eigen::Infinity>()));
  }
  report("hessian", mutual, thresholds::same_formula, "Hess U + sum lambda Hess g against its products");
  report("hessian-pattern", outside, thresholds::same_formula, "entries of it outside its pattern");
}

/// The (d+1)-th difference of a polynomial of degree d vanishes.
void SystemChecker::degrees() {
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
           thresholds::same_formula, "U is of the declared degree");
  if (m_ > 0 && s_.traits().constraint_degree >= 0)
    report("constraint-degree",
           vanishing(s_.traits().constraint_degree, [&](const Point& z, const Vector& q) { return g(z.t, q); }),
           thresholds::same_formula, "g is of the declared degree");
}

}  // namespace gnomon
