// Equations of the core, whose virtual functions every library that uses them makes for itself; and Gnomon without
// SuiteSparse: `auto` takes Eigen's sparse LU for a chain, whose 800 unknowns are too many for a dense
// matrix, and what needs SuiteSparse is not there.
#include <cstdio>
#include <gnomon/gnomon.hpp>
#include <gnomon/solve/equilibrium.hpp>

int main() {
  gnomon::Registry registry;
  gnomon::register_builtin(registry);
  for (const std::string& name : registry.algebras())
    if (name == "klu" || name == "krylov" || name == "sparse-qr") {
      std::printf("algebra %s needs SuiteSparse\n", name.c_str());
      return 1;
    }
  const auto chain = registry.build("chain", {{"links", "100"}});
  auto integrator = registry.integrator(chain, "energy-momentum", "kinsol-newton");
  const auto& system = dynamic_cast<const gnomon::System&>(*chain.model);
  gnomon::EquilibriumEquations rest(system, chain.t0, chain.q0, gnomon::EquilibriumEquations::Method::exact);
  gnomon::Vector x = gnomon::Vector::Zero(rest.size()), moved = x;
  rest.tangent(x, gnomon::Vector::Ones(rest.size()), moved);
  if (!(moved.norm() > 0)) return 1;
  const auto report = integrator.advance(100, 1e-3);
  std::printf("t = %g: energy error %.0e, constraint error %.0e\n", report.t,
              integrator.monitor().energy().max_abs_error(), integrator.monitor().position_max());
  return report.success() && integrator.monitor().position_max() < 1e-12 ? 0 : 1;
}
