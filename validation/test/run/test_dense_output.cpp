// Dense output: its order, with friction and of an overdetermined DAE too.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "gnomon/run/dense_output.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

/// A bead of mass 2 on a sphere, the friction of which is a tenth of the normal force, or none.
struct Bead : AutodiffModel<3, 1> {
  double mu = 0;
  Mass mass() const { return Mass::diagonal(Vector::Constant(3, 2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 2.0 * q[2];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0);
  }
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* force) const {
    using std::sqrt;
    const S speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int j = 0; j < 3; ++j) force[j] = -mu * (sqrt(lambda[0] * lambda[0]) * v[j] / speed);
  }
};

/// The solution at t as a state of this model: q' = v, v' by index 1, the classical method of Runge and Kutta in steps
/// of 1e-3.
State solution(const std::shared_ptr<const OverdeterminedSystem>& dae, double t) {
  Index1 index1(*dae);
  Vector q = Vector::Unit(3, 0), v = (Vector(3) << 0, 1.5, .5).finished(), psi = Vector::Ones(1);
  const auto slope = [&](const Vector& y, const Vector& z, Vector& dy, Vector& dz) {
    dy = z;
    dz.setZero(3);
    index1.solve(y, z, dz, psi);
  };
  const auto steps = std::lround(t / 1e-3);
  const double h = 1e-3;
  Vector k1, l1, k2, l2, k3, l3, k4, l4;
  for (long k = 0; k < steps; ++k) {
    slope(q, v, k1, l1);
    slope(q + h / 2 * k1, v + h / 2 * l1, k2, l2);
    slope(q + h / 2 * k2, v + h / 2 * l2, k3, l3);
    slope(q + h * k3, v + h * l3, k4, l4);
    q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  State z;
  z.t = t;
  z.q.set(q);
  z.p.set(2 * v);
  z.scheme_data = v;
  z.lambda = psi;
  return z;
}

}  // namespace

BOOST_AUTO_TEST_CASE(orders) {
  for (const double mu : {0., .1}) {
    Bead model;
    model.mu = mu;
    const auto system = std::make_shared<const AutodiffSystem<Bead>>(model);
    const auto dae = overdetermined_from(system);
    StepInterpolant mechanical(*system), general(*dae);
    Vector q(3), p(3), y(3), z(3);
    std::vector<std::array<double, 3>> errors;
    for (const double h : {.4, .2}) {
      const State start = solution(dae, .5 - h / 2), end = solution(dae, .5 + h / 2), middle = solution(dae, .5);
      mechanical.set(start, end);
      general.set(start, end);
      mechanical.evaluate(.5, 0, q, p);
      general.evaluate(.5, 0, y, z);
      BOOST_TEST((q - y).norm() <= 1e-12);
      errors.push_back({(q - middle.q.value()).norm(), (p - middle.p.value()).norm(), (z - middle.scheme_data).norm()});
      general.evaluate(end.t, 1, y, z);
      BOOST_TEST((y - end.scheme_data).norm() <= 1e-12);
      mechanical.evaluate(end.t, 1, q, p);
      BOOST_TEST((p - 2 * z).norm() <= 1e-11);
    }
    // Orders 6, 5 (6 in the middle, by symmetry) and 4.
    BOOST_TEST(std::log2(errors[0][0] / errors[1][0]) > 5.5, "mu = " << mu);
    BOOST_TEST(std::log2(errors[0][1] / errors[1][1]) > 4.5, "mu = " << mu);
    BOOST_TEST(std::log2(errors[0][2] / errors[1][2]) > 3.5, "mu = " << mu);
    BOOST_TEST(errors[1][0] < 1e-5);
  }
}

// With a mass M(q), against fixed steps of order 10 that end where it is asked: orders 6 and 5.
BOOST_AUTO_TEST_CASE(orders_with_configuration_mass) {
  for (const char* problem : {"double-compound-pendulum", "ellipse-pendulum"}) {
    const ProblemInstance instance = registry().build(problem);
    Integrator run = registry().integrator(instance, "projected-rk", "newton", {{"stages", "5"}});
    const Index n = instance.q0.size();
    StepInterpolant interpolant(run.model());
    Vector q(n), p(n), slope(n);
    std::vector<std::array<double, 2>> errors;
    for (const double h : {.01, .005}) {
      run.start(instance.t0, instance.q0, instance.p0);
      const double at = .3 + .3 * h, close = 1e-4;
      std::vector<State> states;
      for (const double t : {.3, at - close, at, at + close, .3 + h}) {
        BOOST_TEST_REQUIRE(run.advance_to(instance.t0 + t, .005).success());
        states.push_back(run.state());
      }
      interpolant.set(states[0], states[4]);
      interpolant.evaluate(states[2].t, 0, q, p);
      errors.push_back({(q - states[2].q.value()).norm(), (p - states[2].p.value()).norm()});
      interpolant.evaluate(states[2].t, 1, q, slope);
      Vector v(n), scratch(n);
      instance.model->mechanical()->velocity(states[2].q.value(), states[2].p.value(), scratch, v);
      BOOST_TEST((q - v).norm() <= 1e-4 * v.norm());
      const Vector difference = (states[3].p.value() - states[1].p.value()) / (2 * close);
      BOOST_TEST((slope - difference).norm() <= 1e-3 * difference.norm());
      // It goes through both ends.
      for (const State* end : {&states[0], &states[4]}) {
        interpolant.evaluate(end->t, 0, q, p);
        BOOST_TEST((q - end->q.value()).norm() <= 1e-14 * (1 + q.norm()));
        BOOST_TEST((p - end->p.value()).norm() <= 1e-14 * (1 + p.norm()));
      }
    }
    for (const auto& error : errors) BOOST_TEST_MESSAGE(problem << " " << error[0] << " " << error[1]);
    BOOST_TEST(std::log2(errors[0][0] / errors[1][0]) > 5.5, problem);
    BOOST_TEST(std::log2(errors[0][1] / errors[1][1]) > 4.5, problem);
  }
}

BOOST_AUTO_TEST_CASE(what_it_cannot_do) {
  Bead model;
  model.mu = .1;
  const auto system = std::make_shared<const AutodiffSystem<Bead>>(model);
  const auto dae = overdetermined_from(system);
  StepInterpolant interpolant(*system);
  State start = solution(dae, 0), end = solution(dae, .1);
  start.p.set(Vector::Zero(3));  // friction has no direction
  const auto says = [](const char* part) {
    return [part](const Error& error) { return std::string(error.what()).find(part) != std::string::npos; };
  };
  BOOST_CHECK_EXCEPTION(interpolant.set(start, end), Error, says("accelerations at both ends"));
  end.closed = {0};
  BOOST_CHECK_EXCEPTION(interpolant.set(start, end), Error, says("between events only"));
}
