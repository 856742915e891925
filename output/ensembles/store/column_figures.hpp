#pragma once
/// \file
/// ColumnFigures: the least, the middle and the largest of many numbers, in little memory.

#include <array>
#include <cstdint>
#include <limits>
#include <map>

namespace gnomon::ensembles {

/// Numbers are counted in bins: those that agree in sign, exponent and the first 8 bits of the fraction. The median is
/// right to one part in 256, and exact where its bin has one number only.
class ColumnFigures {
 public:
  /// NaN is left out.
  void add(long run, double value);

  long count() const { return count_; }
  double least() const { return least_; }
  double largest() const { return largest_; }
  long run_of_largest() const { return run_of_largest_; }
  /// NaN without numbers.
  double median() const;

 private:
  static constexpr std::int64_t bins_of_octave = 256;
  struct Bin {
    long count = 0;
    double least = 0, largest = 0;
  };
  /// The bins of one sign and exponent.
  using Octave = std::array<Bin, bins_of_octave>;
  /// The number at this place of the sorted ones.
  double at(long place) const;

  std::map<std::int64_t, Octave> octaves_;
  long count_ = 0, run_of_largest_ = -1;
  double least_ = std::numeric_limits<double>::quiet_NaN(), largest_ = least_;
};

}  // namespace gnomon::ensembles
