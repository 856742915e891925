// Consistent starts: what check_start refuses, and what project_start repairs.
#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "gnomon/start/consistency.hpp"
#include "support/differences.hpp"
#include "support/faulty_system.hpp"
#include "support/models.hpp"
#include "support/starts.hpp"

using namespace gnomon;
using namespace gnomon::test;
using RodSystem = gnomon::AutodiffSystem<Rods<>>;

namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Three cranks of length 1 at distances of 1, coupled at their ends A, B, C: |A-B| = |B-C| = 1 and, where M = 6,
/// |A-C| = 2, which repeats these while A, B and C are in a line, and beside that does not.
template <Index M>
struct CoupledCranks : AutodiffModel<6, M> {
  SystemTraits describe() const {
    SystemTraits traits;
    traits.name = "coupled-cranks";
    return traits;
  }
  Mass mass() const { return Mass::diagonal((Vector(6) << 1, 1, 1, 1, 1, 1).finished()); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[1] + q[3] + q[5];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    const auto off = [](const S& x, const S& y, double length) { return x * x + y * y - length * length; };
    for (int k = 0; k < 3; ++k) g[k] = off(q[2 * k] - static_cast<double>(k), q[2 * k + 1], 1);
    for (int k = 0; k < 2; ++k) g[3 + k] = off(q[2 * k + 2] - q[2 * k], q[2 * k + 3] - q[2 * k + 1], 1);
    if (M == 6) g[M - 1] = off(q[4] - q[0], q[5] - q[1], 2);
  }
};
}  // namespace

BOOST_AUTO_TEST_SUITE(check_start)

BOOST_AUTO_TEST_CASE(a_consistent_start_passes) {
  const RodSystem system{Rods<>{}};
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, 0, rods_q(), rods_p(system)));
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> other{gnomon::test::Nonlinear{}};
  Vector q = Vector::Constant(4, 0.7), p = Vector::Constant(4, 0.3);
  gnomon::project_start(other, 0.2, q, p);
  BOOST_CHECK_NO_THROW(gnomon::check_start(other, 0.2, q, p));
}

BOOST_AUTO_TEST_CASE(sizes) {
  const RodSystem system{Rods<>{}};
  const Refusal q = refusal([&] { gnomon::check_start(system, 0, Vector::Zero(3), Vector::Zero(4)); });
  BOOST_TEST((q.code == ErrorCode::bad_size));
  BOOST_TEST((q.says("q0") && q.says("3") && q.says("4") && q.says("rods")));
  const Refusal p = refusal([&] { gnomon::check_start(system, 0, rods_q(), Vector::Zero(5)); });
  BOOST_TEST((p.code == ErrorCode::bad_size));
  BOOST_TEST((p.says("p0") && p.says("5")));
  Vector short_q = Vector::Zero(3), long_p = Vector::Zero(4);
  BOOST_TEST((refusal([&] { gnomon::project_start(system, 0, short_q, long_p); }).code == ErrorCode::bad_size));
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite) {
  const RodSystem system{Rods<>{}};
  Vector q = rods_q(), p = rods_p(system);
  BOOST_TEST(refusal([&] { gnomon::check_start(system, not_a_number, q, p); }).says("t0"));
  p[1] = -std::numeric_limits<double>::infinity();
  const Refusal momentum = refusal([&] { gnomon::check_start(system, 0, q, p); });
  BOOST_TEST((momentum.says("p0[1]") && momentum.says("inf")));
  q[2] = not_a_number;
  const Refusal position = refusal([&] { gnomon::check_start(system, 0, q, p); });
  BOOST_TEST((position.code == ErrorCode::not_finite));
  BOOST_TEST((position.says("q0[2]") && position.says("nan")));
}

BOOST_AUTO_TEST_CASE(every_callback_is_tried) {
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> sound{gnomon::test::Nonlinear{}};
  Vector q = Vector::Constant(4, 0.7), p = Vector::Constant(4, 0.3);
  gnomon::project_start(sound, 0.2, q, p);
  for (int f = 0; f < static_cast<int>(FaultySystem::Function::count); ++f) {
    const auto function = static_cast<FaultySystem::Function>(f);
    BOOST_TEST_CONTEXT("function " << f) {
      const FaultySystem throwing(sound, function, FaultySystem::How::throws);
      const Refusal thrown = refusal([&] { gnomon::check_start(throwing, 0.2, q, p); });
      BOOST_TEST((thrown.code == ErrorCode::callback_failed));
      BOOST_TEST((thrown.says("nonlinear") && thrown.says("spoiled on purpose")));

      const FaultySystem undefined(sound, function, FaultySystem::How::nan);
      const Refusal not_finite = refusal([&] { gnomon::check_start(undefined, 0.2, q, p); });
      BOOST_TEST((not_finite.code == ErrorCode::not_finite));
      BOOST_TEST((not_finite.says("nan") && not_finite.says("at the start")));
    }
  }
  // The sentences name the function.
  const auto sentence = [&](FaultySystem::Function function) {
    const FaultySystem spoiled(sound, function, FaultySystem::How::nan);
    return refusal([&] { gnomon::check_start(spoiled, 0.2, q, p); });
  };
  BOOST_TEST(sentence(FaultySystem::Function::potential).says("potential U is nan at the start"));
  BOOST_TEST(sentence(FaultySystem::Function::potential_gradient).says("grad U"));
  BOOST_TEST(sentence(FaultySystem::Function::constraints).says("constraint g"));
  BOOST_TEST(sentence(FaultySystem::Function::constraint_jacobian).says("Jacobian G"));
  BOOST_TEST(sentence(FaultySystem::Function::force).says("force Q"));
}

