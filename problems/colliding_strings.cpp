/// \file
/// Two strings between the same ends, that push each other without friction.

#include <cmath>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/linear_structure.hpp"
#include "kernels/unused_parameter.hpp"

namespace {

using gnomon::Index;
using gnomon::Vector;
using namespace gnomon::problems;

/// Unknowns u_1, v_1, u_2, v_2, ...: neighbours in space are neighbours in the matrix.
Index u(Index node) {
  return 2 * node;
}
Index v(Index node) {
  return 2 * node + 1;
}

/// The model with its two graphs, ends included where they are at rest: a graph is a function of q.
class Strings final : public LinearStructure, public gnomon::CurveModel {
 public:
  Strings(LinearStructureData data, Index intervals)
      : LinearStructure(std::move(data)), intervals_(intervals), first_(parts().time_dependence ? 1 : 0) {}
  std::vector<gnomon::Curve> curves() const override {
    const Index points = intervals_ + 1 - 2 * first_;
    return {{"u", points, 2, false}, {"v", points, 2, false}};
  }
  void curve_points(Index k, double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) const override {
    for (Index i = first_; i <= intervals_ - first_; ++i) {
      points(0, i - first_) = static_cast<double>(i) / static_cast<double>(intervals_);
      points(1, i - first_) = i == 0 || i == intervals_ ? 0 : q[u(i - 1) + k];
    }
  }

 private:
  Index intervals_, first_;
};

/// Waves of one discretised string of length 1: sin(kappa x_i) cos(omega t) solves its equations where
///
///     lumped        1 - r/2 = cos(kappa h),                  r = rho h^2 omega^2/tau
///     consistent    (6 - 2 r)/(6 + r) = cos(kappa h)
struct DiscreteString {
  double h, rho, tau;
  bool consistent;

  double cosine(double omega) const {
    const double r = rho * h * h * omega * omega / tau;
    return consistent ? (6 - 2 * r) / (6 + r) : 1 - 0.5 * r;
  }
  double frequency(double kappa) const {
    const double c = std::cos(kappa * h), r = consistent ? 6 * (1 - c) / (2 + c) : 2 * (1 - c);
    return std::sqrt(r * tau / rho) / h;
  }
  double wave_number(double omega) const { return std::acos(cosine(omega)) / h; }
};

/// An end that moves by y(t), at the distance xi = 1 of the other: y(t) xi at rest, and a standing wave beside it,
/// amplitude (xi - cos(frequency t) sin(kappa xi)/sin(kappa)).
struct StringEnd {
  Swing y;
  double shape(double kappa, double xi, double cosine) const {
    return y.amplitude * (xi - cosine * std::sin(kappa * xi) / std::sin(kappa));
  }
};

/// The numbers of a pair, and what is made of them.
struct StringPair {
  StringPair(const std::string& problem, const gnomon::Options& parameters)
      : name(problem),
        intervals(parameters.integer("intervals")),
        h(1 / static_cast<double>(intervals)),
        a(parameters.real("a")),
        b(parameters.real("b")),
        eps(parameters.real("eps")),
        consistent(parameters.is("mass", "consistent")),
        rho{parameters.real("rho1"), parameters.real("rho2")},
        tau{parameters.real("tau1"), parameters.real("tau2")},
        discrete{{h, rho[0], tau[0], consistent}, {h, rho[1], tau[1], consistent}},
        ends{end(parameters, "a"), end(parameters, "b")} {}

  bool moves() const { return ends[0].y.amplitude != 0 || ends[1].y.amplitude != 0; }

  LinearStructureData structure() const {
    SparseMatrixBuilder stiffness, obstacles;
    for (Index i = 0; i < nodes; ++i) {
      for (Index s = 0; s < 2; ++s) {
        const Index j = u(i) + s;
        stiffness.add(j, j, 2 * tau[s] / h);
        if (i == 0) continue;
        for (const auto& [k, l] : {std::pair(j, j - 2), std::pair(j - 2, j)}) stiffness.add(k, l, -tau[s] / h);
      }
      obstacles.add(i, u(i), 1);
      obstacles.add(i, v(i), -1);
      if (eps > 0)
        for (const auto& [k, l] : {std::pair(u(i), v(i)), std::pair(v(i), u(i))}) stiffness.add(k, l, 0);
    }
    LinearStructureData data(name, mass(), stiffness.build(n, n));
    data.obstacles = obstacles.build(nodes, n);
    data.softness = eps;
    data.traits.blocks = {{"nodes", 0, n}};
    data.traits.constraint_weights = Vector::Constant(nodes, h);
    for (Index e = 0; e < 2; ++e)
      if (ends[e].y.amplitude != 0) data.moving.push_back(moving_end(e));
    return data;
  }

