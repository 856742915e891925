#include "ensembles/store/column_figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gnomon::ensembles {

namespace {

/// Grows with the value.
std::int64_t bin_of(double value) {
  constexpr int dropped = 52 - 8;
  std::int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  constexpr std::int64_t magnitude = std::numeric_limits<std::int64_t>::max();
  const std::int64_t bin = (bits & magnitude) >> dropped;
  return bits < 0 ? -bin - 1 : bin;
}

}  // namespace

void ColumnFigures::add(long run, double value) {
  if (std::isnan(value)) return;
  if (count_ == 0 || value < least_) least_ = value;
  if (count_ == 0 || value > largest_) {
    largest_ = value;
    run_of_largest_ = run;
  }
  ++count_;
  // Rounded down: the octave below 0 holds the bins -256 to -1.
  const std::int64_t number = bin_of(value), within = number & (bins_of_octave - 1);
  Bin& bin = octaves_[(number - within) / bins_of_octave][static_cast<std::size_t>(within)];
  bin.least = bin.count == 0 ? value : std::min(bin.least, value);
  bin.largest = bin.count == 0 ? value : std::max(bin.largest, value);
  ++bin.count;
}

double ColumnFigures::at(long place) const {
  for (const auto& [key, octave] : octaves_)
    for (const Bin& bin : octave) {
      if (place >= bin.count) {
        place -= bin.count;
        continue;
      }
      if (bin.count == 1 || place == 0) return bin.least;
      const double share = static_cast<double>(place) / static_cast<double>(bin.count - 1);
      return place == bin.count - 1 ? bin.largest : bin.least + share * (bin.largest - bin.least);
    }
  return std::numeric_limits<double>::quiet_NaN();
}

double ColumnFigures::median() const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const double low = at((count_ - 1) / 2), high = at(count_ / 2);
  return low == high ? low : low + (high - low) / 2;
}

}  // namespace gnomon::ensembles
