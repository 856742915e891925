#include "gnomon/ensemble/design.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <random>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

using Sobol = boost::random::sobol;
constexpr std::size_t most_dimensions = boost::random::default_sobol_table::max_dimension;

/// The same bits on every machine: the standard fixes both algorithms.
std::mt19937_64 random_numbers(std::uint64_t seed, std::uint64_t stream, std::uint64_t purpose) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  std::seed_seq sequence{low(seed), high(seed), low(stream), high(stream), low(purpose)};
  return std::mt19937_64(sequence);
}
enum Purpose : std::uint64_t { values_of_a_sample, keys_of_variables };

/// The middle of one of 2^52 equal parts of (0, 1).
double open_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

/// 64 bits that all depend on all of x.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A permutation of 0..count-1 that needs no memory: a Feistel network on the numbers of 2 b bits, 4^b >= count,
/// applied until the number is one of them (Luby, Rackoff, SIAM J. Comput. 17 (1988) 373; Black, Rogaway, CT-RSA 2002).
long permuted(long s, long count, std::uint64_t key) {
  int half = 1;
  while ((std::uint64_t(1) << (2 * half)) < static_cast<std::uint64_t>(count)) ++half;
  const std::uint64_t mask = (std::uint64_t(1) << half) - 1;
  std::uint64_t x = static_cast<std::uint64_t>(s);
  do {
    std::uint64_t left = x >> half, right = x & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t next = left ^ (mixed(key + right * 6 + round) & mask);
      left = right;
      right = next;
    }
    x = left << half | right;
  } while (x >= static_cast<std::uint64_t>(count));
  return static_cast<long>(x);
}

const std::vector<std::string>& sampling_names() {
  static const std::vector<std::string> names = {"random", "latin-hypercube", "sobol"};
  return names;
}

}  // namespace

const char* to_string(Sampling sampling) {
  return sampling_names()[static_cast<std::size_t>(sampling)].c_str();
}

Sampling sampling_named(const std::string& name) {
  const auto found = std::find(sampling_names().begin(), sampling_names().end(), name);
  if (found == sampling_names().end()) throw unknown_name("sampling", name, sampling_names());
  return static_cast<Sampling>(found - sampling_names().begin());
}

Design::Design(std::vector<Variable> variables, Sampling sampling, long samples, std::uint64_t seed)
    : variables_(std::move(variables)), sampling_(sampling), samples_(samples), seed_(seed) {
  if (samples_ < 1)
    throw Error(ErrorCode::bad_value, "the number of samples is " + std::to_string(samples_) + ": expected at least 1");
  const auto too_many = [] {
    return Error(ErrorCode::bad_value, "the ensemble has more than 1e9 runs, which is the largest number of them");
  };
  if (samples_ > most_runs) throw too_many();
  runs_ = samples_;
  for (std::size_t j = 0; j < variables_.size(); ++j) {
    const Variable& variable = variables_[j];
    for (std::size_t i = 0; i < j; ++i)
      if (variables_[i].name == variable.name)
        throw Error(ErrorCode::bad_value, "\"" + variable.name + "\" varies twice: expected one set of values for it");
    if (variable.values.drawn()) {
      ++drawn_;
      continue;
    }
    if (runs_ > most_runs / variable.values.count()) throw too_many();
    runs_ *= variable.values.count();
  }
  if (drawn_ == 0 && samples_ > 1)
    throw Error(ErrorCode::bad_value, std::to_string(samples_) +
                                          " samples are asked for, and nothing is drawn: lists and grids have one run "
                                          "for each combination of their values");
  if (sampling_ == Sampling::sobol && drawn_ > most_dimensions)
    throw Error(ErrorCode::bad_value, "sampling sobol has at most " + std::to_string(most_dimensions) +
                                          " drawn variables, and there are " + std::to_string(drawn_));
  std::mt19937_64 random = random_numbers(seed_, 0, keys_of_variables);
  for (std::size_t d = 0; d < drawn_; ++d) keys_.push_back(random());
}

double Design::uniform(long sample, std::size_t d, std::uint64_t random) const {
  if (sampling_ == Sampling::random) return open_unit(random);
  // Places are below 2^30: the sum has at most 53 bits, so that it is exact and stays within its interval.
  const auto place = static_cast<double>(permuted(sample, samples_, keys_[d]));
  const double within = (static_cast<double>(random >> 42) + 0.5) * 0x1p-22;
  return (place + within) / static_cast<double>(samples_);
}

void Design::values(long run, std::vector<double>& out) const {
  out.resize(variables_.size());
  const long sample = run % samples_;
  long combination = run / samples_;
  for (std::size_t j = variables_.size(); j-- > 0;) {
    const Distribution& values = variables_[j].values;
    if (values.drawn()) continue;
    out[j] = values.listed(combination % values.count());
    combination /= values.count();
  }
  if (drawn_ == 0) return;
  std::size_t d = 0;
  if (sampling_ == Sampling::sobol) {
    Sobol sequence(drawn_);
    // The sequence of Boost leaves the origin out.
    if (sample > 0) sequence.seed(static_cast<std::uint64_t>(sample - 1));
    for (std::size_t j = 0; j < variables_.size(); ++j)
      if (variables_[j].values.drawn()) {
        const std::uint64_t bits = (sample > 0 ? sequence() : 0) ^ keys_[d++];
        out[j] = variables_[j].values.quantile(open_unit(bits));
      }
    return;
  }
  std::mt19937_64 random = random_numbers(seed_, static_cast<std::uint64_t>(sample), values_of_a_sample);
  for (std::size_t j = 0; j < variables_.size(); ++j)
    if (variables_[j].values.drawn()) out[j] = variables_[j].values.quantile(uniform(sample, d++, random()));
}

}  // namespace gnomon
