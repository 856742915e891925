#pragma once
/// \file
/// A function of time in bounded memory, with its extremes kept.

#include <cstddef>
#include <vector>

namespace gnomon::traces {

/// Values y(t), t increasing, of which the smallest and the largest of each interval stay, with their times. Intervals
/// hold one value each until there are `most` of them; then neighbours are joined and the next ones hold twice as many.
class DecimatedSeries {
 public:
  explicit DecimatedSeries(std::size_t most = 2000) : most_(most) {}
  /// A y that is not finite is a gap.
  void add(double t, double y);
  /// Forgets the intervals that begin after t.
  void rewind(double t);
  bool empty() const { return intervals_.empty(); }
  /// Whether some y is finite.
  bool has_values() const;
  /// The values kept, in the order of their times; NaN where an interval is a gap.
  void points(std::vector<double>& t, std::vector<double>& y) const;

 private:
  struct Interval {
    double begin, t_low, low, t_high, high;  ///< low, high: NaN where there is no value
  };
  static void join(Interval& a, const Interval& b);

  std::size_t most_, count_ = 0, each_ = 1;  ///< values in the last interval, and in a full one
  std::vector<Interval> intervals_;
};

}  // namespace gnomon::traces