BOOST_AUTO_TEST_CASE(an_inconsistent_position_names_the_constraint) {
  const RodSystem system{Rods<>{}};
  Vector q = rods_q();
  q[3] += 0.01;  // the lower rod only: it lies along x, so g = 0.01^2/2
  const Refusal lower = refusal([&] { gnomon::check_start(system, 0, q, Vector::Zero(4)); });
  BOOST_TEST((lower.code == ErrorCode::inconsistent_start));
  BOOST_TEST((lower.says("lower rod") && lower.says("5e-05") &&
              lower.says("a projection in the mass metric would repair it")));
  BOOST_TEST(!lower.says("upper rod"));
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, 0, q, Vector::Zero(4), 1e-3));
}

BOOST_AUTO_TEST_CASE(an_inconsistent_momentum_names_the_constraint) {
  const RodSystem system{Rods<>{}};
  Vector p = rods_p(system);
  p[0] += 1.5 * 1e-6;  // v_x of the upper mass, along both rods
  p[2] += 0.5 * 1e-6;
  const Refusal upper = refusal([&] { gnomon::check_start(system, 0, rods_q(), p); });
  BOOST_TEST((upper.code == ErrorCode::inconsistent_start));
  BOOST_TEST((upper.says("upper rod") && upper.says("G v") && upper.says("6e-07") && upper.says("would repair it")));
}

BOOST_AUTO_TEST_CASE(the_tolerance_scales_with_the_coordinates) {
  // Rods of 1e6 m: g is rounding of 1e12, far above an absolute 1e-10.
  Rods<> far;
  far.length1 = 1e6;
  far.length2 = 2e6;
  const RodSystem system{far};
  Vector q = 1e6 * (Vector(4) << std::cos(0.3), std::sin(0.3), std::cos(0.3) + 2 * std::cos(1.1),
                    std::sin(0.3) + 2 * std::sin(1.1))
                       .finished();
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, 0, q, Vector::Zero(4)));
  q[0] += 1e-2;
  BOOST_CHECK_THROW(gnomon::check_start(system, 0, q, Vector::Zero(4)), Error);
}

BOOST_AUTO_TEST_CASE(dependent_constraints_are_named) {
  const gnomon::AutodiffSystem<Rods<2>> system{Rods<2>{}};
  const gnomon::ConstraintRank rank = gnomon::check_start(system, 0, rods_q(), Vector::Zero(4));
  BOOST_TEST(rank.rank == 2);
  BOOST_TEST((rank.dependent == std::vector<Index>{2, 3}));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(project_start)

BOOST_AUTO_TEST_CASE(repairs_to_rounding) {
  Rods<> model;
  model.sway = 0.4;
  const RodSystem system{model};
  const double t = 0.9;
  Vector q = rods_q() + (Vector(4) << 0.1, -0.05, 0.2, 0.15).finished(), p = rods_p(system);
  const Vector p_before = p;
  gnomon::project_start(system, t, q, p);
  Vector g(2), gv(2), v(4), values(8);
  system.constraints(t, q, g);
  system.mass().solve(p, v);
  system.constraint_velocity(t, q, v, gv);
  BOOST_TEST(g.cwiseAbs().maxCoeff() <= 1e-15);
  BOOST_TEST(gv.cwiseAbs().maxCoeff() <= 2e-15);
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, t, q, p));

  // In the mass metric p changes only along the constraint forces: p - p_before = G^T nu.
  system.constraint_jacobian(t, q, values);
  const gnomon::Matrix gt = to_dense(system.constraint_pattern(), values).transpose();
  const Vector nu = gt.colPivHouseholderQr().solve(p - p_before);
  check_close(gt * nu, p - p_before, 1e-13);
}

