/// \file
/// Two strings between the same ends, that push each other without friction.

#include <cmath>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/linear_structure.hpp"

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

/// The model with its two graphs, ends included.
class Strings final : public LinearStructure, public gnomon::CurveModel {
 public:
  Strings(LinearStructureData data, Index intervals) : LinearStructure(std::move(data)), intervals_(intervals) {}
  std::vector<gnomon::Curve> curves() const override {
    return {{"u", intervals_ + 1, 2, false}, {"v", intervals_ + 1, 2, false}};
  }
  void curve_points(Index k, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) const override {
    for (Index i = 0; i <= intervals_; ++i) {
      points(0, i) = static_cast<double>(i) / static_cast<double>(intervals_);
      points(1, i) = i == 0 || i == intervals_ ? 0 : q[u(i - 1) + k];
    }
  }

 private:
  Index intervals_;
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
           "start at rest: u = a sin(pi x), v = -b sin(2 pi x)\n"
           "exact for equal strings, in the limit h = 0: max and min of the two free strings";
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
            OptionSpec::real("b", .01, -1, 1, "m", "amplitude of v")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Index intervals = parameters.integer("intervals"), nodes = intervals - 1, n = 2 * nodes;
    const double h = 1 / static_cast<double>(intervals);
    const double rho[2] = {parameters.real("rho1"), parameters.real("rho2")};
    const double tau[2] = {parameters.real("tau1"), parameters.real("tau2")};
    const double a = parameters.real("a"), b = parameters.real("b");
    const bool consistent = parameters.is("mass", "consistent");

    SparseMatrixBuilder stiffness, mass, obstacles;
    for (Index i = 0; i < nodes; ++i) {
      for (Index s = 0; s < 2; ++s) {
        const Index j = u(i) + s;
        stiffness.add(j, j, 2 * tau[s] / h);
        if (consistent) mass.add(j, j, 4 * rho[s] * h / 6);
        if (i == 0) continue;
        for (const auto& [k, l] : {std::pair(j, j - 2), std::pair(j - 2, j)}) {
          stiffness.add(k, l, -tau[s] / h);
          if (consistent) mass.add(k, l, rho[s] * h / 6);
        }
      }
      obstacles.add(i, u(i), 1);
      obstacles.add(i, v(i), -1);
    }
    const auto mass_matrix = [&] {
      if (consistent) {
        const SparseMatrix m = mass.build(n, n);
        return gnomon::Mass::sparse(m.pattern, m.values);
      }
      Vector diagonal(n);
      for (Index i = 0; i < nodes; ++i) diagonal.segment<2>(u(i)) << rho[0] * h, rho[1] * h;
      return gnomon::Mass::diagonal(diagonal);
    };
    LinearStructureData data(name(), mass_matrix(), stiffness.build(n, n));
    data.obstacles = obstacles.build(nodes, n);
    data.traits.blocks = {{"nodes", 0, n}};
    data.traits.constraint_weights = Vector::Constant(nodes, h);

    gnomon::ProblemInstance instance;
    instance.q0 = instance.p0 = Vector::Zero(n);
    const double pi = std::acos(-1.0);
    for (Index i = 0; i < nodes; ++i) {
      const double x = h * static_cast<double>(i + 1);
      instance.q0[u(i)] = a * std::sin(pi * x);
      instance.q0[v(i)] = -b * std::sin(2 * pi * x);
    }
    if (rho[0] == rho[1] && tau[0] == tau[1]) {
      const double c = std::sqrt(tau[0] / rho[0]);
      instance.exact = [=, mass = data.mass](double t, Vector& q, Vector& p) {
        q.resize(n);
        p.resize(n);
        Vector velocity(n);
        for (Index i = 0; i < nodes; ++i) {
          const double x = h * static_cast<double>(i + 1);
          double free[2] = {a * std::sin(pi * x) * std::cos(pi * c * t),
                            -b * std::sin(2 * pi * x) * std::cos(2 * pi * c * t)};
          double speed[2] = {-a * pi * c * std::sin(pi * x) * std::sin(pi * c * t),
                             2 * pi * c * b * std::sin(2 * pi * x) * std::sin(2 * pi * c * t)};
          const bool crossed = free[0] < free[1];
          q[u(i)] = free[crossed];
          q[v(i)] = free[!crossed];
          velocity[u(i)] = speed[crossed];
          velocity[v(i)] = speed[!crossed];
        }
        mass.apply(velocity, p);
      };
    }
    instance.model = std::make_shared<Strings>(std::move(data), intervals);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(colliding_strings) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<CollidingStrings>()));
}
