#pragma once
/// \file
/// Campaigns: thousands of drawn inputs, of which each must end in a right answer or a sentence. The same seed draws
/// the same inputs; a finding names the numbers that repeat it.

#include <cstdint>
#include <functional>
#include <string>

namespace gnomon {
class Registry;
}

namespace gnomon::campaign {

struct Range {
  std::uint64_t seed = 1;
  long first = 0, count = 100;
  int threads = 1;
  bool verbose = false;  ///< every run that stopped, with its message
  std::string only;      ///< one method, or one kind of input; empty: all
};

/// task(number) for every number of the range, from as many threads. What one throws ends the campaign.
void for_each_number(const Range& range, const std::function<void(long)>& task);

/// Each prints its table and what it found, and returns the number of findings.
long systems(const Registry& registry, const Range& range);
long roots(const Registry& registry, const Range& range);
long rest(const Registry& registry, const Range& range);
long derivatives(const Registry& registry, const Range& range);
long fits(const Registry& registry, const Range& range);
long axes(const Registry& registry, const Range& range);
long units(const Registry& registry, const Range& range);
long callbacks(const Registry& registry, const Range& range);
long checkpoints(const Registry& registry, const Range& range);
long cases(const Registry& registry, const Range& range, const std::string& folder);

}  // namespace gnomon::campaign
