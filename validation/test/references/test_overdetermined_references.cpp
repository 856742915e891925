// IDA on overdetermined DAEs, in index-1 and in stabilised index-2 form: the examples of Small and Jay, a momentum
// p(y,z) that is not z, no constraints at all; and what cannot be integrated.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "test/schemes/unit_mass.hpp"

using namespace gnomon;
using namespace gnomon::test;

namespace {

/// A bead on the hyperbolic paraboloid y3 = y1 y2 with gravity, stiff springs and friction c psi^2 against the motion,
/// of a mass that depends on its place: p = (1 + y1^2) y', with z the velocity y' or with z the momentum itself.
struct Bead : AutodiffOverdeterminedModel<3, 3, 1> {
  bool momentum_is_z = false;
  int broken = 0;  ///< what r is where psi is below the limit: 1 not a number, 2 an exception, 3 independent of psi
  double limit = 0;
  OverdeterminedTraits describe() const { return named("bead"); }
  template <class S>
  S mass(const S* y) const {
    return 1.0 + y[0] * y[0];
  }
  template <class S>
  void velocity(const S* y, const S* z, S* v) const {
    for (int j = 0; j < 3; ++j) v[j] = momentum_is_z ? z[j] / mass(y) : z[j];
  }
  template <class S>
  void momentum(const S* y, const S* z, S* p) const {
    for (int j = 0; j < 3; ++j) p[j] = momentum_is_z ? z[j] : mass(y) * z[j];
  }
  template <class S>
  void force(const S* y, const S* z, S* f) const {  // d/dy of mass(y) v^2 / 2 - U
    S v[3];
    velocity(y, z, v);
    for (int j = 0; j < 3; ++j) f[j] = -4.0 * y[j];
    f[0] = f[0] + y[0] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    f[2] = f[2] - 9.81;
  }
  template <class S>
  void multiplier_force(const S* y, const S* z, const S* psi, S* r) const {
    using std::sqrt;
    S v[3];
    velocity(y, z, v);
    S push = psi[0];
    if (psi[0] < limit) {
      if (broken == 1) push = S(std::nan(""));
      if (broken == 2) throw CannotEvaluate("the surface gives way");
      if (broken == 3) push = S(limit);
    }
    const S rub = .01 * (psi[0] * psi[0]);
    r[0] = -1.0 * (y[1] * push) - rub * v[0];
    r[1] = -1.0 * (y[0] * push) - rub * v[1];
    r[2] = push - rub * v[2];
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[2] - y[0] * y[1];
  }
};

/// One direction only, y'' = -y, in two places of which none knows the other.
struct Free : AutodiffOverdeterminedModel<1, 2, 0> {
  OverdeterminedTraits describe() const { return named("free"); }
  template <class S>
  void velocity(const S*, const S* z, S* v) const {
    v[0] = z[0];
  }
  template <class S>
  void force(const S* y, const S* z, S* f) const {
    f[0] = -1.0 * y[0];
    f[1] = -1.0 * z[1];
  }
  template <class S>
  void multiplier_force(const S*, const S*, const S*, S* r) const {
    r[0] = r[1] = S(0.0);
  }
  template <class S>
  void constraints(const S*, S*) const {}
};

template <class Model>
ProblemInstance instance_of(Model model, Vector y, Vector z) {
  ProblemInstance i;
  i.model = std::make_shared<AutodiffOverdetermined<Model>>(std::move(model));
  i.q0 = std::move(y);
  i.p0 = std::move(z);
  return i;
}

Vector vector(std::initializer_list<double> x) {
  Vector v(static_cast<Index>(x.size()));
  std::copy(x.begin(), x.end(), v.data());
  return v;
}

ProblemInstance bead(const Bead& model) {
  const Vector v = vector({.5, -.2, -.2 * 1 + .5 * .4});
  return instance_of(model, vector({1, .4, .4}), model.momentum_is_z ? Vector(2 * v) : v);
}

std::unique_ptr<ReferenceSolution> start(const std::string& name, const ProblemInstance& instance,
                                         const Assignments& options = {}) {
  const Reference& reference = registry().reference(name);
  return reference.start(instance, Options("reference " + name, reference.options(), options));
}

ReferenceReport reached(const std::string& name, const ProblemInstance& instance, double t,
                        const Assignments& options = {}) {
  const ReferenceReport r = start(name, instance, options)->advance_to(t);
  BOOST_TEST(r.success, name << ": " << r.message);
  return r;
}

double relative(const Vector& a, const Vector& b) {
  return (a - b).norm() / b.norm();
}

const char* const forms[] = {"ida-index1", "ida-ggl"};

}  // namespace

