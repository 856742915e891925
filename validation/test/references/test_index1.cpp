// Index1, the equations of an overdetermined DAE at one point: against closed forms and mechanical accelerations,
// without constraints, where nothing can be solved, and without allocations.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "measures/run/counting_malloc.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "test/schemes/unit_mass.hpp"

using namespace gnomon;
using namespace gnomon::test;
using validation::CountAllocations;

namespace {

/// A free particle: m = 0 and p = (1 + y^2) z, so that (1 + y^2) z' + 2 y z^2 = -y.
struct Free : UnitMass<1, 0> {
  OverdeterminedTraits describe() const { return named("free"); }
  template <class S>
  void momentum(const S* y, const S* z, S* p) const {
    p[0] = (1.0 + y[0] * y[0]) * z[0];
  }
  template <class S>
  void force(const S* y, const S*, S* f) const {
    f[0] = -1.0 * y[0];
  }
  template <class S>
  void multiplier_force(const S*, const S*, const S*, S* r) const {
    r[0] = S(0.0);
  }
  template <class S>
  void constraints(const S*, S*) const {}
};

struct FreeSystem : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal((Vector(2) << 2, 5).finished()); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 0.5 * (3.0 * (q[0] * q[0]) + q[1] * q[1]);
  }
};

/// A bead on the line y2 = 0, under a load: psi + friction(psi) = load.
struct Bead : UnitMass<2, 1> {
  enum class Friction { root, not_a_number, throws, square, none } kind = Friction::root;
  double load = 4;
  double stiffness = 1;  ///< of the multiplier's own force
  OverdeterminedTraits describe() const { return named("bead"); }
  template <class S>
  void force(const S*, const S*, S* f) const {
    f[0] = S(0.0);
    f[1] = S(-load);
  }
  template <class S>
  void multiplier_force(const S*, const S*, const S* psi, S* r) const {
    using std::pow;
    r[0] = S(0.0);
    r[1] = stiffness * psi[0];
    switch (kind) {
      case Friction::root:
        r[1] = r[1] + pow(psi[0], 0.5);
        return;
      case Friction::throws:
        if (psi[0] < 0.0) throw CannotEvaluate("a negative normal force");
        [[fallthrough]];
      case Friction::not_a_number:
        r[1] = r[1] + (psi[0] < 0.0 ? S(std::nan("")) : 3.0 * (psi[0] * psi[0]));
        return;
      case Friction::square:
        r[1] = psi[0] * psi[0];
        return;
      case Friction::none:
        return;
    }
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[1];
  }
};

/// Two constraints whose gradients have the angle 1/slope with each other: the condition is of the order slope^2.
struct Wedge : UnitMass<2, 2> {
  double slope = 1;
  OverdeterminedTraits describe() const { return named("wedge"); }
  template <class S>
  void force(const S*, const S*, S* f) const {
    f[0] = S(1.0);
    f[1] = S(2.0);
  }
  template <class S>
  void multiplier_force(const S*, const S*, const S* psi, S* r) const {
    r[0] = -1.0 * psi[1] / slope;
    r[1] = -1.0 * psi[0] - psi[1];
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[1];
    g[1] = y[1] + y[0] / slope;
  }
};

struct Solved {
  Vector w, psi;
};
Solved solve(const Bead& bead, double start) {
  const AutodiffOverdetermined<Bead> system(bead);
  Solved s{Vector::Zero(2), Vector::Constant(1, start)};
  Index1(system).solve(Vector::Zero(2), Vector::Unit(2, 0), s.w, s.psi);
  return s;
}

/// A problem's start as an overdetermined DAE.
struct Start {
  std::shared_ptr<const System> mechanical;
  std::shared_ptr<const OverdeterminedSystem> system;
  Vector q, v, p;
};
Start start_of(const Registry& registry, const std::string& problem, const Assignments& set) {
  const ProblemInstance instance = registry.build(problem, set);
  Start s{shared_system(instance.model), overdetermined_from(instance.model), instance.q0,
          Vector::Zero(instance.q0.size()), instance.p0};
  s.mechanical->mass().solve(s.p, s.v);
  return s;
}

}  // namespace

/// Small, Jay, (4.2): psi = m (g + 6 b y1 z1^2)/(1 + 9 b^2 y1^4), whatever the friction.
BOOST_AUTO_TEST_CASE(cubic_surface) {
  const Start s = start_of(registry(), "cubic-surface", {{"contact", "kept"}});
  Vector w = Vector::Zero(2), psi = Vector::Zero(1);
  Index1(*s.system).solve(s.q, s.v, w, psi);
  BOOST_TEST(std::abs(psi[0] - (9.81 + 6 * .01 * 10 * 3.6 * 3.6) / 10) <= 1e-14);
  BOOST_TEST(std::abs(w[1] - 3 * w[0] - 6 * .01 * 10 * 3.6 * 3.6) <= 1e-13);
}

