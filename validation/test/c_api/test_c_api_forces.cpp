// The C interface: forces, friction, obstacles, symmetries and first integrals.
#include <sunmatrix/sunmatrix_sparse.h>

#include <cmath>
#include <limits>

#include "test/c_api/c_api_bead.hpp"
#include "test/instance.hpp"

using namespace gnomon;
using namespace gnomon::bead;

namespace {

extern "C" {
/// Q = -0.3 v - 0.2 q x (0, 0, 1)
int damping(sunrealtype, N_Vector q, N_Vector v, N_Vector Q, void*) {
  NV_Ith_S(Q, 0) = -.3 * NV_Ith_S(v, 0) - .2 * NV_Ith_S(q, 1);
  NV_Ith_S(Q, 1) = -.3 * NV_Ith_S(v, 1) + .2 * NV_Ith_S(q, 0);
  return 0;
}
/// By columns, beside the diagonal only.
int damping_by_q(sunrealtype, N_Vector, N_Vector, SUNMatrix Q, void*) {
  SUNSparseMatrix_Data(Q)[0] = .2;
  SUNSparseMatrix_Data(Q)[1] = -.2;
  return 0;
}
/// By columns, the diagonal only.
int damping_by_v(sunrealtype, N_Vector, N_Vector, SUNMatrix Q, void*) {
  SUNSparseMatrix_Data(Q)[0] = SUNSparseMatrix_Data(Q)[1] = -.3;
  return 0;
}
int kicked(sunrealtype t, N_Vector, N_Vector v, N_Vector Q, void*) {
  for (int j = 0; j < 2; ++j) NV_Ith_S(Q, j) = -std::sin(t) * NV_Ith_S(v, j);
  return 0;
}
int half_wind(sunrealtype, N_Vector q, N_Vector, N_Vector Q, void*) {
  NV_Ith_S(Q, 0) = NV_Ith_S(q, 0) < 0 ? .5 : 0;
  NV_Ith_S(Q, 1) = 0;
  return 0;
}
int half_wind_switch(sunrealtype, N_Vector q, N_Vector, N_Vector s, void*) {
  NV_Ith_S(s, 0) = NV_Ith_S(q, 0);
  return 0;
}
int not_a_number(sunrealtype, N_Vector, N_Vector, N_Vector Q, void*) {
  N_VConst(std::numeric_limits<double>::quiet_NaN(), Q);
  return 0;
}
int spherical_U(sunrealtype, N_Vector q, sunrealtype* U, void*) {
  *U = 9.81 * NV_Ith_S(q, 2);
  return 0;
}
int spherical_g(sunrealtype, N_Vector q, N_Vector g, void*) {
  NV_Ith_S(g, 0) = (N_VDotProd(q, q) - 1) / 2;
  return 0;
}
int spherical_walls(sunrealtype, N_Vector q, N_Vector c, void*) {
  NV_Ith_S(c, 0) = .3 - NV_Ith_S(q, 0);
  NV_Ith_S(c, 1) = -.1 - NV_Ith_S(q, 1);
  return 0;
}
int about_the_vertical(N_Vector q, N_Vector xi, void*) {
  NV_Ith_S(xi, 0) = -NV_Ith_S(q, 1);
  NV_Ith_S(xi, 1) = NV_Ith_S(q, 0);
  NV_Ith_S(xi, 2) = 0;
  return 0;
}
int spherical_energy(sunrealtype, N_Vector q, N_Vector p, sunrealtype* I, void*) {
  *I = N_VDotProd(p, p) / 2 + 9.81 * NV_Ith_S(q, 2);
  return 0;
}
}

/// A mass on a rod in the plane.
struct OnRod : AutodiffModel<2, 1> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 1.0 * q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

struct Damped : OnRod {
  template <class S>
  void force(const S&, const S* q, const S* v, S* f) const {
    f[0] = -.3 * v[0] - .2 * q[1];
    f[1] = -.3 * v[1] + .2 * q[0];
  }
};

struct HalfWind : OnRod {
  static constexpr bool has_switches = true;
  template <class S>
  void force(const S&, const S* q, const S*, S* f) const {
    f[0] = q[0] < 0.0 ? S(.5) : S(0.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(steps_end_at_switches_that_callbacks_declare) {
  const SunContext context;
  const ProblemInstance instance = test::instance_of(HalfWind(), Vector::Unit(2, 0), Vector::Zero(2));
  Integrator cpp = registry().integrator(instance, "line-integral-ggl", "kinsol-newton");
  cpp.start(0, instance.q0, instance.p0);
  BOOST_REQUIRE(cpp.advance_to(8, 1e-2).success());
  BOOST_TEST(cpp.counters().switches > 1);

  Run run(context);
  run.pendulum();
  BOOST_TEST(GnomonSetForceFn(run.mem, half_wind) == GNOMON_SUCCESS);
  run.misuse(GnomonSetSwitchFn(run.mem, -1, half_wind_switch), GNOMON_BAD_VALUE, {"switches is -1"});
  run.misuse(GnomonSetSwitchFn(run.mem, 1, nullptr), GNOMON_BAD_VALUE, {"the switching function is NULL"});
  BOOST_TEST(GnomonSetSwitchFn(run.mem, 1, half_wind_switch) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetScheme(run.mem, "line-integral-ggl", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(8) == GNOMON_SUCCESS, run.message());
  for (int i = 0; i < 2; ++i) BOOST_TEST(std::abs(run[i] - cpp.state().q.value()[i]) <= 1e-10);
  long events = 0;
  BOOST_TEST(GnomonGetNumEvents(run.mem, &events) == GNOMON_SUCCESS);
  BOOST_TEST(events == cpp.counters().switches);
  double t = 0, change = 0;
  int kind = 0;
  sunindextype which = -1;
  BOOST_TEST(GnomonGetEvent(run.mem, 0, &t, &kind, &which, &change) == GNOMON_SUCCESS);
  BOOST_TEST(kind == GNOMON_SWITCHED);
  BOOST_TEST(which == 0);
  BOOST_TEST(std::abs(t - cpp.events()[0].t) <= 1e-10);
}

BOOST_AUTO_TEST_CASE(a_damped_pendulum) {
  const SunContext context;
  const ProblemInstance instance = test::instance_of(Damped(), Vector::Unit(2, 0), Vector::Zero(2));
  Integrator cpp = registry().integrator(instance, "symplectic-euler-natural", "kinsol-newton");
  BOOST_REQUIRE(cpp.advance(200, 1e-2).success());
  const Vector expected = (Vector(4) << cpp.state().q.value(), cpp.state().p.value()).finished();
  BOOST_TEST(cpp.state().work.total() < -.1);

  const SunOwner<SUNMatrix> diagonal(SUNSparseMatrix(2, 2, 2, CSC_MAT, context));
  const SunOwner<SUNMatrix> beside(SUNSparseMatrix(2, 2, 2, CSC_MAT, context));
  for (int j = 0; j < 2; ++j) {
    SUNSparseMatrix_IndexPointers(diagonal.get())[j + 1] = SUNSparseMatrix_IndexPointers(beside.get())[j + 1] = j + 1;
    SUNSparseMatrix_IndexValues(diagonal.get())[j] = j;
    SUNSparseMatrix_IndexValues(beside.get())[j] = 1 - j;
  }
  for (const bool derivatives : {true, false}) {
    Run run(context);
    run.pendulum();
    BOOST_TEST(GnomonSetForceFn(run.mem, damping) == GNOMON_SUCCESS);
    if (derivatives)
      BOOST_TEST(GnomonSetForceJacFn(run.mem, GNOMON_BY_Q, damping_by_q, beside.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetForceJacFn(run.mem, GNOMON_BY_V, derivatives ? damping_by_v : nullptr, diagonal.get()) ==
               GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetScheme(run.mem, "constrained-midpoint", nullptr) == GNOMON_SUCCESS);
    run.misuse(run.to(1), GNOMON_REFUSED, {"constrained-midpoint", "force"});
    BOOST_TEST(GnomonSetScheme(run.mem, "symplectic-euler-natural", nullptr) == GNOMON_SUCCESS);
    BOOST_TEST(run.to(2) == GNOMON_SUCCESS, run.message());
    for (int i = 0; i < 4; ++i) BOOST_TEST(std::abs(run[i] - expected[i]) <= 1e-12);
    double work = 0;
    BOOST_TEST(GnomonGetWork(run.mem, &work) == GNOMON_SUCCESS);
    BOOST_TEST(std::abs(work - static_cast<double>(cpp.state().work.total())) <= 1e-12);
    double by_force = 0, by_others[3] = {1, 1, 1};
    BOOST_TEST(GnomonGetWorkTerms(run.mem, &by_force, &by_others[0], &by_others[1], &by_others[2]) == GNOMON_SUCCESS);
    BOOST_TEST(by_force == work);
    for (const double other : by_others) BOOST_TEST(other == 0);
    BOOST_TEST(GnomonGetWorkTerms(run.mem, nullptr, nullptr, nullptr, nullptr) == GNOMON_SUCCESS);
    const char* list = nullptr;
    BOOST_TEST(GnomonGetDifferences(run.mem, &list) == GNOMON_SUCCESS);
    BOOST_TEST((std::string(list).find("derivative of the force by v") == std::string::npos) == derivatives, list);
  }
}

/// A bead that slides on a floor to its rest, as in C++ bit for bit: x = p0 t - mu t^2 / 2.
BOOST_AUTO_TEST_CASE(coulomb_friction) {
  const SunContext context;
  Bead bead{1, .25, 0};
  Run run(context);
  set_bead(run, bead, 1, 0);
  BOOST_TEST(GnomonSetScheme(run.mem, "symplectic-euler-natural", nullptr) == GNOMON_SUCCESS);
  run[0] = 0;
  run[2] = 1;
  run.start();
  Integrator cpp = in_cpp(bead, 1, 0, "symplectic-euler-natural", {0, 0, 1, 0});
  for (int k = 0; k < 200; ++k) {
    BOOST_REQUIRE(run.to(3, GNOMON_ONE_STEP) == GNOMON_SUCCESS);
    BOOST_REQUIRE(cpp.step(1e-2).success());
    for (int i = 0; i < 2; ++i) {
      BOOST_REQUIRE(run[i] == cpp.state().q.value()[i]);
      BOOST_REQUIRE(run[2 + i] == cpp.state().p.value()[i]);
    }
  }
  BOOST_TEST(std::abs(run[0] - 1.5) < 1e-2);
  BOOST_TEST(std::abs(run[2] - .5) < 1e-12);

  // Without its derivatives the same, but for how far the solver goes.
  Run differences(context);
  set_bead(differences, bead, 1, 0);
  for (const int by : {GNOMON_BY_Q, GNOMON_BY_V, GNOMON_BY_LAMBDA})
    BOOST_TEST(GnomonSetFrictionJacFn(differences.mem, by, nullptr, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetScheme(differences.mem, "symplectic-euler-natural", nullptr) == GNOMON_SUCCESS);
  differences[0] = 0;
  differences[2] = 1;
  differences.start();
  BOOST_TEST(differences.to(2) == GNOMON_SUCCESS, differences.message());
  for (int i = 0; i < 4; ++i) BOOST_TEST(std::abs(differences[i] - run[i]) <= 1e-12);
  const char* list = nullptr;
  BOOST_TEST(GnomonGetDifferences(differences.mem, &list) == GNOMON_SUCCESS);
  BOOST_TEST(std::string(list).find("derivative of the friction by lambda") != std::string::npos, list);

  // A callback that fails in the run.
  bead.flag = -2;
  run.misuse(run.to(3), GNOMON_CALLBACK_FAILED, {"the friction returned -2"});
}

/// The corner in both ways of contact, with friction and without, as in C++ bit for bit, events too.
BOOST_AUTO_TEST_CASE(obstacles) {
  const SunContext context;
  for (const char* mode : {"event-driven", "time-stepping"})
    for (const double mu : {0., .2}) {
      BOOST_TEST_CONTEXT(mode << ", mu = " << mu) {
        const char* scheme = mu == 0 ? "energy-momentum" : "symplectic-euler-natural";
        Bead bead{1, mu, 0};
        Run run(context);
        set_bead(run, bead, 0, 2);
        BOOST_TEST(GnomonSetScheme(run.mem, scheme, nullptr) == GNOMON_SUCCESS);
        BOOST_TEST(GnomonSetContact(run.mem, (std::string("restitution=0.5 mode=") + mode).c_str()) == GNOMON_SUCCESS);
        run[0] = 2;
        run[1] = 1;
        run[2] = -1;
        run.start();
        Integrator cpp = in_cpp(bead, 0, 2, scheme, {2, 1, -1, 0}, {{"mode", mode}, {"restitution", "0.5"}});
        for (int k = 0; k < 400; ++k) {
          BOOST_REQUIRE_MESSAGE(run.to(5, GNOMON_ONE_STEP) == GNOMON_SUCCESS, run.message());
          BOOST_REQUIRE(cpp.step(1e-2).success());
          for (int i = 0; i < 2; ++i) {
            BOOST_REQUIRE(run[i] == cpp.state().q.value()[i]);
            BOOST_REQUIRE(run[2 + i] == cpp.state().p.value()[i]);
          }
        }
        long count = 0;
        BOOST_TEST(GnomonGetNumEvents(run.mem, &count) == GNOMON_SUCCESS);
        BOOST_REQUIRE(count == static_cast<long>(cpp.events().size()));
        BOOST_TEST(count > 3);
        double by_event = 0, loss = 0, work = 0;
        for (long k = 0; k < count; ++k) {
          double t = 0, change = 0;
          int kind = -1;
          sunindextype obstacle = -2;
          BOOST_TEST(GnomonGetEvent(run.mem, k, &t, &kind, &obstacle, &change) == GNOMON_SUCCESS);
          const ContactEvent& event = cpp.events()[static_cast<std::size_t>(k)];
          BOOST_TEST(t == event.t);
          BOOST_TEST(kind == static_cast<int>(event.kind));
          BOOST_TEST(obstacle == event.contact);
          by_event -= change;
        }
        BOOST_TEST(GnomonGetImpactLoss(run.mem, &loss) == GNOMON_SUCCESS);
        BOOST_TEST(GnomonGetWork(run.mem, &work) == GNOMON_SUCCESS);
        BOOST_TEST(loss > .1);
        BOOST_TEST(std::abs(by_event - loss) <= 1e-12);
        BOOST_TEST((work < 0) == (mu > 0));
        const SunOwner<N_Vector> lambda(N_VNew_Serial(2, context));
        BOOST_TEST(GnomonGetMultipliers(run.mem, lambda.get()) == GNOMON_SUCCESS, run.message());
        run.misuse(GnomonGetEvent(run.mem, count, &loss, nullptr, nullptr, &work), GNOMON_BAD_VALUE, {"NULL"});
        int kind = 0;
        sunindextype obstacle = 0;
        run.misuse(GnomonGetEvent(run.mem, count, &loss, &kind, &obstacle, &work), GNOMON_BAD_VALUE,
                   {"no event " + std::to_string(count)});
      }
    }
}

/// A spherical pendulum between walls, from U, g and c alone, against the problem of that name.
BOOST_AUTO_TEST_CASE(walled_pendulum) {
  const SunContext context;
  Run named(context), called(context);
  BOOST_TEST(GnomonSetProblem(named.mem, "walled-pendulum", nullptr) == GNOMON_SUCCESS);
  called.mass.reset(N_VNew_Serial(3, context));
  N_VConst(1, called.mass.get());
  BOOST_TEST(GnomonSetMassDiagonal(called.mem, called.mass.get()) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetPotentialFn(called.mem, spherical_U) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetConstraintFn(called.mem, 1, spherical_g) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetObstacleFn(called.mem, 2, spherical_walls) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetDegrees(called.mem, 1, 2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetObstacleDegree(called.mem, 1) == GNOMON_SUCCESS);
  const double root = std::sqrt(3.0);
  const std::array<double, 6> start{-root / 2, -.5, 0, .5, -root / 2, 0};
  for (Run* run : {&named, &called}) {
    BOOST_TEST(GnomonSetContact(run->mem, "restitution=0.5") == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetStep(run->mem, 1e-2) == GNOMON_SUCCESS);
    run->y.reset(N_VNew_Serial(6, context));
    std::copy(start.begin(), start.end(), NV_DATA_S(run->y.get()));
    BOOST_TEST(GnomonInit(run->mem, 0, run->y.get()) == GNOMON_SUCCESS);
    BOOST_TEST(run->to(1.5) == GNOMON_SUCCESS, run->message());
  }
  for (int i = 0; i < 6; ++i) BOOST_TEST(std::abs(called[i] - named[i]) <= 1e-10);
  long count = 0, expected = 0;
  GnomonGetNumEvents(named.mem, &expected);
  GnomonGetNumEvents(called.mem, &count);
  BOOST_TEST(count == expected);
  BOOST_TEST(expected >= 1);
  const char* list = nullptr;
  BOOST_TEST(GnomonGetDifferences(called.mem, &list) == GNOMON_SUCCESS);
  BOOST_TEST(std::string(list).find("Jacobian of the obstacles") != std::string::npos, list);

  // Inside of a wall.
  called[0] = .5;
  called[1] = -.5;
  called[2] = std::sqrt(.5);
  for (int i = 3; i < 6; ++i) called[i] = 0;
  BOOST_TEST(GnomonReInit(called.mem, 0, called.y.get()) == GNOMON_SUCCESS);
  called.misuse(called.to(1), GNOMON_INCONSISTENT_START, {"c[0]", "-0.2"});
}

BOOST_AUTO_TEST_CASE(symmetries_and_first_integrals) {
  const SunContext context;
  Run run(context);
  run.mass.reset(N_VNew_Serial(3, context));
  N_VConst(1, run.mass.get());
  run.y.reset(N_VNew_Serial(6, context));
  N_VConst(0, run.y.get());
  run[0] = 1;
  run[4] = 2;
  BOOST_TEST(GnomonSetMassDiagonal(run.mem, run.mass.get()) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetPotentialFn(run.mem, spherical_U) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetConstraintFn(run.mem, 1, spherical_g) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetDegrees(run.mem, 1, 2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonAddSymmetry(run.mem, "about the vertical", about_the_vertical) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonAddIntegral(run.mem, "H", spherical_energy) == GNOMON_SUCCESS);
  run.start();
  BOOST_TEST(run.to(5) == GNOMON_SUCCESS, run.message());
  double value = 0, largest = 0;
  BOOST_TEST(GnomonGetMomentumMap(run.mem, 0, &value, &largest) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(value == 2, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(largest <= 2e-14 * std::sqrt(500));
  BOOST_TEST(GnomonGetIntegral(run.mem, 0, &value, &largest) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(value == 2, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(largest > 0);
  run.misuse(GnomonGetMomentumMap(run.mem, 1, &value, &largest), GNOMON_BAD_VALUE, {"no symmetry 1 among 1"});
  run.misuse(GnomonGetIntegral(run.mem, -1, &value, &largest), GNOMON_BAD_VALUE, {"no first integral -1"});
  run.misuse(GnomonGetIntegral(run.mem, 0, nullptr, &largest), GNOMON_BAD_VALUE, {"NULL"});
  run.misuse(GnomonAddSymmetry(run.mem, nullptr, about_the_vertical), GNOMON_BAD_VALUE, {"the name", "NULL"});
  run.misuse(GnomonAddIntegral(run.mem, "I", nullptr), GNOMON_BAD_VALUE, {"a first integral is NULL"});
  BOOST_TEST(GnomonAddSymmetry(run.mem, nullptr, nullptr) == GNOMON_SUCCESS);
  N_VConst(0, run.y.get());
  run[0] = 1;
  BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS);
  run.misuse(GnomonGetMomentumMap(run.mem, 0, &value, &largest), GNOMON_BAD_VALUE, {"no symmetry 0 among 0"});
}

BOOST_AUTO_TEST_CASE(misuse_of_forces) {
  const SunContext context;
  BOOST_TEST(GnomonSetForceFn(nullptr, damping) == GNOMON_MEM_NULL);
  Run run(context);
  run.misuse(GnomonSetForceJacFn(run.mem, GNOMON_BY_LAMBDA, damping_by_q, nullptr), GNOMON_BAD_VALUE,
             {"by = 2", "force", "GNOMON_BY_V"});
  run.misuse(GnomonSetFrictionJacFn(run.mem, -1, nullptr, nullptr), GNOMON_BAD_VALUE, {"by = -1", "GNOMON_BY_LAMBDA"});
  run.misuse(GnomonSetObstacleFn(run.mem, -1, c_rows), GNOMON_BAD_VALUE, {"obstacles is -1"});
  run.misuse(GnomonSetObstacleFn(run.mem, 1, nullptr), GNOMON_BAD_VALUE, {"the obstacle function is NULL"});
  run.misuse(GnomonSetObstacleDegree(run.mem, -2), GNOMON_BAD_VALUE, {"-2"});
  run.misuse(GnomonGetWork(run.mem, nullptr), GNOMON_BAD_VALUE, {"NULL"});
  double work = 0;
  run.misuse(GnomonGetWork(run.mem, &work), GNOMON_NO_INIT, {"GnomonInit"});
  run.misuse(GnomonGetWorkTerms(run.mem, &work, nullptr, nullptr, nullptr), GNOMON_NO_INIT, {"GnomonInit"});
  BOOST_TEST(GnomonSetScheme(run.mem, "symplectic-euler-natural", nullptr) == GNOMON_SUCCESS);
  run.pendulum();
  const SunOwner<SUNMatrix> small(SUNDenseMatrix(1, 2, context));
  BOOST_TEST(GnomonSetForceFn(run.mem, damping) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetForceJacFn(run.mem, GNOMON_BY_V, nullptr, small.get()) == GNOMON_SUCCESS);
  run.misuse(run.to(1), GNOMON_BAD_SIZE, {"dQ/dv", "1 x 2", "2 x 2"});
  BOOST_TEST(GnomonSetForceJacFn(run.mem, GNOMON_BY_V, nullptr, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetForceFn(run.mem, not_a_number) == GNOMON_SUCCESS);
  run.misuse(run.to(1), GNOMON_NOT_FINITE, {"force Q", "start"});
  BOOST_TEST(GnomonSetForceFn(run.mem, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());

  Run timed(context);
  BOOST_TEST(GnomonSetScheme(timed.mem, "symplectic-euler-natural", nullptr) == GNOMON_SUCCESS);
  timed.pendulum();
  BOOST_TEST(GnomonSetForceFn(timed.mem, kicked) == GNOMON_SUCCESS);
  BOOST_TEST(timed.to(1) == GNOMON_SUCCESS, timed.message());
}

namespace {

extern "C" int half_way(sunrealtype, N_Vector y, sunrealtype* out, void*) {
  out[0] = NV_Ith_S(y, 0) - .5025;
  return 0;
}

}  // namespace

/// Friction and contacts between events: everything is quadratic in t there, so that dense output is exact.
BOOST_AUTO_TEST_CASE(dense_output_between_events) {
  const SunContext context;
  Bead bead{1, .25, 0};
  Run sliding(context);
  set_bead(sliding, bead, 1, 0);
  BOOST_TEST(GnomonSetScheme(sliding.mem, "symplectic-euler-natural", nullptr) == GNOMON_SUCCESS);
  sliding[0] = 0;
  sliding[2] = 1;
  sliding.start();
  BOOST_TEST(sliding.to(.5) == GNOMON_SUCCESS, sliding.message());
  const SunOwner<N_Vector> slope(N_VClone(sliding.y.get()));
  for (const double t : {.5, .5 - 1e-2}) {
    BOOST_TEST(GnomonGetDky(sliding.mem, t, 1, slope.get()) == GNOMON_SUCCESS, sliding.message());
    BOOST_TEST(NV_Ith_S(slope.get(), 2) == -.25, boost::test_tools::tolerance(1e-9));
  }

  Bead smooth{1, 0, 0};
  Run run(context);
  set_bead(run, smooth, 0, 2);
  BOOST_TEST(GnomonSetContact(run.mem, "restitution=0.5") == GNOMON_SUCCESS);
  BOOST_TEST(GnomonRootInit(run.mem, 1, half_way) == GNOMON_SUCCESS);
  run[0] = 2;
  run[1] = .2;
  run[2] = -1;
  run.start();
  long events = 0;
  int inside = 0, refused = 0, roots = 0;
  const SunOwner<N_Vector> y(N_VClone(run.y.get()));
  for (double t = 0; t < 3;) {
    const long before = events;
    const double q2 = run[1], p2 = run[3];
    const int flag = run.to(4, GNOMON_ONE_STEP);
    BOOST_REQUIRE_MESSAGE(flag >= 0, run.message());
    if (flag == GNOMON_ROOT_RETURN) {
      ++roots;
      BOOST_TEST(std::abs(run[0] - .5025) <= 1e-12);
      BOOST_REQUIRE(run.to(4, GNOMON_ONE_STEP) == GNOMON_SUCCESS);
    }
    GnomonGetNumEvents(run.mem, &events);
    if (events > before) {
      ++refused;
      run.misuse(GnomonGetDky(run.mem, t + .004, 1, y.get()), GNOMON_REFUSED, {"event", "between events"});
      BOOST_REQUIRE_MESSAGE(GnomonGetDky(run.mem, t + .004, 0, y.get()) == GNOMON_SUCCESS, run.message());
      BOOST_TEST(NV_Ith_S(y.get(), 1) >= -1e-12);
    } else {
      ++inside;
      BOOST_REQUIRE_MESSAGE(GnomonGetDky(run.mem, t + .004, 0, y.get()) == GNOMON_SUCCESS, run.message());
      // In flight, or at rest on the floor.
      const double g = run[3] == p2 ? 0 : 1, s = .004;
      if (roots == 0) BOOST_TEST(std::abs(NV_Ith_S(y.get(), 1) - (q2 + p2 * s - g * s * s / 2)) <= 1e-13);
    }
    t = run.t;
  }
  BOOST_TEST(refused > 3);
  BOOST_TEST(inside > 100);
  BOOST_TEST(roots == 1);
}

/// An overdetermined DAE: the ends are those of the step, between them is a step of the scheme, of order 1.
BOOST_AUTO_TEST_CASE(dense_output_of_an_overdetermined_dae) {
  const SunContext context;
  Run run(context);
  BOOST_TEST(GnomonSetProblem(run.mem, "rotating-wire-bead", nullptr) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(GnomonSetScheme(run.mem, "symplectic-euler-natural", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetStep(run.mem, 1e-3) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(run.mem, 0, nullptr) == GNOMON_SUCCESS);
  sunindextype n = 0, m = 0;
  BOOST_TEST(GnomonGetSizes(run.mem, &n, &m) == GNOMON_SUCCESS, run.message());
  double t = 0;
  run.y.reset(N_VNew_Serial(2 * n, context));
  BOOST_TEST(GnomonGetState(run.mem, &t, run.y.get()) == GNOMON_SUCCESS, run.message());
  const SunOwner<N_Vector> start(N_VClone(run.y.get())), got(N_VClone(run.y.get())), slope(N_VClone(run.y.get()));
  N_VScale(1, run.y.get(), start.get());
  BOOST_TEST(run.to(1, GNOMON_ONE_STEP) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(GnomonGetDky(run.mem, 0, 0, got.get()) == GNOMON_SUCCESS, run.message());
  for (sunindextype i = 0; i < 2 * n; ++i)
    BOOST_TEST(std::abs(NV_Ith_S(got.get(), i) - NV_Ith_S(start.get(), i)) <= 1e-14);
  BOOST_TEST(GnomonGetDky(run.mem, run.t, 0, got.get()) == GNOMON_SUCCESS, run.message());
  for (int i = 0; i < 2 * n; ++i) BOOST_TEST(std::abs(NV_Ith_S(got.get(), i) - run[i]) <= 1e-14);
  const SunOwner<N_Vector> low(N_VClone(run.y.get())), high(N_VClone(run.y.get()));
  BOOST_TEST(GnomonGetDky(run.mem, 5e-4, 1, slope.get()) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(GnomonGetDky(run.mem, 5e-4 - 1e-6, 0, low.get()) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonGetDky(run.mem, 5e-4 + 1e-6, 0, high.get()) == GNOMON_SUCCESS);
  for (sunindextype i = 0; i < 2 * n; ++i)
    BOOST_TEST(std::abs((NV_Ith_S(high.get(), i) - NV_Ith_S(low.get(), i)) / 2e-6 - NV_Ith_S(slope.get(), i)) <=
               .05 * N_VMaxNorm(slope.get()));
}
