// The C interface: constraints of velocities, against the same as formulas, and runs against closed forms.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <tuple>

#include "c_api/c_api_system.hpp"
#include "mechanism/built_models.hpp"
#include "support/builtin_registry.hpp"
#include "test/c_api/c_api_pendulum.hpp"

using namespace gnomon;
using gnomon::test::build;

namespace {

extern "C" {
int surface_U(sunrealtype, N_Vector q, sunrealtype* U, void*) {
  const double x = NV_Ith_S(q, 0), y = NV_Ith_S(q, 1), z = NV_Ith_S(q, 2), a = NV_Ith_S(q, 3);
  *U = z + .3 * x * x * y + .1 * a * a;
  return 0;
}
int surface_g(sunrealtype t, N_Vector q, N_Vector g, void*) {
  const double x = NV_Ith_S(q, 0), y = NV_Ith_S(q, 1), z = NV_Ith_S(q, 2);
  NV_Ith_S(g, 0) = z - x * x / 2 - y * y * y / 3 - .1 * std::sin(t);
  return 0;
}
int surface_psi(sunrealtype t, N_Vector q, N_Vector v, N_Vector psi, void*) {
  const double x = NV_Ith_S(q, 0), a = NV_Ith_S(q, 3), b = .2 * x * x * std::cos(t);
  NV_Ith_S(psi, 0) =
      NV_Ith_S(v, 0) * std::sin(a) - NV_Ith_S(v, 1) * std::cos(a) * (1 + .1 * std::sin(t)) + NV_Ith_S(v, 3) * x + b;
  return 0;
}
int surface_c(sunrealtype, N_Vector q, N_Vector c, void*) {
  NV_Ith_S(c, 0) = 2 - NV_Ith_S(q, 0) + NV_Ith_S(q, 1) * NV_Ith_S(q, 1) * NV_Ith_S(q, 3);
  return 0;
}
int blade_U(sunrealtype, N_Vector q, sunrealtype* U, void*) {
  *U = -3 * NV_Ith_S(q, 0);
  return 0;
}
int blade_psi(sunrealtype, N_Vector q, N_Vector v, N_Vector psi, void*) {
  NV_Ith_S(psi, 0) = NV_Ith_S(v, 0) * std::sin(NV_Ith_S(q, 2)) - NV_Ith_S(v, 1) * std::cos(NV_Ith_S(q, 2));
  return 0;
}
int square_psi(sunrealtype, N_Vector, N_Vector v, N_Vector psi, void*) {
  NV_Ith_S(psi, 0) = NV_Ith_S(v, 0) * NV_Ith_S(v, 0);
  return 0;
}
}

/// Every function of the System that callbacks make is that of the formulas, to the errors of differences.
BOOST_AUTO_TEST_CASE(derivatives_are_those_of_formulas) {
  const ProblemInstance formulas = build(R"toml(format = 1
coordinates = ["x", "y", "z", "a"]
mass = [1, 2, 1, 0.5]
potential = "z + 0.3*x^2*y + 0.1*a^2"
[constraints]
s = "z - x^2/2 - y^3/3 - 0.1*sin(t)"
blade = "der(x)*sin(a) - der(y)*cos(a)*(1 + 0.1*sin(t)) + der(a)*x + 0.2*x^2*cos(t)"
[obstacles]
wall = "2 - x + y^2*a"
[start]
project = true
velocity = { x = 0.3, a = 0.5 }
)toml");
  const SunContext context;
  c_api::Callbacks calls;
  calls.context = context;
  calls.n = 4;
  calls.mass = Mass::diagonal((Vector(4) << 1, 2, 1, .5).finished());
  calls.potential = surface_U;
  calls.constraints.rows = 1;
  calls.constraints.function = surface_g;
  calls.n_velocity_constraints = 1;
  calls.velocity_constraints = surface_psi;
  calls.obstacles.rows = 1;
  calls.obstacles.function = surface_c;
  c_api::CallbackSystem made(calls);
  const Vector q = (Vector(4) << .3, -.4, .2, .7).finished(), v = (Vector(4) << .5, .2, -.3, .9).finished(),
               w = (Vector(4) << -.2, .6, .4, .1).finished();
  const double t = .4;
  made.watch_time(t, q, v);
  const System& of_formulas = *formulas.model->mechanical();
  // With the obstacle closed, between the rows of positions and of velocities, what was found of time holds too.
  for (const bool close : {false, true}) BOOST_TEST_CONTEXT("closed: " << close) {
      const std::shared_ptr<const System> here = made.with_obstacles_closed(),
                                          there = of_formulas.parts().obstacles->with_obstacles_closed();
      const System &system = close ? *here : made, &expected = close ? *there : of_formulas;
      const Index m = close ? 3 : 2;
      const Vector lambda = (Vector(3) << .8, close ? .4 : -1.3, -1.3).finished().head(m);
      BOOST_TEST_REQUIRE(system.parts().time_dependence);
      BOOST_TEST_REQUIRE(system.m() == m);
      const auto matrices = [&](const auto& values_of) {
        const auto of = [&](const System& one) {
          Vector values = Vector::Zero(one.constraint_pattern().nonzeros());
          values_of(one, values);
          return to_dense(one.constraint_pattern(), values);
        };
        const Matrix difference = of(system) - of(expected);
        return difference.lpNorm<Eigen::Infinity>();
      };
      const auto hessians = [&](const auto& values_of) {
        const auto of = [&](const System& one) {
          Vector values = Vector::Zero(one.hessian_pattern().nonzeros());
          values_of(one, values);
          return to_dense(one.hessian_pattern(), values);
        };
        const Matrix difference = of(system) - of(expected);
        return difference.lpNorm<Eigen::Infinity>();
      };
      const auto vectors = [&](Index size, const auto& value_of) {
        Vector here(size), there(size);
        value_of(system, here);
        value_of(expected, there);
        return (here - there).lpNorm<Eigen::Infinity>();
      };
      BOOST_TEST(matrices([&](const System& s, Vector& x) { s.constraint_jacobian(t, q, x); }) < 1e-10);
      BOOST_TEST(matrices([&](const System& s, Vector& x) { s.constraint_jacobian_derivative(t, q, v, x); }) < 1e-8);
      BOOST_TEST(matrices([&](const System& s, Vector& x) { s.constraint_third(t, q, v, w, x); }) < 1e-5);
      BOOST_TEST(matrices([&](const System& s, Vector& x) {
                   s.parts().velocity_constraints->constraint_turn(t, q, v, x);
                 }) < 1e-8);
      BOOST_TEST(matrices([&](const System& s, Vector& x) {
                   s.parts().time_dependence->constraint_rate_jacobian(t, q, x);
                 }) < 1e-8);
      BOOST_TEST(hessians([&](const System& s, Vector& x) { s.lagrangian_hessian(t, q, lambda, x); }) < 1e-6);
      BOOST_TEST(hessians([&](const System& s, Vector& x) {
                   s.parts().time_dependence->constraint_rate_hessian(t, q, lambda, x);
                 }) < 1e-5);
      BOOST_TEST(vectors(m, [&](const System& s, Vector& x) { s.constraints(t, q, x); }) < 1e-14);
      BOOST_TEST(vectors(m, [&](const System& s, Vector& x) { s.constraint_velocity(t, q, v, x); }) < 1e-10);
      BOOST_TEST(vectors(m, [&](const System& s, Vector& x) { s.constraint_bias(t, q, v, x); }) < 1e-7);
      BOOST_TEST(vectors(4, [&](const System& s, Vector& x) { s.constraint_hessian_times(t, q, lambda, w, x); }) <
                 1e-8);
    }
}

/// The knife edge on a slope; the expected numbers are those of its closed form.
BOOST_AUTO_TEST_CASE(knife_edge) {
  const SunContext context;
  for (const auto& [scheme, step, error, energy] :
       {std::tuple{"energy-momentum-ggl", 1e-3, 1e-5, 1e-10}, {"projected-rk", 1e-2, 1e-9, 1e-10}})
    BOOST_TEST_CONTEXT(scheme) {
      void* mem = GnomonCreate(context);
      const SunOwner<N_Vector> mass(N_VNew_Serial(3, context)), y(N_VNew_Serial(6, context));
      N_VConst(1, mass.get());
      NV_Ith_S(mass.get(), 2) = .5;
      N_VConst(0, y.get());
      NV_Ith_S(y.get(), 2) = .5;
      NV_Ith_S(y.get(), 5) = 1;
      BOOST_TEST(GnomonSetMassDiagonal(mem, mass.get()) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetPotentialFn(mem, blade_U) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetVelocityConstraintFn(mem, 1, nullptr) != GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetVelocityConstraintFn(mem, 1, square_psi) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetScheme(mem, scheme, "") == GNOMON_SUCCESS);
      BOOST_TEST(GnomonInit(mem, 0, y.get()) != GNOMON_SUCCESS);
      BOOST_TEST(std::string(GnomonGetLastMessage(mem)).find("is not linear in the velocities") != std::string::npos,
                 GnomonGetLastMessage(mem));
      BOOST_TEST(GnomonSetVelocityConstraintFn(mem, 1, blade_psi) == GNOMON_SUCCESS);
      BOOST_TEST_REQUIRE(GnomonInit(mem, 0, y.get()) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
      BOOST_TEST(GnomonSetStep(mem, step) == GNOMON_SUCCESS);
      sunrealtype t = 0;
      BOOST_TEST_REQUIRE(GnomonEvolve(mem, 5, y.get(), &t, GNOMON_NORMAL) >= 0, GnomonGetLastMessage(mem));
      BOOST_TEST(std::abs(NV_Ith_S(y.get(), 0) - .6927040141) < error);
      BOOST_TEST(std::abs(NV_Ith_S(y.get(), 1) - 3.2643628473) < error);
      sunrealtype last = 0, largest = 0;
      BOOST_TEST(GnomonGetEnergyError(mem, &last, &largest) == GNOMON_SUCCESS);
      BOOST_TEST(largest < energy);
      GnomonFree(&mem);
    }
}

}  // namespace
