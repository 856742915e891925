/// Derivatives of discrete motions against the variational equations of the continuous ones, by IDAS: of the planar
/// pendulum in its angle, written out here, and of systems in the index-1 form by their own functions.
#include <idas/idas.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "bench/sensitivity/idas_motion.hpp"
#include "gnomon/gnomon.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

struct Setting {
  std::string problem;
  Assignments set;
  std::vector<std::string> by;
  double until;
};

VariedProblem varied(const Setting& s, const std::string& scheme, const Assignments& options) {
  const auto run = [scheme, options](const ProblemInstance& instance) {
    IntegratorOptions projected;
    projected.project_start = true;
    return registry().integrator(instance, scheme, "newton", options, {}, projected);
  };
  return VariedProblem(registry().problem(s.problem), s.set, run, s.by);
}

/// (dq/ds, dp/ds) at the end, 2n x parameters, of so many steps.
Matrix discrete(const Setting& s, const std::string& scheme, const Assignments& options, long steps) {
  const VariedProblem all = varied(s, scheme, options);
  IntegratorOptions projected;
  projected.project_start = true;
  Integrator run = registry().integrator(registry().build(s.problem, s.set), scheme, "newton", options, {}, projected);
  Sensitivities sensitivities(run, all.parameters(), all.make());
  sensitivities.observe(run.state(), 0);
  run.add_observer(sensitivities);
  const StepReport report = run.advance(steps, s.until / static_cast<double>(steps));
  BOOST_REQUIRE_MESSAGE(report.success(), scheme << ": " << report.message);
  BOOST_REQUIRE_MESSAGE(sensitivities.failure().empty(), scheme << ": " << sensitivities.failure());
  Matrix out(2 * run.state().q.value().size(), static_cast<Index>(s.by.size()));
  out << sensitivities.positions(), sensitivities.momenta();
  return out;
}

/// The largest difference of a column, in parts of the column's largest entry.
double apart(const Matrix& found, const Matrix& truth) {
  double largest = 0;
  for (Index j = 0; j < truth.cols(); ++j)
    largest = std::max(
        largest, (found.col(j) - truth.col(j)).lpNorm<Eigen::Infinity>() / truth.col(j).lpNorm<Eigen::Infinity>());
  return largest;
}

/// Schemes of order two: differences that fall by four from h to h/2, and what extrapolation by h^2 and h^4 leaves.
void check_extrapolated(const Setting& s, const Matrix& truth, long steps) {
  for (const std::string scheme : {"energy-momentum", "energy-momentum-ggl", "rattle"}) {
    const Matrix one = discrete(s, scheme, {}, steps), two = discrete(s, scheme, {}, 2 * steps),
                 four = discrete(s, scheme, {}, 4 * steps);
    const double order = std::log2(apart(two, truth) / apart(four, truth));
    const double rest = apart((64 * four - 20 * two + one) / 45, truth);
    BOOST_TEST_MESSAGE(s.problem << " " << scheme << ": " << apart(one, truth) << ", " << apart(two, truth) << ", "
                                 << apart(four, truth) << ", order " << order << ", extrapolated " << rest);
    BOOST_TEST(std::abs(order - 2) < 0.1, scheme << ": order " << order);
    BOOST_TEST(rest < 1e-7, scheme << ": " << rest);
  }
}

/// Schemes of order four at steps whose differences are far above those of IDAS, and of order eight.
void check_high_order(const Setting& s, const Matrix& truth, long steps) {
  const Assignments order_four{{"k", "2"}, {"s", "2"}, {"r", "1"}}, order_eight{{"k", "4"}, {"s", "4"}, {"r", "3"}};
  for (const std::string scheme : {"line-integral-ggl", "hbvm"}) {
    const auto with = [&](Assignments options) {
      if (scheme == "hbvm") options.emplace_back("output", "projected");
      return options;
    };
    const double coarse = apart(discrete(s, scheme, with(order_four), steps), truth);
    const double fine = apart(discrete(s, scheme, with(order_four), 2 * steps), truth);
    const double order = std::log2(coarse / fine), rest = apart(discrete(s, scheme, with(order_eight), steps), truth);
    BOOST_TEST_MESSAGE(s.problem << " " << scheme << ": " << coarse << ", " << fine << ", order " << order
                                 << ", of order eight " << rest);
    BOOST_TEST(std::abs(order - 4) < 0.2, scheme << ": order " << order);
    BOOST_TEST(rest < 1e-8, scheme << ": " << rest);
  }
}

