#pragma once
/// \file
/// Cost of derivatives: steps with k directions beside the same steps without, for Gnomon's Sensitivities and for the
/// forward sensitivities of IDAS at a similar error,
///
///     cost of a direction in steps = (t_k/t_0 - 1)/k,        t_k the time of a run with k directions,
///
/// and of a gradient backwards, one for all entries of the start: t/t_0 - 1.

#include <functional>
#include <string>
#include <vector>

#include "bench/turns.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon::bench {

struct SensitivitiesBench {
  long steps = 0;  ///< timed in a run; 0: 200 of the pendulum, 50 of the chain
  TurnsRule rule;
};

struct SensitivitiesRow {
  std::string problem, method;  ///< a scheme, or IDAS beside one
  bool ours = true;
  std::string by;        ///< "parameters", "start entries" or "the start, backwards"; empty without directions
  int directions = 0;    ///< k
  double parameter = 0;  ///< h of a scheme, rtol of IDAS
  long steps = 0;
  double seconds = 0;   ///< of the timed steps, of IDAS of the whole run; the median of the rounds
  double cost = 0;      ///< of a direction in steps; 0 without directions
  double error = 0;     ///< of dq/ds at the end, by parts of a parameter's size, of the largest entry; 0: not known
  std::string failure;  ///< empty, or why there is no time
};

struct SensitivitiesFigure {
  std::string what;
  double measured = 0, gate = 0;
};

/// Empty, or why there are no rows of IDAS, in one sentence.
std::string without_idas();

/// The double spherical pendulum and a chain of 100 links by energy-momentum-ggl and rattle through newton. IDAS is
/// given the largest relative tolerance, by half powers of ten, at which its derivatives by four parameters are as
/// exact as those of the scheme.
std::vector<SensitivitiesRow> run_sensitivities_bench(const Registry& registry, const SensitivitiesBench& bench,
                                                      const std::function<void(const SensitivitiesRow&)>& print);

std::vector<SensitivitiesFigure> sensitivities_figures(const std::vector<SensitivitiesRow>& rows);

}  // namespace gnomon::bench
