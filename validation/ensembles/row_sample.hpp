#pragma once
/// \file
/// RowSample: some of many rows, evenly, in bounded memory.

#include <cstddef>
#include <vector>

#include "gnomon/ensemble/ensemble.hpp"

namespace gnomon::ensembles {

/// Every row while there are few, then every second, fourth, ...: those whose place in the order in which they are added
/// is a multiple of stride(). At least half of `most` rows stay, where so many were added.
class RowSample {
 public:
  static constexpr std::size_t most = 1 << 15;

  explicit RowSample(std::size_t width = 0) : width_(width) {}
  void add(long run, RunStatus status, const double* values);

  std::size_t size() const { return runs_.size(); }
  long stride() const { return stride_; }
  long run(std::size_t i) const { return runs_[i]; }
  RunStatus status(std::size_t i) const { return status_[i]; }
  double value(std::size_t i, std::size_t column) const { return values_[i * width_ + column]; }

 private:
  std::size_t width_;
  long added_ = 0, stride_ = 1;
  std::vector<long> runs_;
  std::vector<RunStatus> status_;
  std::vector<double> values_;
};

}  // namespace gnomon::ensembles