/// Dense (20 and 80 unknowns) and sparse (200) against the null-space form of the mechanical accelerations.
BOOST_AUTO_TEST_CASE(mechanical) {
  const Registry& registry = gnomon::registry();
  for (const char* links : {"5", "20", "50"}) {
    const Start s = start_of(registry, "chain", {{"start", "spatial"}, {"links", links}});
    Vector a, lambda;
    acceleration(*s.mechanical, 0, s.q, s.v, a, lambda);
    Vector w = Vector::Zero(s.v.size()), psi = Vector::Zero(lambda.size()), z = Vector::Zero(s.v.size());
    Index1 index1(*s.system);
    index1.solve(s.q, s.v, w, psi);
    BOOST_TEST((w - a).norm() <= 1e-12 * a.norm(), links << " links: " << (w - a).norm() / a.norm());
    BOOST_TEST((psi - lambda).norm() <= 1e-12 * lambda.norm(), links << " links");
    index1.solve_momentum(s.q, s.p, z);
    BOOST_TEST((z - s.v).norm() <= 1e-15 * s.v.norm());
    index1.solve(-s.q, s.v, w, psi);  // kept factors belong to their own matrix
    index1.solve(s.q, s.v, w, psi);
    BOOST_TEST((w - a).norm() <= 1e-12 * a.norm());
  }
}

BOOST_AUTO_TEST_CASE(without_constraints) {
  const AutodiffOverdetermined<Free> system{Free()};
  const Vector y = Vector::Constant(1, 2), z = Vector::Constant(1, 3), p = Vector::Constant(1, 15);
  Vector w = Vector::Zero(1), psi(0), found = Vector::Zero(1);
  Index1 index1(system);
  index1.solve(y, z, w, psi);
  BOOST_TEST(std::abs(w[0] - (-2.0 - 2 * 2 * 9) / 5) <= 1e-14);
  index1.solve_momentum(y, p, found);
  BOOST_TEST(std::abs(found[0] - 3) <= 1e-15);
  check_start(system, y, z);

  const auto mechanical = overdetermined_from(std::make_shared<AutodiffSystem<FreeSystem>>(FreeSystem()));
  const Vector q = Vector::Constant(2, 2), v = Vector::Ones(2);
  Vector a = Vector::Zero(2);
  Index1(*mechanical).solve(q, v, a, psi);
  BOOST_TEST((a - (Vector(2) << -3, -.4).finished()).norm() <= 1e-15);
}

/// r is not finite on one side of zero, or its derivative at zero is infinite or zero: the multiplier is found.
BOOST_AUTO_TEST_CASE(friction_with_bounds) {
  Bead bead;  // psi + sqrt(psi) = 4
  const double root = std::pow((std::sqrt(17.0) - 1) / 2, 2);
  for (const double start : {0.0, 1e-3, 100.0})
    BOOST_TEST(std::abs(solve(bead, start).psi[0] - root) <= 1e-14, "from " << start);
  for (const auto kind : {Bead::Friction::not_a_number, Bead::Friction::throws}) {  // psi + 3 psi^2 = .01
    bead.kind = kind;
    bead.load = .01;
    for (const double start : {0.0, 1.0, 50.0})
      BOOST_TEST(std::abs(solve(bead, start).psi[0] - (std::sqrt(1.12) - 1) / 6) <= 1e-15, "from " << start);
    bead.load = -4;  // would need psi < 0
    BOOST_CHECK_EXCEPTION(solve(bead, 1), CannotEvaluate, says("multiplier force r(y,z,psi)"));
  }
  bead.kind = Bead::Friction::square;
  bead.load = 9;
  BOOST_TEST(std::abs(solve(bead, 0).psi[0] - 3) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(singular_multiplier) {
  Bead bead;
  bead.kind = Bead::Friction::none;
  bead.stiffness = 0;
  BOOST_CHECK_EXCEPTION(solve(bead, 1), Error, says("its condition number is inf"));
  const AutodiffOverdetermined<Bead> system(bead);
  BOOST_CHECK_EXCEPTION(check_start(system, Vector::Zero(2), Vector::Unit(2, 0)), Error, says("is singular"));
  // No scale makes a regular one singular.
  for (const double stiffness : {1e-30, 1e30}) {
    bead.stiffness = stiffness;
    BOOST_TEST(std::abs(solve(bead, 0).psi[0] * stiffness / 4 - 1) <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(nearly_dependent_constraints) {
  const auto solved = [](double slope) {
    Wedge wedge;
    wedge.slope = slope;
    const AutodiffOverdetermined<Wedge> system(wedge);
    Vector w = Vector::Zero(2), psi = Vector::Zero(2);
    Index1(system).solve(Vector::Zero(2), Vector::Zero(2), w, psi);
    return psi;
  };
  for (const double slope : {1.0, 1e3, 1e5})  // psi2 = slope, psi1 = 2 - slope
    BOOST_TEST((solved(slope) - (Vector(2) << 2 - slope, slope).finished()).norm() <= 1e-15 * slope * slope * slope);
  BOOST_CHECK_EXCEPTION(solved(1e7), Error, says("is singular"));
}

BOOST_AUTO_TEST_CASE(nothing_allocates) {
  if (!CountAllocations::available()) return;
  const Registry& registry = gnomon::registry();
  for (const Start& s :
       {start_of(registry, "cubic-surface", {{"contact", "kept"}}), start_of(registry, "heavy-top", {}),
        start_of(registry, "chain", {{"start", "spatial"}, {"links", "25"}})}) {
    const OverdeterminedTraits& traits = s.system->traits();
    Vector w = Vector::Zero(traits.nz), psi = Vector::Zero(traits.m), z = Vector::Zero(traits.nz);
    Index1 index1(*s.system);
    const CountAllocations allocations;
    index1.solve_momentum(s.q, s.p, z);
    index1.solve(s.q, z, w, psi);
    BOOST_TEST(allocations.count() == 0, traits.name);
  }
}