/// theta'' = -(gravity/length) sin theta as 0 = F(x, x'), x = (theta, omega), with its derivatives by length, gravity,
/// mass and start speed written out.
struct AngleOfPendulum {
  double length, gravity, mass, angle, speed;
  enum { by_length, by_gravity, by_mass, by_speed, n_parameters };

  static int residual(SunReal, N_Vector x, N_Vector xp, N_Vector r, void* self) {
    const auto& me = *static_cast<AngleOfPendulum*>(self);
    const double *y = N_VGetArrayPointer(x), *yp = N_VGetArrayPointer(xp);
    N_VGetArrayPointer(r)[0] = yp[0] - y[1];
    N_VGetArrayPointer(r)[1] = yp[1] + me.gravity / me.length * std::sin(y[0]);
    return 0;
  }
  static int sensitivity(int count, SunReal, N_Vector x, N_Vector, N_Vector, N_Vector* dx, N_Vector* dxp, N_Vector* r,
                         void* self, N_Vector, N_Vector, N_Vector) {
    const auto& me = *static_cast<AngleOfPendulum*>(self);
    const double theta = N_VGetArrayPointer(x)[0];
    for (int i = 0; i < count; ++i) {
      const double *d = N_VGetArrayPointer(dx[i]), *dp = N_VGetArrayPointer(dxp[i]);
      double* out = N_VGetArrayPointer(r[i]);
      out[0] = dp[0] - d[1];
      out[1] = dp[1] + me.gravity / me.length * std::cos(theta) * d[0];
      if (i == by_length) out[1] -= me.gravity / (me.length * me.length) * std::sin(theta);
      if (i == by_gravity) out[1] += std::sin(theta) / me.length;
    }
    return 0;
  }

  /// (dq/ds, dp/ds) at t: q = length (sin, -cos), p = mass length omega (cos, sin)
  Matrix derivatives(double t) {
    SunContext context;
    const auto x = serial_vector(2, context), xp = serial_vector(2, context);
    const double omega0 = speed / length, a = gravity / length;
    Eigen::Map<Eigen::Vector2d> at(N_VGetArrayPointer(x.get())), slope(N_VGetArrayPointer(xp.get()));
    at << angle, omega0;
    slope << omega0, -a * std::sin(angle);
    std::vector<SunOwner<N_Vector>> owners;
    std::vector<N_Vector> dx, dxp;
    for (int i = 0; i < n_parameters; ++i) {
      const double d_omega = i == by_length ? -speed / (length * length) : i == by_speed ? 1 / length : 0;
      const double d_a = i == by_length ? -gravity / (length * length) : i == by_gravity ? 1 / length : 0;
      for (auto* all : {&dx, &dxp}) {
        owners.push_back(serial_vector(2, context));
        all->push_back(owners.back().get());
      }
      N_VGetArrayPointer(dx.back())[0] = 0;
      N_VGetArrayPointer(dx.back())[1] = N_VGetArrayPointer(dxp.back())[0] = d_omega;
      N_VGetArrayPointer(dxp.back())[1] = -d_a * std::sin(angle);
    }
    void* ida = IDACreate(context);
    const SunOwner<SUNMatrix> matrix(SUNDenseMatrix(2, 2, context));
    const SunOwner<SUNLinearSolver> linear(SUNLinSol_Dense(x.get(), matrix.get(), context));
    BOOST_REQUIRE(IDAInit(ida, residual, 0, x.get(), xp.get()) == 0);
    BOOST_REQUIRE(IDASetUserData(ida, this) == 0);
    BOOST_REQUIRE(IDASStolerances(ida, 1e-12, 1e-13) == 0);
    BOOST_REQUIRE(IDASetMaxNumSteps(ida, 100000) == 0);
    BOOST_REQUIRE(IDASetLinearSolver(ida, linear.get(), matrix.get()) == 0);
    BOOST_REQUIRE(IDASetNonlinConvCoef(ida, 1e-2) == 0);
    BOOST_REQUIRE(IDASensInit(ida, n_parameters, IDA_SIMULTANEOUS, sensitivity, dx.data(), dxp.data()) == 0);
    std::vector<double> ones(n_parameters, 1e-13);
    BOOST_REQUIRE(IDASensSStolerances(ida, 1e-12, ones.data()) == 0);
    BOOST_REQUIRE(IDASetSensErrCon(ida, 1) == 0);
    BOOST_REQUIRE(IDASetStopTime(ida, t) == 0);
    double reached = 0;
    BOOST_REQUIRE(IDASolve(ida, t, &reached, x.get(), xp.get(), IDA_NORMAL) >= 0);
    BOOST_REQUIRE(IDAGetSens(ida, &reached, dx.data()) == 0);
    IDAFree(&ida);

    Matrix out(4, n_parameters);
    const Eigen::Vector2d radial(std::sin(at[0]), -std::cos(at[0])), along(std::cos(at[0]), std::sin(at[0]));
    for (int i = 0; i < n_parameters; ++i) {
      const double d_theta = N_VGetArrayPointer(dx[i])[0], d_omega = N_VGetArrayPointer(dx[i])[1];
      const double d_length = i == by_length ? 1 : 0, d_moment = i == by_length ? mass : i == by_mass ? length : 0;
      out.col(i) << d_length * radial + length * d_theta * along,
          d_moment * at[1] * along + mass * length * (d_omega * along - at[1] * d_theta * radial);
    }
    return out;
  }
};

