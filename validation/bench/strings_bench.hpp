#pragma once
/// \file
/// Cost of a step on fields beside one evaluation of its residual: of alpha-penalty on the colliding strings, in
/// contact, and of alpha on the released beam.

#include <functional>
#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "timing.hpp"

namespace gnomon::bench {

enum class Field { strings, beam };

struct StringsBench {
  Field field = Field::strings;
  std::vector<long> intervals = {1000, 10000, 100000};  ///< of the strings, or elements of the beam
  std::vector<std::string> algebra = {"auto"};          ///< of newton
  long steps = 100;  ///< timed in a run: the same motion for every number of intervals
  TimingRule rule;
};

struct StringsRow {
  long intervals = 0;
  std::string algebra;
  double seconds = 0, residual_seconds = 0;  ///< of a step and of a residual
  double iterations = 0;
  std::string failure;  ///< empty, or why there is no time
};

/// A figure that the rows are held against.
struct StringsFigure {
  std::string what;
  double measured = 0, gate = 0;
};

/// Throws the Error of newton for an algebra that it does not know.
void check_strings_bench(const Registry& registry, const StringsBench& bench);

/// Every row goes to `print` as soon as it is known.
std::vector<StringsRow> run_strings_bench(const Registry& registry, const StringsBench& bench,
                                          const std::function<void(const StringsRow&)>& print);

/// How even the time per node is from 1000 intervals on; and a step of the strings against the residual, the iterations
/// of the beam.
std::vector<StringsFigure> strings_figures(Field field, const std::vector<StringsRow>& rows);

}  // namespace gnomon::bench