  gnomon::Mass mass() const {
    if (!consistent) {
      Vector diagonal(n);
      for (Index i = 0; i < nodes; ++i) diagonal.segment<2>(u(i)) << rho[0] * h, rho[1] * h;
      return gnomon::Mass::diagonal(diagonal);
    }
    SparseMatrixBuilder mass;
    for (Index j = 0; j < n; ++j) {
      mass.add(j, j, 4 * rho[j % 2] * h / 6);
      if (j < 2) continue;
      for (const auto& [k, l] : {std::pair(j, j - 2), std::pair(j - 2, j)}) mass.add(k, l, rho[j % 2] * h / 6);
    }
    const SparseMatrix m = mass.build(n, n);
    return gnomon::Mass::sparse(m.pattern, m.values);
  }

  MovingPoint moving_end(Index e) const {
    MovingPoint point;
    point.y = ends[e].y;
    point.stiffness = Vector::Zero(n);
    if (consistent) point.mass = Vector::Zero(n);
    for (Index s = 0; s < 2; ++s) {
      const Index j = u(e == 0 ? 0 : nodes - 1) + s;
      point.stiffness[j] = tau[s] / h;
      point.own += tau[s] / h;
      if (consistent) point.mass[j] = rho[s] * h / 6;
    }
    return point;
  }

  /// The motion of the ends of string s at t, or its velocity, at x.
  double driven(Index s, double x, double t, bool velocity) const {
    double sum = 0;
    for (Index e = 0; e < 2; ++e) {
      const auto& [y] = ends[e];
      if (y.amplitude == 0) continue;
      const double kappa = discrete[s].wave_number(y.frequency), xi = e == 0 ? 1 - x : x;
      sum += velocity ? y.velocity(t) * std::sin(kappa * xi) / std::sin(kappa)
                      : ends[e].shape(kappa, xi, std::cos(y.frequency * t));
    }
    return sum;
  }

  Vector start() const {
    Vector q(n);
    for (Index i = 0; i < nodes; ++i) {
      const double x = h * static_cast<double>(i + 1);
      q[u(i)] = a * std::sin(pi * x);
      q[v(i)] = -b * std::sin(2 * pi * x);
      for (Index s = 0; s < 2 && moves(); ++s) q[u(i) + s] += driven(s, x, 0, false);
    }
    return q;
  }

  /// Equal strings exchange their motions, in the limit h = 0, where they collide.
  void exact(double t, const gnomon::Mass& mass, Vector& q, Vector& p) const {
    const double c = std::sqrt(tau[0] / rho[0]);
    const double w1 = moves() ? discrete[0].frequency(pi) : pi * c;
    const double w2 = moves() ? discrete[0].frequency(2 * pi) : 2 * pi * c;
    q.resize(n);
    p.resize(n);
    Vector velocity(n);
    for (Index i = 0; i < nodes; ++i) {
      const double x = h * static_cast<double>(i + 1);
      const double free[2] = {a * std::sin(pi * x) * std::cos(w1 * t), -b * std::sin(2 * pi * x) * std::cos(w2 * t)};
      const double speed[2] = {-a * w1 * std::sin(pi * x) * std::sin(w1 * t),
                               w2 * b * std::sin(2 * pi * x) * std::sin(w2 * t)};
      const bool crossed = free[0] < free[1];
      const double shift = moves() ? driven(0, x, t, false) : 0, rate = moves() ? driven(0, x, t, true) : 0;
      q[u(i)] = free[crossed] + shift;
      q[v(i)] = free[!crossed] + shift;
      velocity[u(i)] = speed[crossed] + rate;
      velocity[v(i)] = speed[!crossed] + rate;
    }
    mass.apply(velocity, p);
  }

  /// Throws Error(bad_value) where a string has no standing wave of this frequency.
  StringEnd end(const gnomon::Options& parameters, const std::string& which) const {
    const std::string frequency = "frequency_" + which;
    StringEnd end{{parameters.real("amplitude_" + which), parameters.real(frequency)}};
    if (end.y.amplitude == 0) {
      refuse_unused(parameters, name, frequency, "amplitude_" + which);
      return end;
    }
    for (const DiscreteString& string : discrete) {
      const double cosine = string.tau > 0 ? string.cosine(end.y.frequency) : -2;
      const bool wave = cosine > -1 && end.y.frequency > 0;
      if (!wave || std::abs(std::sin(string.wave_number(end.y.frequency))) < 1e-6)
        throw gnomon::Error(gnomon::ErrorCode::bad_value,
                            "problem " + name + ": " + frequency + " = " + gnomon::number_text(end.y.frequency) +
                                " has no standing wave on the strings, expected one above zero, below their highest " +
                                "frequency and off their resonances");
    }
    return end;
  }

