#include "ensembles/row_sample.hpp"

#include <algorithm>

namespace gnomon::ensembles {

void RowSample::add(long run, RunStatus status, const double* values) {
  if (added_++ % stride_ != 0) return;
  if (size() == most) {
    // Every second one stays; this one is the next of them, for `most` is even.
    for (std::size_t i = 0; i < most / 2; ++i) {
      runs_[i] = runs_[2 * i];
      status_[i] = status_[2 * i];
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(2 * i * width_), width_,
                  values_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    }
    runs_.resize(most / 2);
    status_.resize(most / 2);
    values_.resize(most / 2 * width_);
    stride_ *= 2;
  }
  runs_.push_back(run);
  status_.push_back(status);
  values_.insert(values_.end(), values, values + width_);
}

}  // namespace gnomon::ensembles