/// With every Jacobian, both forms reach the closed form.
BOOST_AUTO_TEST_CASE(example_41) {
  const ProblemInstance instance = registry().build("odae-test");
  const Vector exact = vector({std::exp(2), std::exp(-1)});
  for (const char* name : forms)
    for (const char* jacobian : {"analytic", "differences"}) {
      const ReferenceReport r = reached(name, instance, 1, {{"jacobian", jacobian}});
      BOOST_TEST_MESSAGE(name << " " << jacobian << ": y " << relative(r.q, exact) << " z " << relative(r.p, exact)
                              << " psi " << r.lambda[0] / std::exp(1) - 1 << ", " << r.steps << " steps, "
                              << r.residual_evaluations << " residuals, " << r.jacobian_evaluations << " Jacobians");
      BOOST_TEST(relative(r.q, exact) <= 1e-9);
      BOOST_TEST(relative(r.p, exact) <= 1e-9);
      BOOST_TEST(std::abs(r.lambda[0] / std::exp(1) - 1) <= 1e-7);
    }
  for (const char* name : forms) {  // and backwards
    const ReferenceReport r = reached(name, instance, -1);
    BOOST_TEST(relative(r.q, vector({std::exp(-2), std::exp(1)})) <= 1e-9);
    BOOST_TEST(std::abs(r.lambda[0] * std::exp(1) - 1) <= 1e-7);
  }
}

/// (4.2) while the mass is held on the surface, against an independent solution (errata, section 001).
BOOST_AUTO_TEST_CASE(example_42) {
  const ProblemInstance instance = registry().build("cubic-surface", {{"contact", "kept"}});
  const Vector y = vector({0.47793426019385597, 0.0010917029671546436});
  const Vector z = vector({-16.632108191110831, -0.11397376192433609});
  for (const char* name : forms)
    for (const char* jacobian : {"analytic", "differences"}) {
      const ReferenceReport r =
          reached(name, instance, 1, {{"jacobian", jacobian}, {"rtol", "1e-13"}, {"atol", "1e-14"}});
      BOOST_TEST_MESSAGE(name << " " << jacobian << ": y " << relative(r.q, y) << " z " << relative(r.p, z) << " psi "
                              << r.lambda[0] / 17.741738764552062 - 1 << ", " << r.steps << " steps, "
                              << r.residual_evaluations << " residuals, " << r.jacobian_evaluations << " Jacobians");
      BOOST_TEST(relative(r.q, y) <= 1e-9);
      BOOST_TEST(relative(r.p, z) <= 1e-9);
      BOOST_TEST(std::abs(r.lambda[0] / 17.741738764552062 - 1) <= 1e-9);
    }
}

/// The same bead in velocities and in momenta, which are reported in both; and against the composition of order 4.
BOOST_AUTO_TEST_CASE(momentum_of_place_and_velocity) {
  Bead model;
  const ProblemInstance velocities = bead(model);
  model.momentum_is_z = true;
  const ProblemInstance momenta = bead(model);
  const ReferenceReport first = reached("ida-ggl", velocities, 1);
  for (const char* name : forms)
    for (const ProblemInstance& instance : {velocities, momenta})
      for (const char* jacobian : {"analytic", "differences"}) {
        const ReferenceReport r = reached(name, instance, 1, {{"jacobian", jacobian}});
        BOOST_TEST_MESSAGE(name << " " << jacobian << ": y " << relative(r.q, first.q) << " p "
                                << relative(r.p, first.p) << " psi " << relative(r.lambda, first.lambda) << ", "
                                << r.steps << " steps, " << r.residual_evaluations << " residuals, "
                                << r.jacobian_evaluations << " Jacobians");
        BOOST_TEST(relative(r.q, first.q) <= 1e-9);
        BOOST_TEST(relative(r.p, first.p) <= 1e-9);
        BOOST_TEST(relative(r.lambda, first.lambda) <= 1e-8);
      }

  Integrator integrator =
      registry().integrator(velocities, "composition", "newton", {{"inner", "symplectic-euler-true"}, {"order", "4"}});
  const StepReport report = integrator.advance_to(1, 1e-3);
  BOOST_TEST_REQUIRE(report.success(), report.message);
  BOOST_TEST_MESSAGE("composition: y " << relative(integrator.state().q.value(), first.q) << " p "
                                       << relative(integrator.state().p.value(), first.p));
  BOOST_TEST(relative(integrator.state().q.value(), first.q) <= 1e-8);
  BOOST_TEST(relative(integrator.state().p.value(), first.p) <= 1e-8);
}