  std::string name;
  Index intervals, nodes = intervals - 1, n = 2 * nodes;
  double h, a, b, eps;
  bool consistent;
  double rho[2], tau[2];
  DiscreteString discrete[2];
  StringEnd ends[2];
  double pi = std::acos(-1.0);
};

class CollidingStrings final : public gnomon::Problem {
 public:
  std::string name() const override { return "colliding-strings"; }
  std::string description() const override {
    return "two strings between the same ends that collide, linear elements, sparse, for any number of intervals";
  }
  std::string equations() const override {
    return "rho1 u'' = tau1 u_xx,  rho2 v'' = tau2 v_xx on (0, 1),  u >= v,  u = v = 0 at both ends\n"
           "q = (u_1, v_1, u_2, v_2, ...) at x_i = i h, h = 1/intervals\n"
           "U = sum over elements of h [tau1 (Delta u/h)^2 + tau2 (Delta v/h)^2]/2\n"
           "mass=lumped: M = diag(rho1 h, rho2 h, ...),  mass=consistent: that of linear elements\n"
           "obstacles c_i = u_i - v_i, with weights h in a penalty\n"
           "eps > 0: no obstacles, but U + sum h ((-c_i)^+)^2/(2 eps), for methods that know no obstacles\n"
           "start at rest: u = a sin(pi x), v = -b sin(2 pi x)\n"
           "exact for equal strings, in the limit h = 0: max and min of the two free strings\n"
           "amplitude_a: both strings at x = 0 at y(t) = amplitude_a (1 - cos(frequency_a t)), amplitude_b: at x = 1;\n"
           "  the end is no unknown: U(q,t) has y in its first element, and mass=consistent the force -y'' rho h/6\n"
           "  start and exact: plus amplitude_a (xi - cos(frequency_a t) sin(k xi)/sin k), xi = 1 - x, k the wave "
           "number of\n"
           "  the discretised string; the free strings have its frequencies, so that exact is the motion up to contact";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "section 3, (46), (53), (66), (67)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::integer("intervals", 100, 2, 1000000, "I"),
            OptionSpec::choice("mass", {"lumped", "consistent"}, "the mass matrix"),
            OptionSpec::real("rho1", 1, 1e-6, 1e6, "kg/m", "density of u"),
            OptionSpec::real("rho2", 1, 1e-6, 1e6, "kg/m", "density of v"),
            OptionSpec::real("tau1", 1, 0, 1e6, "N", "tension of u"),
            OptionSpec::real("tau2", 1, 0, 1e6, "N", "tension of v"),
            OptionSpec::real("a", .02, -1, 1, "m", "amplitude of u"),
            OptionSpec::real("b", .01, -1, 1, "m", "amplitude of v"),
            OptionSpec::real("eps", 0, 0, 1e6, "m/N", "softness of the contact as a part of U; 0: obstacles"),
            OptionSpec::real("amplitude_a", 0, -1, 1, "m", "of the motion of both strings' end x = 0"),
            OptionSpec::real("frequency_a", 2, 0, 1e6, "rad/s", "of that motion, amplitude_a only"),
            OptionSpec::real("amplitude_b", 0, -1, 1, "m", "of the motion of both strings' end x = 1"),
            OptionSpec::real("frequency_b", 2, 0, 1e6, "rad/s", "of that motion, amplitude_b only")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const StringPair pair(name(), parameters);
    LinearStructureData data = pair.structure();
    gnomon::ProblemInstance instance;
    instance.q0 = pair.start();
    instance.p0 = Vector::Zero(pair.n);
    if (pair.rho[0] == pair.rho[1] && pair.tau[0] == pair.tau[1] && pair.eps == 0)
      instance.exact = [pair, mass = data.mass](double t, Vector& q, Vector& p) { pair.exact(t, mass, q, p); };
    const auto strings = std::make_shared<const Strings>(std::move(data), pair.intervals);
    instance.model = strings;
    instance.curves = strings;
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(colliding_strings) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<CollidingStrings>()));
}
