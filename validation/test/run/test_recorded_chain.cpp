// Models that are evaluated from their tapes, in runs: against the hand-written chain, against a closed form, and
// without allocation.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "measures/run/counting_malloc.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

/// The problem `chain`, written once.
struct ChainModel : AutodiffModel<Dynamic, Dynamic> {
  std::vector<double> length;
  double mass_of_link;
  ChainModel(const Vector& start, double mass) : AutodiffModel(start.size(), start.size() / 3), mass_of_link(mass) {
    for (Index k = 0; k < start.size(); k += 3) length.push_back(k == 0 ? start[0] : start[k] - start[k - 3]);
  }
  Vector mass() const { return Vector::Constant(coordinates(), mass_of_link); }
  template <class S>
  S potential(const S* q) const {
    S u = 0;
    for (std::size_t k = 0; k < length.size(); ++k) u += mass_of_link * q[3 * k + 2];
    return u;
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    for (std::size_t k = 0; k < length.size(); ++k, q += 3) {
      const S x = k ? q[0] - q[-3] : q[0], y = k ? q[1] - q[-2] : q[1], z = k ? q[2] - q[-1] : q[2];
      g[k] = 0.5 * (x * x + y * y + z * z - length[k] * length[k]);
    }
  }
};

constexpr int points = 41;

/// A strip of triangles in the plane, hung at its first point: 82 coordinates, 81 constraints, one angle. Sizes at
/// compile time.
struct Truss : AutodiffModel<2 * points, 2 * points - 1> {
  Vector q0;
  explicit Truss(Vector start) : q0(std::move(start)) {}
  Vector mass() const { return Vector::Ones(2 * points); }
  template <class S>
  S potential(const S* q) const {
    S u = 0;
    for (int k = 1; k < 2 * points; k += 2) u += q[k];
    return u;
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    *g++ = q[0] - q0[0];
    *g++ = q[1] - q0[1];
    for (int back = 1; back <= 2; ++back)
      for (int i = back; i < points; ++i) {
        const int a = 2 * i, b = 2 * (i - back);
        const double x0 = q0[a] - q0[b], y0 = q0[a + 1] - q0[b + 1];
        const S x = q[a] - q[b], y = q[a + 1] - q[b + 1];
        *g++ = 0.5 * (x * x + y * y - (x0 * x0 + y0 * y0));
      }
  }
};

Vector strip() {
  Vector q(2 * points);
  for (int i = 0; i < points; ++i) {
    q[2 * i] = 0.05 * i;
    q[2 * i + 1] = i % 2 == 0 ? 0 : 0.08;
  }
  return q;
}

Integrator run(ProblemInstance instance, const std::string& scheme, long steps, double h) {
  Integrator integrator = registry().integrator(std::move(instance), scheme, "newton");
  const StepReport first = integrator.advance(1, h);
  BOOST_TEST_REQUIRE(first.success(), first.message);
  StepReport report;
  long allocations = 0;
  {
    const validation::CountAllocations count;
    report = integrator.advance(steps - 1, h);
    allocations = count.count();
  }
  BOOST_TEST(report.success(), report.message);
  BOOST_TEST(allocations == 0, scheme);
  return integrator;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_chain_is_the_hand_written_one) {
  for (const char* scheme : {"energy-momentum", "energy-momentum-ggl", "hbvm"}) {
    const ProblemInstance chain = registry().build("chain", {{"start", "spatial"}, {"links", "200"}});
    ProblemInstance recorded = chain;
    recorded.model = std::make_shared<AutodiffSystem<ChainModel>>(ChainModel(chain.q0, 1.0 / 200));
    const System &found = *recorded.model->mechanical(), &written = *chain.model->mechanical();
    BOOST_TEST(found.constraint_pattern().nonzeros() == written.constraint_pattern().nonzeros());
    BOOST_TEST(found.hessian_pattern().nonzeros() == written.hessian_pattern().nonzeros());
    const Integrator a = run(chain, scheme, 100, 1e-3), b = run(recorded, scheme, 100, 1e-3);
    BOOST_TEST((a.state().q.value() - b.state().q.value()).lpNorm<Eigen::Infinity>() < 1e-12, scheme);
    BOOST_TEST((a.state().q.value() - chain.q0).norm() > 0.1);
  }
}

// A rigid body: with S = sum_i r_i and I = sum_i |r_i|^2 from the hinge, I theta'' = -S x e2 turned by theta. From
// rest, energy gives the rate at any angle.
BOOST_AUTO_TEST_CASE(a_truss_of_82_coordinates_is_a_rigid_body) {
  ProblemInstance instance;
  instance.q0 = strip();
  instance.p0 = Vector::Zero(2 * points);
  instance.model = std::make_shared<AutodiffSystem<Truss>>(Truss(instance.q0));
  const double h = 1e-3;
  const Integrator end = run(instance, "energy-momentum", 500, h);

  double x = 0, y = 0, inertia = 0;
  for (int i = 0; i < points; ++i) {
    x += instance.q0[2 * i];
    y += instance.q0[2 * i + 1];
    inertia += instance.q0.segment<2>(2 * i).squaredNorm();
  }
  // theta'' = -(x cos theta - y sin theta)/I by the midpoint rule with a hundredth of the step.
  double theta = 0, rate = 0;
  const double small = h / 100;
  for (int k = 0; k < 50000; ++k) {
    const double half = theta + 0.5 * small * rate;
    rate -= small * (x * std::cos(half) - y * std::sin(half)) / inertia;
    theta = half + 0.5 * small * rate;
  }
  BOOST_TEST(theta < -0.05);
  const Vector& q = end.state().q.value();
  for (int i = 0; i < points; ++i) {
    const double x0 = instance.q0[2 * i], y0 = instance.q0[2 * i + 1];
    BOOST_TEST(std::abs(q[2 * i] - (std::cos(theta) * x0 - std::sin(theta) * y0)) < 1e-6);
    BOOST_TEST(std::abs(q[2 * i + 1] - (std::sin(theta) * x0 + std::cos(theta) * y0)) < 1e-6);
  }
  BOOST_TEST(end.monitor().energy().max_abs_error() < 1e-12);
}
