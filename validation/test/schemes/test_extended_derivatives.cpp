// What iterative refinement takes from a model: its derivatives in extended precision, at the position and its tail.
#include <boost/test/unit_test.hpp>

#include "gnomon/model/system.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

using Wide = VectorOf<Extended>;

/// Largest entry of a - b - c against the largest of a.
double disagreement(const Wide& a, const Vector& b, const Vector& c) {
  const Wide difference = a - b.cast<Extended>() - c.cast<Extended>();
  const Extended scale = std::max<Extended>(a.size() ? a.lpNorm<Eigen::Infinity>() : 0, 1e-6L);
  return static_cast<double>((a.size() ? difference.lpNorm<Eigen::Infinity>() : 0) / scale);
}

}  // namespace

// At q + tail with |tail| = 1e-9 |q|: the double derivative at q and its change by the tail, which is 1e6 times the
// rounding of either.
BOOST_AUTO_TEST_CASE(extended_derivatives_are_the_double_ones_and_see_the_tail) {
  int gradients = 0, jacobians = 0, constraints = 0, split = 0;
  for (const std::string& name : registry().problems()) {
    const ProblemInstance instance = registry().build(name);
    const System* system = instance.model->mechanical();
    if (!system || !system->parts().extended) continue;
    const ExtendedPrecision& extended = *system->parts().extended;
    const Vector& q = instance.q0;
    Vector tail(q.size());
    for (Index j = 0; j < q.size(); ++j) tail[j] = 1e-9 * (1 + std::abs(q[j])) * (j % 3 == 0 ? 1 : -0.7);
    const double t = instance.t0, close = 1e-13;

    Wide wide(system->n());
    if (extended.extended_gradient(t, q, tail, wide)) {
      Vector gradient(system->n()), change(system->n());
      system->potential_gradient(t, q, gradient);
      system->potential_hessian_times(t, q, tail, change);
      BOOST_TEST(disagreement(wide, gradient, change) < close, name << ": gradient");
      ++gradients;
    }
    const Index entries = system->constraint_pattern().nonzeros();
    wide.resize(entries);
    if (system->m() > 0 && extended.extended_jacobian(t, q, tail, wide)) {
      Vector values(entries), change(entries);
      system->constraint_jacobian(t, q, values);
      system->constraint_jacobian_derivative(t, q, tail, change);
      BOOST_TEST(disagreement(wide, values, change) < close, name << ": Jacobian");
      ++jacobians;
    }
    wide.resize(system->m());
    if (system->m() > 0 && extended.extended_constraints(t, q, tail, wide)) {
      Vector rounded(system->m()), scratch(entries);
      system->constraints_compensated(t, q, tail, rounded, scratch);
      BOOST_TEST(wide.cast<double>() == rounded, boost::test_tools::per_element());
      ++constraints;
    }
    const SplitPotential* invariants = system->parts().split;
    if (!invariants) continue;
    Wide pi(invariants->n_invariants());
    if (!extended.extended_invariants(q, tail, pi)) continue;
    Vector at_q(pi.size()), change(pi.size());
    Vector values(invariants->invariant_pattern().nonzeros());
    invariants->invariants(q, at_q);
    invariants->invariant_jacobian(q, values);
    multiply(invariants->invariant_pattern(), values, tail, change);
    BOOST_TEST(disagreement(pi, at_q, change) < close, name << ": invariants");
    wide.resize(values.size());
    BOOST_TEST_REQUIRE(extended.extended_invariant_jacobian(q, Vector::Zero(q.size()), wide));
    BOOST_TEST(disagreement(wide, values, Vector::Zero(values.size())) < close, name << ": their Jacobian");
    for (Index k = 0; k < pi.size(); ++k) {
      const auto a = extended.extended_invariant_potential(k, at_q[k]);
      const auto b = invariants->invariant_potential(k, at_q[k]);
      for (std::size_t i = 0; i < 4; ++i)
        BOOST_TEST(std::abs(static_cast<double>(a[i]) - b[i]) <= 1e-13 * std::abs(b[i]) + 1e-300, name << ": V");
    }
    Vector regular(system->n());
    wide.resize(system->n());
    BOOST_TEST_REQUIRE(extended.extended_regular_gradient(t, q, Vector::Zero(q.size()), wide));
    invariants->regular_potential_gradient(t, q, regular);
    BOOST_TEST(disagreement(wide, regular, Vector::Zero(q.size())) < close, name << ": grad U2");
    ++split;
  }
  BOOST_TEST(gradients >= 15);
  BOOST_TEST(jacobians >= 15);
  BOOST_TEST(constraints >= 15);
  BOOST_TEST(split >= 2);
}

BOOST_AUTO_TEST_CASE(extended_kinetic_gradients_are_the_double_ones_and_see_the_tail) {
  int seen = 0;
  for (const std::string& name : registry().problems()) {
    const ProblemInstance instance = registry().build(name);
    const System* system = instance.model->mechanical();
    if (!system || !system->parts().mass) continue;
    const ConfigurationMass& mass = *system->parts().mass;
    const Index n = system->n();
    const Vector &q = instance.q0, p = Vector::LinSpaced(n, 0.7, 1.9);
    const Vector q_tail = 1e-9 * Vector::LinSpaced(n, 1, -0.6), p_tail = 1e-9 * Vector::LinSpaced(n, -0.8, 1.1);
    Wide wide(2 * n);
    BOOST_TEST_REQUIRE(mass.extended_kinetic_gradient(q, q_tail, p, p_tail, wide), name);
    Vector gradient(2 * n), change(2 * n);
    mass.kinetic_gradient(q, p, gradient.head(n), gradient.tail(n));
    mass.kinetic_hessian_times(q, p, q_tail, p_tail, change.head(n), change.tail(n));
    BOOST_TEST(disagreement(wide, gradient, change) < 1e-13, name);
    ++seen;
  }
  BOOST_TEST(seen >= 2);
}
