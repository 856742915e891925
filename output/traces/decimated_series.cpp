#include "traces/decimated_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gnomon::traces {

void DecimatedSeries::join(Interval& a, const Interval& b) {
  if (std::isnan(a.low)) {
    const double begin = a.begin;
    a = b;
    a.begin = begin;
    return;
  }
  if (b.low < a.low) {
    a.low = b.low;
    a.t_low = b.t_low;
  }
  if (b.high > a.high) {
    a.high = b.high;
    a.t_high = b.t_high;
  }
}

void DecimatedSeries::add(double t, double y) {
  if (!std::isfinite(y)) y = std::numeric_limits<double>::quiet_NaN();
  const Interval one{t, t, y, t, y};
  if (count_ < each_ && !intervals_.empty()) {
    join(intervals_.back(), one);
    ++count_;
    return;
  }
  if (intervals_.size() == most_) {
    for (std::size_t i = 0; 2 * i < most_; ++i) {
      intervals_[i] = intervals_[2 * i];
      if (2 * i + 1 < most_) join(intervals_[i], intervals_[2 * i + 1]);
    }
    intervals_.resize((most_ + 1) / 2);
    each_ *= 2;
  }
  intervals_.push_back(one);
  count_ = 1;
}

void DecimatedSeries::rewind(double t) {
  while (!intervals_.empty() && intervals_.back().begin > t) {
    intervals_.pop_back();
    count_ = each_;
  }
}

bool DecimatedSeries::has_values() const {
  return std::any_of(intervals_.begin(), intervals_.end(), [](const Interval& i) { return !std::isnan(i.low); });
}

void DecimatedSeries::points(std::vector<double>& t, std::vector<double>& y) const {
  t.clear();
  y.clear();
  const auto add = [&](double at, double value) {
    t.push_back(at);
    y.push_back(value);
  };
  for (const Interval& i : intervals_) {
    if (std::isnan(i.low)) {
      add(i.begin, i.low);
    } else if (i.t_low == i.t_high) {
      add(i.t_low, i.low);
    } else {
      const bool low_first = i.t_low < i.t_high;
      add(low_first ? i.t_low : i.t_high, low_first ? i.low : i.high);
      add(low_first ? i.t_high : i.t_low, low_first ? i.high : i.low);
    }
  }
}

}  // namespace gnomon::traces
