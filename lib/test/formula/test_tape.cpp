// What the recording of a function shows: degrees, dependences, the use of time, branches.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <thread>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/recorded.hpp"
#include "gnomon/formula/tape_function.hpp"
#include "gnomon/formula/winding.hpp"

using gnomon::any_number;
using gnomon::Index;
using gnomon::ordinary_point;
using gnomon::Recorded;
using gnomon::Tape;

namespace {

template <class F>
Tape tape_of(Index n, Index outputs, const F& f) {
  return gnomon::record({n, 0, 0}, outputs, ordinary_point(n),
                        [&](const Recorded& t, const auto& x, Recorded* out) { f(t, x[0], out); });
}
template <class F>
Tape scalar_tape(Index n, const F& f) {
  return tape_of(n, 1, [&](const Recorded& t, const Recorded* q, Recorded* out) { out[0] = f(t, q); });
}
/// (total, timed) of the degree of f(t, q) in three variables.
template <class F>
std::pair<int, int> degree_of(const F& f) {
  const Tape::Degree degree = scalar_tape(3, f).degree();
  return {degree.total, degree.timed};
}
using Pair = std::pair<int, int>;
constexpr int none = Tape::not_polynomial;

std::vector<Index> columns(const gnomon::SparsityPattern& pattern, Index row) {
  return {pattern.indices.begin() + pattern.offsets[row], pattern.indices.begin() + pattern.offsets[row + 1]};
}
using Columns = std::vector<Index>;

}  // namespace

#define CHECK_DEGREE(expression, total, timed)                                    \
  BOOST_CHECK((degree_of([](const Recorded& t, const Recorded* q) -> Recorded {   \
                 return static_cast<void>(t), static_cast<void>(q), (expression); \
               }) == Pair(total, timed)))

BOOST_AUTO_TEST_CASE(degrees_of_polynomials) {
  CHECK_DEGREE(Recorded(3.0), 0, -1);
  CHECK_DEGREE(q[0], 1, -1);
  CHECK_DEGREE(2.0 * q[0] - q[1] / 3.0 + 1, 1, -1);
  CHECK_DEGREE(q[0] * q[1] + q[2], 2, -1);
  CHECK_DEGREE((q[0] * q[1] - 1.0) * -q[2] * q[0], 4, -1);
  CHECK_DEGREE(pow(q[0] + q[1], 3), 3, -1);
  CHECK_DEGREE(pow(q[0], 2.0) * pow(q[1], 0), 2, -1);
  CHECK_DEGREE(q[0] * q[0] * 0.0 + q[1], 1, -1);
  CHECK_DEGREE(t * t, 0, 0);
  CHECK_DEGREE(q[0] + sin(t), 1, 0);
  CHECK_DEGREE(sin(t) * q[0] + q[1] * q[1], 2, 1);
  CHECK_DEGREE((q[0] - sin(t)) * (q[0] - sin(t)), 2, 1);
  CHECK_DEGREE(q[0] * q[1] / t, 2, 2);
  CHECK_DEGREE(pow(q[0] - t, 3), 3, 2);
}

BOOST_AUTO_TEST_CASE(what_is_not_polynomial) {
  for (const auto& f : std::vector<std::function<Recorded(const Recorded*)>>{
           [](const Recorded* q) { return sqrt(q[0]); }, [](const Recorded* q) { return 1.0 / q[0]; },
           [](const Recorded* q) { return q[0] * q[0] / q[0]; }, [](const Recorded* q) { return pow(q[0], 0.5); },
           [](const Recorded* q) { return pow(q[0], -1); }, [](const Recorded* q) { return pow(2.0, q[0]); },
           [](const Recorded* q) { return q[1] + exp(q[0]) - exp(q[0] * 1.5); },
           [](const Recorded* q) { return atan2(q[0], 1.0); }, [](const Recorded* q) { return hypot(q[0], q[1]); },
           [](const Recorded* q) { return q[1] * tanh(q[0]); }})
    BOOST_TEST(scalar_tape(2, [&](const Recorded&, const Recorded* q) { return f(q); }).degree().total == none);
}

