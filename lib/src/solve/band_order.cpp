#include "gnomon/solve/band_order.hpp"

#include <algorithm>
#include <numeric>

namespace gnomon {

std::vector<Index> reverse_cuthill_mckee(const SparsityPattern& pattern) {
  const Index n = pattern.rows;
  const auto count = static_cast<std::size_t>(n);
  std::vector<std::vector<Index>> neighbours(count);
  for (Index i = 0; i < n; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      const Index j = pattern.indices[k];
      if (i == j) continue;
      neighbours[static_cast<std::size_t>(i)].push_back(j);
      neighbours[static_cast<std::size_t>(j)].push_back(i);
    }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const auto fewer = [&](Index a, Index b) {
    return neighbours[static_cast<std::size_t>(a)].size() < neighbours[static_cast<std::size_t>(b)].size();
  };
  std::vector<Index> starts(count), queue;
  std::iota(starts.begin(), starts.end(), Index(0));
  std::stable_sort(starts.begin(), starts.end(), fewer);
  std::vector<char> seen(count, 0);
  const auto visit = [&](Index i) {
    if (seen[static_cast<std::size_t>(i)]) return;
    seen[static_cast<std::size_t>(i)] = 1;
    queue.push_back(i);
  };
  for (const Index start : starts) {
    std::size_t at = queue.size();
    visit(start);
    for (; at < queue.size(); ++at) {
      auto& list = neighbours[static_cast<std::size_t>(queue[at])];
      std::stable_sort(list.begin(), list.end(), fewer);
      for (const Index j : list) visit(j);
    }
  }
  std::vector<Index> places(count);
  for (std::size_t k = 0; k < count; ++k) places[static_cast<std::size_t>(queue[k])] = n - 1 - static_cast<Index>(k);
  return places;
}

}  // namespace gnomon
