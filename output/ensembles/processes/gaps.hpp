#pragma once
/// \file
/// Gaps: the numbers of the runs that are still to be done.

#include <deque>
#include <utility>

namespace gnomon::ensembles {

/// Ranges [begin, end), handed out from the front in parts that become shorter towards the end.
class Gaps {
 public:
  /// Behind those that are there.
  void add(long begin, long end);
  long left() const { return left_; }
  /// A part for one of `workers`, of `most` runs at most; false where nothing is left.
  bool take(long workers, long most, long& begin, long& end);

 private:
  std::deque<std::pair<long, long>> ranges_;
  long left_ = 0;
};

}  // namespace gnomon::ensembles
