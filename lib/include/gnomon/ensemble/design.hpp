#pragma once
/// \file
/// Design: which values the quantities that vary have in each run of an ensemble.

#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/ensemble/distribution.hpp"

namespace gnomon {

/// A quantity that varies: the name of a parameter of the problem, or one of those of ensemble.hpp.
struct Variable {
  std::string name;
  Distribution values;
};

/// How drawn values fill their ranges. With u_sd the number in (0, 1) whose quantile sample s of S takes in variable d:
///
///     random           independent and uniform
///     latin_hypercube  u_sd = (pi_d(s) + r_sd)/S, pi_d a permutation of 0..S-1, r_sd uniform: each of the S equal
///                      intervals of each variable is hit once. McKay, Beckman, Conover, Technometrics 21 (1979) 239.
///     sobol            the Sobol sequence from its first element, the origin, on, each variable shifted by an
///                      exclusive or with random bits; best where S is a power of 2. Joe, Kuo, SIAM J. Sci. Comput. 30
///                      (2008) 2635.
enum class Sampling { random, latin_hypercube, sobol };
GNOMON_EXPORT const char* to_string(Sampling sampling);
/// Throws Error(unknown_name) for a name that is none.
GNOMON_EXPORT Sampling sampling_named(const std::string& name);

/// Every combination of the values of lists and grids, and for each of them the same `samples` samples of the drawn
/// values: run r has sample r mod samples of combination r div samples, the last list changing fastest. Values depend
/// on the run's number and the seed alone, not on the runs before.
class GNOMON_EXPORT Design {
 public:
  static constexpr long most_runs = 1000000000;

  /// Throws Error(bad_value) for a name that is there twice, for samples < 1, samples > 1 where nothing is drawn, more
  /// than most_runs runs, and more drawn variables than the sequence of Sobol has dimensions.
  Design(std::vector<Variable> variables, Sampling sampling = Sampling::random, long samples = 1,
         std::uint64_t seed = 0);

  const std::vector<Variable>& variables() const { return variables_; }
  Sampling sampling() const { return sampling_; }
  long samples() const { return samples_; }
  std::uint64_t seed() const { return seed_; }
  long runs() const { return runs_; }
  /// The values of a run, one a variable; of a list of words the place in the list. Threads may call it at once.
  void values(long run, std::vector<double>& out) const;

 private:
  double uniform(long sample, std::size_t d, std::uint64_t random) const;

  std::vector<Variable> variables_;
  Sampling sampling_;
  long samples_, runs_ = 1;
  std::uint64_t seed_;
  std::size_t drawn_ = 0;
  std::vector<std::uint64_t> keys_;  // one a drawn variable: of its permutation, or its shift
};

}  // namespace gnomon