BOOST_AUTO_TEST_CASE(time_counts_where_an_operation_uses_it) {
  BOOST_TEST(!scalar_tape(1, [](const Recorded&, const Recorded* q) { return q[0]; }).uses_time);
  BOOST_TEST(scalar_tape(1, [](const Recorded& t, const Recorded* q) { return q[0] * t; }).uses_time);
  BOOST_TEST(!scalar_tape(1, [](const Recorded& t, const Recorded* q) { return q[0] + 0.0 * sin(t); }).uses_time);
  BOOST_TEST(!scalar_tape(1, [](const Recorded& t, const Recorded* q) {
                const Recorded unused = exp(t);
                return q[0] + (unused - unused);
              }).uses_time);
  BOOST_TEST(
      scalar_tape(1, [](const Recorded& t, const Recorded* q) { return t > 0.1 ? q[0] : q[0] * 2.0; }).uses_time);
}

BOOST_AUTO_TEST_CASE(an_additive_constant_is_taken_off) {
  const auto split = [](const auto& f) {
    const Tape whole = scalar_tape(3, f);
    Tape rest = whole;
    const auto constant = static_cast<double>(rest.take_constant());
    const gnomon::Vector x = ordinary_point(3).x;
    const auto at = [&x](const Tape& tape) {
      double u = 0;
      gnomon::TapeFunction(tape, gnomon::TapeFunction::Patterns::none).value(0.3, {x.data(), nullptr, nullptr}, &u);
      return u;
    };
    BOOST_TEST(std::abs(at(whole) - (constant + at(rest))) <= 1e-15 * (1 + std::abs(constant)));
    return constant;
  };
  using R = Recorded;
  BOOST_TEST(split([](const R&, const R* q) { return R(5 + q[0] * q[0] + q[1] - 2.0); }) == 3);
  BOOST_TEST(split([](const R&, const R* q) { return R(5 - (q[0] - 1.0)); }) == 6);
  BOOST_TEST(split([](const R&, const R* q) { return R(-(q[0] + 1.0) / 4.0 + 2.0 * ((1 - cos(q[1])) * 3.0)); }) ==
             5.75);
  BOOST_TEST(split([](const R&, const R* q) { return R(q[0] * (1.0 + q[1])); }) == 0);  // no constant
  BOOST_TEST(split([](const R& t, const R* q) { return R(sin(1.0 + q[0]) + (7 + t * q[1])); }) == 7);
  const auto shared = [](const R&, const R* q) {
    const R a = q[0] + 1.0;
    return R(a + a * a + 2.0 * a);
  };
  BOOST_TEST(split(shared) == 3);
  Tape constant = scalar_tape(3, [](const R&, const R*) { return R(4.0); });
  BOOST_TEST(constant.take_constant() == 0);
  Tape as_it_was = scalar_tape(3, [](const R&, const R* q) { return R(q[0] * q[1] + q[2]); });
  const std::size_t steps = as_it_was.steps.size();
  BOOST_TEST(as_it_was.take_constant() == 0);
  BOOST_TEST(as_it_was.steps.size() == steps);
}

