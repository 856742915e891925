/// \file
/// rattle: the equations in the multipliers alone, of a diagonal mass, make the steps of those in positions and
/// multipliers; what they do not suit keeps the latter.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "support/starts.hpp"

namespace {

using namespace gnomon;

constexpr Index links = 12;

/// A chain from the horizontal, its masses 1, 2, 1, 2, ..., with `more` rods beside those of the chain.
ProblemInstance chain(bool diagonal, const std::vector<test::Truss::Rod>& more = {}) {
  Vector masses(2 * links);
  for (Index i = 0; i < masses.size(); ++i) masses[i] = i / 2 % 2 == 0 ? 1 : 2;
  auto rods = test::Truss::chain(links);
  rods.insert(rods.end(), more.begin(), more.end());
  ProblemInstance instance;
  instance.model = std::make_shared<test::Truss>(
      links, rods, diagonal ? Mass::diagonal(masses) : Mass::dense(Matrix(masses.asDiagonal())));
  instance.q0 = test::chain_q(links);
  instance.p0 = Vector::Zero(2 * links);
  return instance;
}

Integrator started(const ProblemInstance& instance, const IntegratorOptions& options = {}) {
  return registry().integrator(instance, "rattle", "newton", {}, {}, options);
}

double apart(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

Index unknowns(const ProblemInstance& instance) {
  const Scheme& scheme = registry().scheme("rattle");
  return scheme.bind(*instance.model, Options("scheme rattle", scheme.options())).equations->system(0).size();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_multipliers_alone_make_the_same_steps) {
  BOOST_TEST(unknowns(chain(true)) == links);
  BOOST_TEST(unknowns(chain(false)) == 3 * links);
  for (const double h : {1e-3, 2e-2}) {
    Integrator alone = started(chain(true)), all = started(chain(false));
    BOOST_TEST_REQUIRE(alone.advance(40, h).success());
    BOOST_TEST_REQUIRE(all.advance(40, h).success());
    BOOST_TEST(apart(alone.state().q.value(), all.state().q.value()) <= 1e-12);
    BOOST_TEST(apart(alone.state().p.value(), all.state().p.value()) <= 1e-11);
    BOOST_TEST(apart(alone.state().lambda, all.state().lambda) <= 1e-9);
    BOOST_TEST(alone.monitor().position_max() <= 1e-14);
    BOOST_TEST(alone.monitor().velocity_max() <= 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(repeated_constraints) {
  const std::vector<test::Truss::Rod> twice{{3, 2}, {7, 6}};
  Integrator alone = started(chain(true, twice)), all = started(chain(false, twice));
  Integrator once = started(chain(true));
  for (Integrator* run : {&alone, &all, &once}) {
    const StepReport report = run->advance(40, 1e-3);
    BOOST_TEST(report.success(), report.message);
  }
  BOOST_TEST(apart(alone.state().q.value(), once.state().q.value()) <= 1e-12);
  BOOST_TEST(apart(alone.state().q.value(), all.state().q.value()) <= 1e-12);
  // What two rods carry together, each one half of it.
  const Vector &lambda = alone.state().lambda, &whole = once.state().lambda;
  BOOST_TEST(std::abs(lambda[3] + lambda[links] - whole[3]) <= 1e-8 * whole.norm());
}

/// All rods at one point: their matrix would be full.
BOOST_AUTO_TEST_CASE(a_star_keeps_its_positions) {
  const Index arms = 20;
  std::vector<test::Truss::Rod> rods{{0, test::Truss::pivot}};
  ProblemInstance star;
  star.q0 = Vector::Zero(2 * (arms + 1));
  star.q0[0] = 1;
  for (Index k = 1; k <= arms; ++k) {
    rods.emplace_back(k, 0);
    star.q0[2 * k] = 1 + std::cos(.3 * static_cast<double>(k));
    star.q0[2 * k + 1] = std::sin(.3 * static_cast<double>(k));
  }
  star.model = std::make_shared<test::Truss>(arms + 1, rods, Mass::diagonal(Vector::Ones(star.q0.size())));
  star.p0 = Vector::Zero(star.q0.size());
  IntegratorOptions options;
  options.project_start = true;
  BOOST_TEST(unknowns(star) == star.q0.size() + arms + 1);
  Integrator run = started(star, options);
  const StepReport report = run.advance(100, 1e-3);
  BOOST_TEST(report.success(), report.message);
  BOOST_TEST(run.monitor().position_max() <= 1e-14);
}
