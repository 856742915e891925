/// Distributions and designs: what values runs get.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <set>

#include "gnomon/ensemble/design.hpp"
#include "support/says.hpp"

namespace gnomon {
namespace {

test::Refusal refusal(const std::string& text) {
  const test::Refusal refused = test::refusal([&] { Distribution("--vary k", text); });
  BOOST_TEST((refused.code == ErrorCode::bad_value));
  return refused;
}

/// Values of one variable over all runs.
std::vector<double> column(const Design& design, std::size_t j) {
  std::vector<double> values, all;
  for (long run = 0; run < design.runs(); ++run) {
    design.values(run, values);
    all.push_back(values[j]);
  }
  return all;
}

/// The largest distance of the empirical distribution from the uniform one on (0, 1).
double distance(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  double largest = 0;
  const auto n = static_cast<double>(u.size());
  for (std::size_t i = 0; i < u.size(); ++i)
    largest = std::max(
        {largest, std::abs(u[i] - static_cast<double>(i) / n), std::abs(u[i] - (static_cast<double>(i) + 1) / n)});
  return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(grids_have_both_ends_and_lists_their_words) {
  const Distribution grid("k", "grid( 1 , 9, 5)");
  BOOST_TEST(grid.count() == 5);
  BOOST_TEST(grid.listed(0) == 1);
  BOOST_TEST(grid.listed(3) == 7);
  BOOST_TEST(grid.listed(4) == 9);
  const Distribution decades("h", "log-grid(1e-4,1e-1,4)");
  BOOST_TEST(std::abs(decades.listed(1) / 1e-3 - 1) < 1e-14);
  BOOST_TEST(decades.listed(3) == 1e-1);
  const Distribution words("scheme", "list(rattle, hbvm)");
  BOOST_TEST(words.words().size() == 2);
  BOOST_TEST(words.value_text(words.listed(1)) == "hbvm");
  const Distribution numbers("links", "list(10, 20)");
  BOOST_TEST(numbers.words().empty());
  BOOST_TEST(numbers.value_text(numbers.listed(1)) == "20");
  BOOST_TEST(!numbers.drawn());
}

BOOST_AUTO_TEST_CASE(quantiles_are_those_of_the_distributions) {
  BOOST_TEST(Distribution("k", "uniform(1,9)").quantile(0.25) == 3);
  BOOST_TEST(std::abs(Distribution("k", "log-uniform(1e-2,1)").quantile(0.5) - 0.1) < 1e-15);
  const Distribution normal("x", "normal(1,.1)");
  BOOST_TEST(normal.quantile(0.5) == 1);
  // Phi(1) and Phi(-3), Abramowitz and Stegun, table 26.1
  BOOST_TEST(std::abs(normal.quantile(0.841344746068543) - 1.1) < 1e-14);
  BOOST_TEST(std::abs(normal.quantile(0.001349898031630) - 0.7) < 1e-13);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_text_is_said) {
  BOOST_TEST(refusal("5").says("expected list(...)"));
  BOOST_TEST(refusal("unifrom(1,2)").says("did you mean \"uniform\""));
  BOOST_TEST(refusal("uniform(2,2)").says("empty range"));
  BOOST_TEST(refusal("uniform(3,2)").says("empty range"));
  BOOST_TEST(refusal("uniform(1)").says("expected uniform(a,b)"));
  BOOST_TEST(refusal("uniform(1,x)").says("\"x\", which is no number"));
  BOOST_TEST(refusal("uniform(1,nan)").says("not finite"));
  BOOST_TEST(refusal("uniform(-1e308,1e308)").says("range of numbers"));
  BOOST_TEST(refusal("normal(0,0)").says("standard deviation"));
  BOOST_TEST(refusal("grid(0,1,2.5)").says("whole number"));
  BOOST_TEST(refusal("grid(0,1,0)").says("whole number"));
  BOOST_TEST(refusal("grid(0,1,1)").says("ends must then be equal"));
  BOOST_TEST(refusal("log-grid(0,1,3)").says("above zero"));
  BOOST_TEST(refusal("list()").says("empty list"));
  BOOST_TEST(refusal("list(1,,2)").says("empty entry"));
}

BOOST_AUTO_TEST_CASE(combinations_of_lists_have_the_same_samples_each) {
  const Design design({{"a", {"a", "list(1,2)"}}, {"x", {"x", "uniform(0,1)"}}, {"b", {"b", "grid(0,2,3)"}}},
                      Sampling::random, 10, 7);
  BOOST_TEST(design.runs() == 60);
  std::vector<double> first, other;
  design.values(3, first);
  design.values(10 + 3, other);
  BOOST_TEST(first[0] == 1);
  BOOST_TEST(other[0] == 1);
  BOOST_TEST(first[2] == 0);
  BOOST_TEST(other[2] == 1);
  BOOST_TEST(first[1] == other[1]);
  design.values(59, other);
  BOOST_TEST(other[0] == 2);
  BOOST_TEST(other[2] == 2);
  design.values(4, other);
  BOOST_TEST(first[1] != other[1]);
}

BOOST_AUTO_TEST_CASE(values_are_the_same_on_every_machine) {
  // Written down from the algorithms of the standard: mt19937_64 seeded by seed_seq.
  const Design design({{"x", {"x", "uniform(0,1)"}}}, Sampling::random, 3, 1);
  std::vector<double> values;
  design.values(2, values);
  std::seed_seq sequence{1U, 0U, 2U, 0U, 0U};
  std::mt19937_64 random(sequence);
  BOOST_TEST(values[0] == (static_cast<double>(random() >> 12) + 0.5) / 4503599627370496.0);
}

BOOST_AUTO_TEST_CASE(drawn_values_are_uniform_and_independent) {
  constexpr long n = 20000;
  for (const Sampling sampling : {Sampling::random, Sampling::latin_hypercube, Sampling::sobol}) {
    BOOST_TEST_CONTEXT(to_string(sampling)) {
      const Design design({{"x", {"x", "uniform(0,1)"}}, {"y", {"y", "uniform(0,1)"}}}, sampling, n, 5);
      const std::vector<double> x = column(design, 0), y = column(design, 1);
      // The Kolmogorov-Smirnov distance is below 1.95/sqrt(n) with probability .999.
      BOOST_TEST(distance(x) < 1.95 / std::sqrt(double(n)));
      BOOST_TEST(distance(y) < 1.95 / std::sqrt(double(n)));
      double xy = 0;
      for (std::size_t i = 0; i < x.size(); ++i) xy += (x[i] - 0.5) * (y[i] - 0.5);
      // The correlation is normal with deviation 1/sqrt(n).
      BOOST_TEST(std::abs(12 * xy / n) < 4 / std::sqrt(double(n)));
      const Design seeded({{"x", {"x", "uniform(0,1)"}}, {"y", {"y", "uniform(0,1)"}}}, sampling, n, 6);
      BOOST_TEST(column(seeded, 0) != x);
    }
  }
}

BOOST_AUTO_TEST_CASE(latin_hypercubes_hit_every_interval_once) {
  for (const long n : {1L, 2L, 3L, 7L, 64L, 1000L, 65537L}) {
    const Design design({{"x", {"x", "uniform(0,1)"}}, {"y", {"y", "uniform(0,1)"}}}, Sampling::latin_hypercube, n, 3);
    for (const std::size_t j : {0, 1}) {
      std::set<long> hit;
      for (const double u : column(design, j)) {
        BOOST_TEST_REQUIRE((u > 0 && u < 1));
        hit.insert(static_cast<long>(std::floor(u * static_cast<double>(n))));
      }
      BOOST_TEST(hit.size() == static_cast<std::size_t>(n));
    }
  }
}

BOOST_AUTO_TEST_CASE(sequences_of_sobol_are_nets) {
  // The first 2^k elements of a shifted sequence hit each of 2^k equal intervals once, in every dimension; those of the
  // first two each box of sides 2^-a and 2^-(k-a), for the sequence is a (0,2) one.
  constexpr long n = 1024;
  const Design design({{"x", {"x", "uniform(0,1)"}}, {"y", {"y", "uniform(0,1)"}}, {"z", {"z", "uniform(0,1)"}}},
                      Sampling::sobol, n, 11);
  const std::vector<double> x = column(design, 0), y = column(design, 1), z = column(design, 2);
  const auto cell = [](double u, long cells) { return static_cast<long>(std::floor(u * static_cast<double>(cells))); };
  for (const std::vector<double>& u : {x, y, z}) {
    std::set<long> hit;
    for (const double one : u) hit.insert(cell(one, n));
    BOOST_TEST(hit.size() == n);
  }
  for (long a = 1; a < n; a *= 2) {
    std::set<std::pair<long, long>> hit;
    for (std::size_t i = 0; i < x.size(); ++i) hit.emplace(cell(x[i], a), cell(y[i], n / a));
    BOOST_TEST(hit.size() == n);
  }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_design_is_said) {
  const auto refused = [](const std::vector<Variable>& variables, long samples, const std::string& part,
                          Sampling sampling = Sampling::random) {
    BOOST_CHECK_EXCEPTION(Design(variables, sampling, samples), Error, test::says(part));
  };
  const Distribution list("k", "list(1,2)"), drawn("k", "uniform(0,1)"), wide("k", "grid(0,1,100000)");
  refused({{"k", list}}, 0, "at least 1");
  refused({{"k", list}}, 5, "nothing is drawn");
  refused({{"k", list}, {"k", drawn}}, 5, "varies twice");
  refused({{"k", wide}, {"l", wide}}, 1, "more than 1e9 runs");
  refused({{"k", drawn}}, 2000000000, "more than 1e9 runs");
  std::vector<Variable> many;
  for (int d = 0; d < 4000; ++d) many.push_back({"x" + std::to_string(d), drawn});
  refused(many, 4, "sampling sobol has at most", Sampling::sobol);
  BOOST_CHECK_THROW(sampling_named("sobel"), Error);
}

}  // namespace gnomon
