#include "ensembles/processes/gaps.hpp"

#include <algorithm>

namespace gnomon::ensembles {

void Gaps::add(long begin, long end) {
  if (begin >= end) return;
  left_ += end - begin;
  if (!ranges_.empty() && ranges_.back().second == begin)
    ranges_.back().second = end;
  else
    ranges_.emplace_back(begin, end);
}

bool Gaps::take(long workers, long most, long& begin, long& end) {
  if (ranges_.empty()) return false;
  constexpr long shares = 4;  // parts of equal length that a worker would get
  const long wanted = std::clamp(left_ / (shares * std::max(workers, 1L)), 1L, std::max(most, 1L));
  auto& [first, last] = ranges_.front();
  begin = first;
  end = std::min(last, first + wanted);
  left_ -= end - begin;
  first = end;
  if (first == last) ranges_.pop_front();
  return true;
}

}  // namespace gnomon::ensembles
