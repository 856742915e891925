#pragma once
/// \file
/// RowSample: some of many rows, in bounded memory.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gnomon/ensemble/ensemble.hpp"

namespace gnomon::ensembles {

/// Bits that look random, of the number of a run.
std::uint64_t scattered(long run);

/// Every row while there are few, then one of two, of four, ...: those whose scattered bits end in so many zeros. Which
/// ones has nothing to do with their order (every second element of a sequence of Sobol lies in one half of a range),
/// and depends on their numbers alone. About half of `most` rows or more stay, where so many were added.
class RowSample {
 public:
  static constexpr std::size_t most = 1 << 15;

  explicit RowSample(std::size_t width = 0) : width_(width) {}
  void add(long run, RunStatus status, const double* values);

  std::size_t size() const { return runs_.size(); }
  /// One of so many rows is there.
  long one_of() const { return one_of_; }
  long run(std::size_t i) const { return runs_[i]; }
  RunStatus status(std::size_t i) const { return status_[i]; }
  double value(std::size_t i, std::size_t column) const { return values_[i * width_ + column]; }

 private:
  bool has(long run) const;

  std::size_t width_;
  long one_of_ = 1;
  std::vector<long> runs_;
  std::vector<RunStatus> status_;
  std::vector<double> values_;
};

}  // namespace gnomon::ensembles