BOOST_AUTO_TEST_CASE(dependences_and_interactions) {
  const Tape tape = tape_of(5, 3, [](const Recorded&, const Recorded* q, Recorded* out) {
    out[0] = q[0] * q[3] + q[4];
    out[1] = sin(q[1]) - 0.0 * q[2];
    out[2] = q[1] / (q[2] + q[4]);
  });
  const auto g = tape.dependences(0);
  BOOST_TEST(columns(g, 0) == (Columns{0, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST(columns(g, 1) == (Columns{1}), boost::test_tools::per_element());
  BOOST_TEST(columns(g, 2) == (Columns{1, 2, 4}), boost::test_tools::per_element());
  const auto h = tape.interactions();
  BOOST_TEST(columns(h, 0) == (Columns{3}), boost::test_tools::per_element());
  BOOST_TEST(columns(h, 1) == (Columns{1, 2, 4}), boost::test_tools::per_element());
  BOOST_TEST(columns(h, 2) == (Columns{1, 2, 4}), boost::test_tools::per_element());
  BOOST_TEST(columns(h, 3) == (Columns{0}), boost::test_tools::per_element());
  BOOST_TEST(columns(h, 4) == (Columns{1, 2, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(interactions_of_many_variables_are_those_of_few) {
  // 9000 variables take the list, 60 the bits.
  for (const Index n : {60, 9000}) {
    const auto h = scalar_tape(n, [&](const Recorded&, const Recorded* q) {
                     Recorded sum = 0;
                     for (Index j = 0; j + 1 < n; ++j) sum += sqrt(1.0 + (q[j] - q[j + 1]) * (q[j] - q[j + 1]));
                     return sum;
                   }).interactions();
    BOOST_TEST(h.nonzeros() == 3 * n - 2);
    BOOST_TEST(columns(h, 7) == (Columns{6, 7, 8}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(blocks) {
  const Tape tape = gnomon::record({2, 2, 1}, 2, ordinary_point(5), [](const Recorded&, const auto& x, Recorded* out) {
    out[0] = x[0][1] * x[1][0];
    out[1] = x[2][0] - x[1][1];
  });
  BOOST_TEST(columns(tape.dependences(0), 0) == (Columns{1}), boost::test_tools::per_element());
  BOOST_TEST(columns(tape.dependences(0), 1) == Columns{}, boost::test_tools::per_element());
  BOOST_TEST(columns(tape.dependences(1), 0) == (Columns{0}), boost::test_tools::per_element());
  BOOST_TEST(columns(tape.dependences(1), 1) == (Columns{1}), boost::test_tools::per_element());
  BOOST_TEST(columns(tape.dependences(2), 1) == (Columns{0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(branches_are_marked) {
  const auto branch = [](const std::function<Recorded(const Recorded*)>& f) {
    return scalar_tape(2, [&](const Recorded&, const Recorded* q) { return f(q); }).branch;
  };
  BOOST_TEST(branch([](const Recorded* q) { return q[0]; }) == "");
  BOOST_TEST(branch([](const Recorded* q) { return Recorded(2.0) < 3.0 ? q[0] : q[1]; }) == "");
  BOOST_TEST(branch([](const Recorded* q) { return q[0] < q[1] ? q[0] : q[1]; }) == "<");
  BOOST_TEST(branch([](const Recorded* q) { return abs(q[0]); }) == "abs");
  BOOST_TEST(branch([](const Recorded* q) { return max(q[0], 0.5); }) == "max");
  BOOST_TEST(branch([](const Recorded* q) { return min(q[0], q[1]); }) == "min");
  BOOST_TEST(branch([](const Recorded* q) { return q[0] * value_of(q[1]); }) == "conversion to double");
}

BOOST_AUTO_TEST_CASE(outputs_left_out_are_zero_and_too_many_are_refused) {
  const Tape tape = tape_of(1, 3, [](const Recorded&, const Recorded* q, Recorded* out) { out[1] = q[0]; });
  BOOST_TEST(tape.outputs.size() == 3u);
  BOOST_TEST(tape.dependences(0).nonzeros() == 1);
  BOOST_CHECK_EXCEPTION(
      tape_of(1, 1, [](const Recorded&, const Recorded* q, Recorded* out) { out[0] = out[1] = q[0]; }), gnomon::Error,
      [](const gnomon::Error& e) { return std::string(e.what()).find("writes to entry 1") != std::string::npos; });
  const Tape found =
      tape_of(1, any_number, [](const Recorded&, const Recorded* q, Recorded* out) { out[0] = out[3] = q[0]; });
  BOOST_TEST(found.outputs.size() == 4u);
}

BOOST_AUTO_TEST_CASE(each_thread_records_for_itself) {
  std::vector<Index> found(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([i, &found] {
      for (int repeat = 0; repeat < 50; ++repeat)
        found[i] = scalar_tape(20,
                               [&](const Recorded&, const Recorded* q) {
                                 Recorded product = 1;
                                 for (std::size_t j = 0; j <= i; ++j) product *= q[j];
                                 return product;
                               })
                       .degree()
                       .total;
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i) BOOST_TEST(found[i] == static_cast<Index>(i + 1));
}

BOOST_AUTO_TEST_CASE(a_recording_that_throws_leaves_the_thread_as_it_was) {
  const auto fails = [] {
    scalar_tape(1, [](const Recorded&, const Recorded* q) -> Recorded {
      if (sqrt(q[0]).value() > 0) throw std::runtime_error("no");
      return q[0];
    });
  };
  BOOST_CHECK_THROW(fails(), std::runtime_error);
  BOOST_TEST(scalar_tape(1, [](const Recorded&, const Recorded* q) { return q[0] * q[0]; }).degree().total == 2);
}

BOOST_AUTO_TEST_CASE(both_branches_are_recorded_where_they_are_asked_for) {
  const auto both = [](const std::function<Recorded(const Recorded&, const Recorded*)>& f) {
    return gnomon::record(
        {2, 0, 0}, 1, ordinary_point(2), [&](const Recorded& t, const auto& x, Recorded* out) { out[0] = f(t, x[0]); },
        "f", gnomon::Branches::both);
  };
  const auto power = [](const Recorded&, const Recorded* q) { return q[0] < q[1] ? q[0] * q[0] : q[1] * q[1] * q[1]; };
  Tape tape = both(power);
  BOOST_TEST(tape.branch == "");
  BOOST_TEST_REQUIRE(tape.switches.size() == 1u);
  BOOST_TEST(tape.switches[0].name == "f, <");
  BOOST_TEST(tape.degree().total == 3);
  BOOST_TEST(tape.dependences(0).nonzeros() == 2);

  // The same switch in another function, a nested one, and one that depends on time.
  Tape other = both([](const Recorded&, const Recorded* q) { return max(0.0, q[1] - q[0]); });
  Tape nested =
      both([](const Recorded& t, const Recorded* q) { return t < 1.0 ? abs(q[0]) : choose(q[1], q[0], q[1]); });
  BOOST_TEST(nested.switches.size() == 3u);
  BOOST_TEST(nested.uses_time);
  std::vector<std::string> names;
  const Tape functions = gnomon::number_switches({&tape, &other, &nested}, {2, 2, 0}, 5, names);
  BOOST_TEST(names.size() == 4u);
  BOOST_TEST(functions.outputs.size() == 4u);
  BOOST_TEST(tape.switches[0].number == 5u);
  BOOST_TEST(other.switches[0].number == 5u);

  // The side that is held, and the sign where none is.
  const gnomon::TapeFunction f(tape);
  const auto at = [&](double a, double b) {
    const double q[2] = {a, b};
    double value = 0, slope[2] = {0, 0};
    f.value(0, {q, nullptr, nullptr}, &value);
    f.gradient(0, {q, nullptr, nullptr}, {slope, nullptr, nullptr});
    BOOST_TEST((value == a * a ? slope[0] == 2 * a && slope[1] == 0 : slope[0] == 0 && slope[1] == 3 * b * b));
    return value;
  };
  BOOST_TEST(at(2, 3) == 4);
  BOOST_TEST(at(3, 2) == 8);
  for (const int side : {1, -1}) {
    const std::vector<int> sides{0, 0, 0, 0, 0, side};
    const gnomon::Windings held(sides);
    BOOST_TEST(at(2, 3) == (side > 0 ? 4 : 27));
    BOOST_TEST(at(3, 2) == (side > 0 ? 9 : 8));
  }
}

BOOST_AUTO_TEST_CASE(a_function_of_too_many_paths_is_branched) {
  const Tape tape = gnomon::record(
      {8, 0, 0}, 1, ordinary_point(8),
      [](const Recorded&, const auto& x, Recorded* out) {
        out[0] = Recorded(0);
        for (int i = 0; i < 8; ++i) out[0] += x[0][i] < 0.5 ? x[0][i] : x[0][i] * x[0][i];
      },
      "f", gnomon::Branches::both);
  BOOST_TEST(tape.branch == "<");
  BOOST_TEST(tape.switches.empty());
}
