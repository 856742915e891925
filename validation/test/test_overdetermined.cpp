/// Overdetermined DAEs through the whole chain, against paper 001's two problems.
#define BOOST_TEST_MODULE overdetermined
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/autodiff_overdetermined.hpp"
#include "gnomon/gnomon.hpp"

using namespace gnomon;

namespace {

/// (4.1), variant A.
struct Example41 : AutodiffOverdeterminedModel<2, 2, 1> {
  OverdeterminedTraits describe() const {
    OverdeterminedTraits t;
    t.name = "(4.1)";
    return t;
  }
  template <class S>
  void velocity(const S*, const S* z, S* v) const {
    v[0] = 2 * z[0];
    v[1] = -z[1];
  }
  template <class S>
  void force(const S* y, const S* z, S* f) const {
    f[0] = 2 * (y[0] * y[1] * z[0] * z[1]) - y[0] * z[0] * z[1];
    f[1] = z[0] - y[0] * z[1] * z[1] * z[1];
  }
  template <class S>
  void multiplier_force(const S* y, const S* z, const S* psi, S* r) const {
    using std::sqrt;
    r[0] = y[1] * z[0] * psi[0] * psi[0];
    r[1] = -sqrt(y[0]) * z[0] * z[1] * z[1] * psi[0];
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[0] * y[1] * y[1] - 1;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(paper_example_41) {
  Registry registry;
  register_builtin(registry);
  const auto system = std::make_shared<AutodiffOverdetermined<Example41>>(Example41());
  for (const char* name : {"symplectic-euler-true", "symplectic-euler-natural"})
    for (const double h : {1e-1, 1e-2, 1e-3}) {
      const Scheme& scheme = registry.scheme(name);
      const SolverFactory& solver = registry.solver("kinsol-newton");
      Integrator integrator(system, scheme, Options("scheme", scheme.options()), solver,
                            Options("solver", solver.options()));
      integrator.start(0, Vector::Ones(2), Vector::Ones(2));
      const StepReport report = integrator.advance_to(1, h);
      BOOST_TEST(report.success(), report.message);
      const Vector exact = (Vector(2) << std::exp(2), std::exp(-1)).finished();
      BOOST_TEST_MESSAGE(name << " " << h << " " << (integrator.state().q.value() - exact).norm() << " "
                              << (integrator.state().p.value() - exact).norm() << " psi " << integrator.state().lambda);
    }
}