/// A mechanical system gives the same in its own form and as an overdetermined DAE.
BOOST_AUTO_TEST_CASE(mechanical_system) {
  const ProblemInstance own = registry().build("double-spherical-pendulum", {{"start", "spatial"}});
  ProblemInstance adapted = own;
  adapted.model = overdetermined_from(own.model);
  own.model->mechanical()->mass().solve(own.p0, adapted.p0);
  for (const char* name : forms) {
    const ReferenceReport a = reached(name, own, .5), b = reached(name, adapted, .5);
    BOOST_TEST_MESSAGE(name << ": q " << relative(b.q, a.q) << " p " << relative(b.p, a.p) << " lambda "
                            << relative(b.lambda, a.lambda) << ", " << a.steps << " and " << b.steps << " steps");
    BOOST_TEST(relative(b.q, a.q) <= 1e-9);
    BOOST_TEST(relative(b.p, a.p) <= 1e-9);
    BOOST_TEST(relative(b.lambda, a.lambda) <= 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(without_constraints) {
  const ProblemInstance instance = instance_of(Free(), vector({1}), vector({0, 1}));
  for (const char* name : forms) {
    const ReferenceReport r = reached(name, instance, 1);
    BOOST_TEST(std::abs(r.q[0] - std::cos(1)) <= 1e-10);
    BOOST_TEST(relative(r.p, vector({-std::sin(1), std::exp(-1)})) <= 1e-10);
    BOOST_TEST(r.lambda.size() == 0);
  }
}

BOOST_AUTO_TEST_CASE(closed_form) {
  ProblemInstance instance = registry().build("odae-test");
  instance.exact = {};
  BOOST_CHECK_EXCEPTION(start("exact", instance), Error, says("system odae-test has no closed-form solution"));
  instance.exact = [](double t, Vector& y, Vector& z) { y = z = vector({std::exp(2 * t), std::exp(-t)}); };
  const auto exact = start("exact", instance);
  for (const double t : {0.0, 1.0, 2.5, 0.5, -1.0}) {  // of psi = e^t and -(e^3t + e^t) always the first
    const ReferenceReport r = exact->advance_to(t);
    BOOST_TEST(r.success, r.message);
    BOOST_TEST(std::abs(r.lambda[0] / std::exp(t) - 1) <= 1e-13);
  }
  // The momentum is reported, not z.
  ProblemInstance moving = bead(Bead());
  moving.exact = [y = moving.q0, z = moving.p0](double, Vector& q, Vector& p) {
    q = y;
    p = z;
  };
  BOOST_TEST(relative(start("exact", moving)->advance_to(0).p, 2 * moving.p0) <= 1e-15);

  ProblemInstance rubbed = registry().build("cubic-surface", {{"contact", "kept"}});
  rubbed.exact = [y = rubbed.q0, z = rubbed.p0](double, Vector& q, Vector& p) {
    q = y;
    p = z;
  };
  BOOST_TEST(std::abs(start("exact", rubbed)->advance_to(0).lambda[0] / 1.7586 - 1) <= 1e-14);
}

/// The model breaks down on the way: the report says why and where, and the run can be asked again.
BOOST_AUTO_TEST_CASE(failures) {
  const char* why[] = {"", "not finite", "the surface gives way", ""};
  for (const char* name : forms)
    for (const int broken : {1, 2, 3}) {
      Bead model;
      model.broken = broken;
      const auto solution = start(name, bead(model));
      const ReferenceReport r = solution->advance_to(1);
      BOOST_TEST(!r.success, name << " " << broken);
      BOOST_TEST_MESSAGE(name << ": " << r.message);
      BOOST_TEST(r.message.find("IDA stopped at t = ") == 0, r.message);
      BOOST_TEST(r.message.find(why[broken]) != std::string::npos, r.message);
      BOOST_TEST((r.t > 0 && r.t < 1));
      BOOST_TEST((r.q.allFinite() && r.p.allFinite()));
      BOOST_TEST(r.lambda[0] > -.1);
      BOOST_TEST(!solution->advance_to(1).success);
    }
}

BOOST_AUTO_TEST_CASE(refusals) {
  Bead model;
  model.broken = 3;
  model.limit = 1e300;
  const ProblemInstance singular = bead(model);
  ProblemInstance off = bead(Bead());
  off.q0[0] = 2;
  const ProblemInstance open = registry().build("cubic-surface"),
                        rubbed = registry().build("cubic-surface", {{"contact", "kept"}});
  for (const char* name : forms) {
    BOOST_CHECK_EXCEPTION(start(name, singular), Error, says("g_y v_z p_z^-1 r_psi is singular"));
    BOOST_CHECK_EXCEPTION(start(name, off), Error, says("off the manifold"));
  }
  BOOST_CHECK_EXCEPTION(start("cvode-projection", open), Error, says("has obstacles"));
  BOOST_CHECK_EXCEPTION(start("cvode-projection", off), Error, says("system bead is an overdetermined DAE"));
  BOOST_CHECK_EXCEPTION(start("cvode-projection", rubbed), Error, says("system cubic-surface has friction"));
  BOOST_CHECK_EXCEPTION(start("exact", rubbed), Error, says("no closed-form solution"));
}
