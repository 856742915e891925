/// \file
/// Multipliers that belong to the state: of the order of q and p, for every scheme.

#include <boost/test/unit_test.hpp>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;

double apart(const Vector& a, const Vector& b) {
  return (a - b).norm() / std::max(b.norm(), 1e-300);
}

ReferenceReport reference(const ProblemInstance& instance, double t) {
  const Reference& ida = registry().reference("ida-index1");
  return ida.start(instance, Options("reference", ida.options()))->advance_to(t);
}

}  // namespace

// A step's own multipliers may be those of its middle; on request there are those of its end.
BOOST_AUTO_TEST_CASE(on_request) {
  int schemes = 0, better = 0;
  for (const char* problem : {"double-spherical-pendulum", "heavy-top", "ellipse-pendulum", "shaken-pendulum",
                              "cubic-surface", "odae-test"}) {
    ProblemInstance instance = registry().build(problem);
    if (const System* system = instance.model->mechanical(); system && system->parts().obstacles) {
      instance.model = system->parts().obstacles->with_obstacles_closed();
    }
    const double t = 0.2;
    const ReferenceReport exact = reference(instance, t);
    BOOST_REQUIRE(exact.success);
    for (const auto& scheme : registry().schemes()) {
      try {
        Integrator integrator = registry().integrator(instance, scheme, "kinsol-newton");
        if (!integrator.promises().constrained_limit || integrator.promises().order < 2) continue;
        if (!integrator.advance_to(t, 2e-3).success()) continue;
        const State& z = integrator.state();
        const double q = apart(z.q.value(), exact.q), p = apart(z.p.value(), exact.p);
        const double found = apart(integrator.index1_multipliers(), exact.lambda), own = apart(z.lambda, exact.lambda);
        BOOST_TEST(found <= 100 * std::max({q, p, 1e-9}), problem << ", " << scheme << ": q " << q << ", p " << p
                                                                  << ", lambda " << found << ", step's " << own);
        ++schemes;
        if (own > 10 * found) ++better;
      } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::refused), error.what());
      }
    }
  }
  BOOST_TEST(schemes > 30);
  BOOST_TEST(better > 5);
}

// composition leaves them in the state itself, whatever the model has.
BOOST_AUTO_TEST_CASE(of_a_composition) {
  int pairs = 0;
  for (const char* problem : {"double-spherical-pendulum", "heavy-top", "ellipse-pendulum", "shaken-pendulum",
                              "double-compound-pendulum", "spring-pendulum", "driven-double-pendulum"})
    for (const char* inner : {"energy-momentum", "energy-momentum-ggl", "rattle", "symplectic-euler-natural"}) try {
        const ProblemInstance instance = registry().build(problem);
        if (instance.model->m() == 0) continue;
        Integrator integrator = registry().integrator(instance, "composition", "kinsol-newton", {{"inner", inner}});
        BOOST_TEST(integrator.advance_to(0.2, 4e-3).success());
        const ReferenceReport exact = reference(instance, 0.2);
        const State& z = integrator.state();
        const double q = apart(z.q.value(), exact.q), p = apart(z.p.value(), exact.p),
                     lambda = apart(z.lambda, exact.lambda);
        BOOST_TEST(lambda <= 100 * std::max({q, p, 1e-9}),
                   problem << ", inner=" << inner << ": q " << q << ", p " << p << ", lambda " << lambda);
        ++pairs;
      } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::refused), error.what());
      }
  BOOST_TEST(pairs > 8);
}

BOOST_AUTO_TEST_CASE(of_contacts) {
  const ProblemInstance instance = registry().build("cubic-surface");
  Integrator integrator = registry().integrator(instance, "symplectic-euler-true", "kinsol-newton");
  BOOST_TEST(integrator.advance(20, 1e-3).success());
  const Vector found = integrator.index1_multipliers(), own = integrator.state().lambda;
  BOOST_REQUIRE(found.size() == own.size());
  for (Index i = 0; i < own.size(); ++i) BOOST_TEST((found[i] == 0) == (own[i] == 0));
  BOOST_TEST(apart(found, own) < 0.05);
}
