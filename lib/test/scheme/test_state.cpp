#include <boost/test/unit_test.hpp>
#include <limits>
#include <random>

#include "gnomon/scheme/state.hpp"

using namespace gnomon;

namespace {
constexpr double ulp = std::numeric_limits<double>::epsilon();
}

BOOST_AUTO_TEST_CASE(increments_below_the_last_place_are_kept) {
  Compensated x;
  x.set(Vector::Constant(2, 1.0));
  const Vector d = (Vector(2) << ulp / 1000, -ulp / 1000).finished();
  for (int i = 0; i < 1000000; ++i) x.add(d);
  // In plain arithmetic every one of these additions is lost.
  BOOST_TEST(1.0 + d[0] == 1.0);
  BOOST_TEST(((x.value()[0] - 1) + x.tail()[0]) == 1e6 * d[0], boost::test_tools::tolerance(1e-9));
  BOOST_TEST(((x.value()[1] - 1) + x.tail()[1]) == 1e6 * d[1], boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(sums_agree_with_extended_precision) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Compensated x;
  x.set(Vector::Zero(1));
  long double exact = 0;
  Vector d(1);
  double plain = 0, largest = 0;
  for (int i = 0; i < 100000; ++i) {
    d[0] = uniform(random) * (i % 3 ? 1e-8 : 1.0);
    x.add(d);
    plain += d[0];
    exact += static_cast<long double>(d[0]);
    largest = std::max(largest, std::abs(static_cast<double>(exact)));
  }
  const auto error = [&](long double sum) { return static_cast<double>(std::abs(sum - exact)); };
  BOOST_TEST(error(static_cast<long double>(x.value()[0]) + x.tail()[0]) <= 1e-17 * largest);
  BOOST_TEST(error(plain) > 1e-14);
}

BOOST_AUTO_TEST_CASE(the_tail_is_less_than_the_last_place) {
  Compensated x;
  x.set((Vector(3) << 1, 1e10, 0).finished());
  for (int i = 0; i < 1000; ++i) {
    x.add((Vector(3) << 0.1, -0.3, 1e-20).finished());
    for (Index j = 0; j < 3; ++j) BOOST_TEST(std::abs(x.tail()[j]) <= ulp / 2 * std::abs(x.value()[j]));
  }
  x.set(Vector::Ones(3));
  BOOST_TEST(x.tail().isZero());
}

BOOST_AUTO_TEST_CASE(adding_and_taking_away_returns_to_the_start) {
  // |increment| > |value| as well: the sum must not assume an order of magnitudes.
  Compensated x;
  x.set(Vector::Constant(1, 0.1));
  for (const double d : {1e8, 1e-9, 3.7, -1e5}) {
    x.add(Vector::Constant(1, d));
    x.add(Vector::Constant(1, -d));
  }
  BOOST_TEST(std::abs((x.value()[0] - 0.1) + x.tail()[0]) <= 1e-16);
}

BOOST_AUTO_TEST_CASE(time_stays_on_the_grid) {
  State z;
  z.t = 0;
  const double h = 1e-3;
  for (int i = 0; i < 1000000; ++i) z.advance_time(h);
  BOOST_TEST(std::abs((z.t - 1000) + z.t_tail) <= 1e-13);
  BOOST_TEST(z.last_h == h);
  z.advance_time(-0.5);
  BOOST_TEST(z.last_h == -0.5);
}

BOOST_AUTO_TEST_CASE(history_is_a_ring) {
  History history;
  history.resize(1, 3);
  BOOST_TEST(history.count() == 0);
  for (int i = 1; i <= 5; ++i) {
    history.push(Vector::Constant(1, i));
    BOOST_TEST(history.count() == std::min(i, 3));
    for (Index age = 0; age < history.count(); ++age) BOOST_TEST(history.at(age)[0] == i - static_cast<double>(age));
  }
  history.clear();
  BOOST_TEST(history.count() == 0);
  history.push(Vector::Constant(1, 9));
  BOOST_TEST(history.count() == 1);
  BOOST_TEST(history.at(0)[0] == 9);
}

BOOST_AUTO_TEST_CASE(two_pushes_into_a_history_can_be_taken_back) {
  for (const int pushed : {0, 1, 2, 3, 7}) {
    History history;
    history.resize(1, 3);
    for (int i = 1; i <= pushed; ++i) history.push(Vector::Constant(1, i));
    const History before = history;
    const History::Mark mark = history.mark();
    history.clear();
    history.push(Vector::Constant(1, 100));
    history.push(Vector::Constant(1, 101));
    BOOST_TEST(history.count() == 2);
    history.rewind(mark);
    BOOST_TEST(history.count() == before.count());
    for (Index age = 0; age < history.count(); ++age) BOOST_TEST(history.at(age)[0] == before.at(age)[0]);
  }
}

BOOST_AUTO_TEST_CASE(the_state_after_a_step_takes_the_history) {
  State before, after;
  for (State* z : {&before, &after}) {
    z->q.set(Vector::Zero(2));
    z->p.set(Vector::Zero(2));
    z->lambda = Vector::Zero(1);
    z->history.resize(2, 2);
  }
  before.q.add(Vector::Ones(2));
  before.work.force = -3;
  before.closed = {4};
  before.history.push(Vector::Constant(2, 7));
  after.take_over(before);
  BOOST_TEST(after.q.value()[1] == 1);
  BOOST_TEST(after.work.total() == -3);
  BOOST_TEST(after.closed.front() == 4);
  BOOST_TEST(after.history.at(0)[0] == 7);
  BOOST_TEST(before.history.count() == 0);
  before.swap(after);
  BOOST_TEST(before.history.at(0)[0] == 7);
  BOOST_TEST(after.history.count() == 0);
}

BOOST_AUTO_TEST_CASE(a_copy_is_a_checkpoint) {
  State z;
  z.q.set(Vector::Ones(2));
  z.p.set(Vector::Zero(2));
  z.lambda = Vector::Ones(1);
  z.history.resize(2, 2);
  z.history.push(Vector::Ones(2));
  const State saved = z;
  z.q.add(Vector::Ones(2));
  z.history.push(Vector::Zero(2));
  z.advance_time(1);
  z = saved;
  BOOST_TEST(z.q.value()[0] == 1);
  BOOST_TEST(z.t == 0);
  BOOST_TEST(z.history.count() == 1);
  BOOST_TEST(z.history.at(0)[1] == 1);
}