BOOST_AUTO_TEST_CASE(the_position_moves_by_the_inverse_mass) {
  // One Newton step at a time, q moves along M^-1 G^T: for one rod that is radial, and exact for two equal masses.
  const Truss rod(1, {{0, Truss::pivot}}, Mass::diagonal((Vector(2) << 3, 3).finished()));
  Vector q = (Vector(2) << 1.2, 1.6).finished(), p = Vector::Zero(2);
  gnomon::project_start(rod, 0, q, p);
  check_close(q, (Vector(2) << 0.6, 0.8).finished(), 1e-15);
  // A heavy direction moves less.
  const Truss heavy(1, {{0, Truss::pivot}}, Mass::diagonal((Vector(2) << 1, 1e8).finished()));
  q << 0.9, 0.3;
  gnomon::project_start(heavy, 0, q, p);
  check_close(q, (Vector(2) << std::sqrt(1 - 0.09), 0.3).finished(), 1e-8);
}

BOOST_AUTO_TEST_CASE(a_consistent_start_is_left_alone) {
  const RodSystem system{Rods<>{}};
  Vector q = rods_q(), p = rods_p(system);
  gnomon::project_start(system, 0, q, p);
  check_close(q, rods_q(), 1e-15);
  check_close(p, rods_p(system), 1e-15);
}

BOOST_AUTO_TEST_CASE(dense_masses_and_masses_that_depend_on_q) {
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> dense{gnomon::test::Nonlinear{}};
  const gnomon::AutodiffSystem<gnomon::test::NonlinearMass> varying{gnomon::test::NonlinearMass{}};
  for (const System* system : {static_cast<const System*>(&dense), static_cast<const System*>(&varying)}) {
    Vector q = Vector::Constant(4, 0.7), p = Vector::Constant(4, 0.3), g(2), gv(2), v(4);
    gnomon::project_start(*system, 0.2, q, p);
    system->constraints(0.2, q, g);
    BOOST_TEST(g.cwiseAbs().maxCoeff() <= 1e-15);
    gnomon::Matrix m(4, 4);
    if (!system->parts().mass)
      m = to_dense(system->mass().pattern(), system->mass().values());
    else
      system->parts().mass->mass_matrix(q, m);
    v = m.ldlt().solve(p);
    system->constraint_velocity(0.2, q, v, gv);
    BOOST_TEST(gv.cwiseAbs().maxCoeff() <= 2e-15);
    BOOST_CHECK_NO_THROW(gnomon::check_start(*system, 0.2, q, p));
  }
}

BOOST_AUTO_TEST_CASE(large_systems) {
  const Index links = 2000;
  for (const bool coupled : {false, true}) {
    const Truss chain = unit_chain(links, coupled);
    Vector q = chain_q(links), p(2 * links);
    for (Index i = 0; i < 2 * links; ++i) {
      q[i] += 1e-3 * std::sin(3.0 * static_cast<double>(i));
      p[i] = std::cos(2.0 * static_cast<double>(i));
    }
    gnomon::project_start(chain, 0, q, p);
    Vector g(links), gv(links), v(2 * links);
    chain.constraints(0, q, g);
    chain.mass().solve(p, v);
    chain.constraint_velocity(0, q, v, gv);
    const double ulp_of_coordinates = 2.2e-16 * static_cast<double>(links);
    BOOST_TEST(g.cwiseAbs().maxCoeff() <= 2 * ulp_of_coordinates);
    BOOST_TEST(gv.cwiseAbs().maxCoeff() <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(constraints_that_repeat_others_do_not_lead_away) {
  // To second order in the distance the start moves as without them.
  const AutodiffSystem<CoupledCranks<5>> once{CoupledCranks<5>{}};
  const AutodiffSystem<CoupledCranks<6>> repeated{CoupledCranks<6>{}};
  const double c = std::cos(0.7), s = std::sin(0.7);
  const Vector on = (Vector(6) << c, s, 1 + c, s, 2 + c, s).finished();
  for (const double distance : {0.1, 0.03, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5}) {
    Vector q = on, p = Vector::Zero(6);
    for (Index j = 0; j < 6; ++j) q[j] += distance * (j == 3 ? 1 : 0.1);
    Vector with = q;
    gnomon::project_start(once, 0, q, p);
    gnomon::project_start(repeated, 0, with, p);
    BOOST_TEST((with - q).norm() <= 10 * distance * distance * distance, distance << ": " << (with - q).norm());
  }
}

BOOST_AUTO_TEST_CASE(constraints_that_cannot_be_met) {
  gnomon::AutodiffSystem<gnomon::test::NoSolution> none{gnomon::test::NoSolution{}};
  Vector x = Vector::Constant(1, 0.5), px = Vector::Zero(1);
  const Refusal refused = refusal([&] { gnomon::project_start(none, 0, x, px); });
  BOOST_TEST((refused.code == ErrorCode::inconsistent_start));
  BOOST_TEST((refused.says("no-solution") && refused.says("g[0]") && refused.says("converge")));
}

BOOST_AUTO_TEST_SUITE_END()
