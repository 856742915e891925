// A simulation code that keeps its bodies in arrays of its own: Gnomon reads the start from them and writes the state
// back through Eigen::Map, between the steps by dense output.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gnomon/gnomon.hpp>
#include <gnomon/run/dense_output.hpp>
#include <vector>

/// Two bodies in the plane joined by a rod of length one, each on a spring to the origin:
/// U = k (|x1|^2 + |x2|^2) / 2,  g = (|x2 - x1|^2 - 1) / 2.
struct Dumbbell : gnomon::AutodiffModel<4, 1> {
  double stiffness = 2.0;
  gnomon::SystemTraits describe() const { return gnomon::polynomial_traits("dumbbell", 2, 2); }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(4, 0.5)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 0.5 * stiffness * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    const S x = q[2] - q[0], y = q[3] - q[1];
    g[0] = 0.5 * (x * x + y * y - 1.0);
  }
};

/// What the code has: positions and momenta of all bodies, one after the other.
struct Bodies {
  std::vector<double> positions{1.0, 0.0, 2.0, 0.0}, momenta{0.0, 0.5, 0.0, -0.2};
  Eigen::Map<gnomon::Vector> q() { return {positions.data(), 4}; }
  Eigen::Map<gnomon::Vector> p() { return {momenta.data(), 4}; }
};

int main() {
  gnomon::Registry registry;
  gnomon::register_builtin(registry);
  const gnomon::Scheme& scheme = registry.scheme("energy-momentum");
  const gnomon::SolverFactory& solver = registry.solver("newton");
  const auto system = std::make_shared<gnomon::AutodiffSystem<Dumbbell>>(Dumbbell());
  const auto make = [&] {
    return gnomon::Integrator(system, scheme, gnomon::Options("scheme", scheme.options()), solver,
                              gnomon::Options("solver", solver.options()));
  };

  Bodies bodies;
  gnomon::Integrator integrator = make();
  integrator.start(0.0, bodies.q(), bodies.p());
  gnomon::StepInterpolant between(*system);
  gnomon::State before;
  const double h = 0.01;
  double largest = 0, next_output = 0;
  while (integrator.state().t < 10.0) {
    before = integrator.state();
    if (!integrator.step(h).success()) return 1;
    for (; next_output <= integrator.state().t; next_output += 0.0037) {
      if (next_output <= before.t) continue;
      between.set(before, integrator.state());
      between.evaluate(next_output, 0, bodies.q(), bodies.p());
      const auto d = bodies.q().tail(2) - bodies.q().head(2);
      largest = std::max(largest, std::abs(d.squaredNorm() - 1));
    }
  }
  std::printf("rod between the steps: %.0e\n", largest);

  // A checkpoint, and the same run from it.
  integrator.save("views.gcp", "after ten seconds");
  gnomon::Integrator second = make();
  second.load("views.gcp");
  std::remove("views.gcp");
  integrator.advance(1000, h);
  second.advance(1000, h);
  bodies.q() = integrator.state().q.value();
  bodies.p() = integrator.state().p.value();
  const bool same = bodies.q() == second.state().q.value() && bodies.p() == second.state().p.value();
  const double energy = integrator.monitor().energy().max_abs_error(), rod = integrator.monitor().position_max();
  std::printf("t = %g: energy error %.0e, rod %.0e, restart %s\n", integrator.state().t, energy, rod,
              same ? "the same" : "DIFFERENT");
  return same && energy < 1e-12 && rod < 1e-13 && largest < 1e-9 ? 0 : 1;
}
