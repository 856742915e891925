#pragma once
/// \file
/// Cost of a step on the chain: Gnomon's schemes beside hand-coded ones and beside their own kernels, in one run.

#include <functional>
#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "timing.hpp"

namespace gnomon::bench {

struct ChainBench {
  std::vector<long> links = {1, 10, 100, 1000, 10000, 100000};
  /// Variants of kinsol-newton, and of newton where that has the option; `auto` is each one's own choice.
  std::vector<std::string> algebra = {"auto"};
  long steps = 0;  ///< timed in a run; 0: 3e5/links, between 20 and 1000
  TimingRule rule;
};

/// One line of the table. Times are per step, or per evaluation where it is a kernel's.
struct ChainRow {
  long links = 0;
  std::string what;    ///< scheme or kernel
  std::string by;      ///< "hand-coded", the solver and its algebra, or "kernel"
  double seconds = 0;  ///< of one step
  double iterations = 0;
  double to_energy_momentum = 0;  ///< ratio to the hand-coded energy-momentum chain of the same length; 0: none
  double to_rattle = 0;           ///< likewise to hand-coded RATTLE
  double to_kernels = 0;          ///< ratio to the kernels that the step called
  std::string failure;            ///< empty, or why there is no time
};

/// A figure that the rows are held against.
struct ChainFigure {
  std::string what;
  double measured = 0, gate = 0;
};

/// h of a chain of so many links: 0.25/links, at most 1e-3.
double chain_step(long links);

/// Throws the Error of kinsol-newton for an algebra that it does not know.
void check_chain_bench(const Registry& registry, const ChainBench& bench);

/// Every row goes to `print` as soon as it is known.
std::vector<ChainRow> run_chain_bench(const Registry& registry, const ChainBench& bench,
                                      const std::function<void(const ChainRow&)>& print);

/// The figures that the rows have something to say about.
std::vector<ChainFigure> chain_figures(const std::vector<ChainRow>& rows);

}  // namespace gnomon::bench
