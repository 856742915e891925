// How a Newton solve ends with the current factorisation: on scalars, where every correction is known.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "gnomon/solve/chord_steps.hpp"
#include "gnomon/solve/stagnation.hpp"

using namespace gnomon;

namespace {

/// x -= F(x)/slope, F = slope_of_f (x - root): an error shrinks by 1 - slope_of_f/slope, to `noise`.
struct Scalar {
  double x, root, slope, slope_of_f, last, noise = 0;
  double before = 0, dx = 0;
  int solved = 0, evaluated = 0;
  bool singular = false, fails = false;

  double f() const { return slope_of_f * (x - root) + noise; }
  bool correct() {
    ++solved;
    dx = f() / slope;
    before = last;
    last = std::abs(dx) / (1 + std::abs(x));
    return !singular;
  }
  double step() const { return last; }
  double rate() const { return last / before; }
  void apply() { x -= dx; }
  bool evaluate(SolveReport& report) {
    ++evaluated;
    report.residual_norm = fails ? std::numeric_limits<double>::quiet_NaN() : std::abs(f());
    return !fails;
  }
  SolveReport report() const {
    SolveReport r;
    r.iterations = 1;
    r.step_norm = last;
    r.residual_norm = std::abs(f());
    return r;
  }
};

constexpr double floor_of_f = 1e-16;
const ConvergenceRule rule;

}  // namespace

BOOST_AUTO_TEST_CASE(a_good_matrix_ends_the_solve) {
  Scalar s{1 + 1e-9, 1, 1, 1 + 1e-4, 1e-6};
  SolveReport report = s.report();
  BOOST_TEST((take_chord_steps(s, rule, floor_of_f, report) == Ending::done));
  BOOST_TEST(std::abs(s.x - 1) <= 1e-15);
  BOOST_TEST(report.iterations == 1 + s.solved);
  BOOST_TEST(s.evaluated == s.solved - 1);  // after the last one there is nothing to see
}

BOOST_AUTO_TEST_CASE(a_small_step_at_the_floor_takes_one_correction) {
  Scalar s{1 + 1e-14, 1, 1, 1, 5e-8};
  SolveReport report = s.report();
  BOOST_TEST((take_chord_steps(s, rule, floor_of_f, report) == Ending::done));
  BOOST_TEST(s.solved == 1);
  BOOST_TEST(s.evaluated == 0);
  BOOST_TEST(s.x == 1);
  Scalar tiny{1 + 1e-14, 1, 1, 1, 5e-10};  // nothing to take away
  report = tiny.report();
  BOOST_TEST((take_chord_steps(tiny, rule, floor_of_f, report) == Ending::done));
  BOOST_TEST(tiny.solved == 0);
}

BOOST_AUTO_TEST_CASE(a_matrix_that_contracts_slowly_is_given_up) {
  Scalar s{1 + 1e-6, 1, 1, .7, 1e-5};  // errors shrink by .3
  SolveReport report = s.report();
  BOOST_TEST((take_chord_steps(s, rule, floor_of_f, report) == Ending::new_matrix));
  BOOST_TEST(s.solved == 2);
  BOOST_TEST(std::abs(s.x - 1) <= .31e-6);  // what it gained is kept
  Scalar growing{1 + 1e-6, 1, 1, -1, 1e-7};
  report = growing.report();
  BOOST_TEST((take_chord_steps(growing, rule, floor_of_f, report) == Ending::new_matrix));
  BOOST_TEST(growing.x == 1 + 1e-6);
}

BOOST_AUTO_TEST_CASE(failures_are_told) {
  Scalar singular{1 + 1e-6, 1, 1, 1, 1e-5};
  singular.singular = true;
  SolveReport report = singular.report();
  BOOST_TEST((take_chord_steps(singular, rule, floor_of_f, report) == Ending::new_matrix));
  BOOST_TEST(singular.x == 1 + 1e-6);
  Scalar failing{1 + 1e-6, 1, 1, 1 + 1e-3, 1e-5};
  failing.fails = true;
  report = failing.report();
  BOOST_TEST((take_chord_steps(failing, rule, floor_of_f, report) == Ending::failed));
  Scalar lost{std::numeric_limits<double>::quiet_NaN(), 1, 1, 1, 1e-5};
  report = lost.report();
  BOOST_TEST((take_chord_steps(lost, rule, floor_of_f, report) == Ending::new_matrix));
}

BOOST_AUTO_TEST_CASE(corrections_that_are_noise_end_at_the_floor) {
  Scalar s{1, 1, 1, 1, 1e-5, 3e-13};  // F is never below 3e-13, which counts as its floor
  s.root = 1 + 1e-9;
  SolveReport report = s.report();
  BOOST_TEST((take_chord_steps(s, rule, floor_of_f, report) == Ending::done));
  BOOST_TEST(s.solved <= 4);
}

BOOST_AUTO_TEST_CASE(an_iteration_is_astray_where_corrections_or_residual_grow) {
  Stagnation s;
  s.start(1e-16);
  s.take_residual(1);
  BOOST_TEST(!s.last(.1));
  s.take_residual(.5);
  BOOST_TEST(!s.diverging(.09));
  BOOST_TEST(s.diverging(.2));
  s.take_residual(2);
  BOOST_TEST(s.diverging(.09));
  s.renew();
  s.take_residual(.9);  // still below that of the start
  BOOST_TEST(!s.last(.1));
  BOOST_TEST(!s.diverging(.05));
  s.take_residual(std::numeric_limits<double>::quiet_NaN());
  BOOST_TEST(s.diverging(.05));
}