const Setting pendulum{"planar-pendulum",
                       {{"length", "1.3"}, {"gravity", "9.81"}, {"mass", "0.8"}, {"angle", "0.7"}, {"speed", "2"}},
                       {"length", "gravity", "mass", "speed"},
                       2};

Matrix truth_of_pendulum() {
  return AngleOfPendulum{1.3, 9.81, 0.8, 0.7, 2}.derivatives(pendulum.until);
}

Setting double_pendulum() {
  return {"double-spherical-pendulum",
          {{"start", "spatial"}, {"mass1", "1.5"}, {"length2", "0.8"}},
          {"mass1", "mass2", "length1", "length2", "gravity", "start.der(bob1.y)", "start.bob2.z"},
          1};
}

/// By IDAS, at this relative tolerance.
Matrix index1(const Setting& s, double rtol) {
  const VariedProblem all = varied(s, "energy-momentum", {});
  bench::IdasOptions options;
  options.rtol = rtol;
  options.newton = 1e-2;
  options.exact = true;
  bench::IdasMotion motion(all.parameters(), all.make(), options);
  const std::string failure = motion.advance_to(s.until);
  BOOST_REQUIRE_MESSAGE(failure.empty(), failure);
  Matrix out(2 * motion.q().size(), static_cast<Index>(s.by.size()));
  out << motion.positions(), motion.momenta();
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(index1_form_of_the_pendulum) {
  const double off = apart(index1(pendulum, 1e-12), truth_of_pendulum());
  BOOST_TEST_MESSAGE("index 1 against the angle: " << off);
  BOOST_TEST(off < 1e-8);
}

BOOST_AUTO_TEST_CASE(planar_pendulum) {
  const Matrix truth = truth_of_pendulum();
  check_extrapolated(pendulum, truth, 100);
  check_high_order(pendulum, truth, 50);
}

BOOST_AUTO_TEST_CASE(double_spherical_pendulum) {
  const Setting s = double_pendulum();
  const Matrix truth = index1(s, 3e-13);
  const double agreement = apart(index1(s, 1e-12), truth);
  BOOST_TEST_MESSAGE("IDAS at 1e-12 and 3e-13: " << agreement);
  BOOST_TEST(agreement < 1e-8);
  check_extrapolated(s, truth, 100);
  check_high_order(s, truth, 50);
}
