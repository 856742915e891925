#include "ensembles/store/row_sample.hpp"

#include <algorithm>

namespace gnomon::ensembles {

std::uint64_t scattered(long run) {
  // The finaliser of SplitMix64: Steele, Lea, Flood, OOPSLA 2014.
  std::uint64_t x = static_cast<std::uint64_t>(run) + 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

bool RowSample::has(long run) const {
  return (scattered(run) & static_cast<std::uint64_t>(one_of_ - 1)) == 0;
}

void RowSample::add(long run, RunStatus status, const double* values) {
  if (!has(run)) return;
  while (size() == most) {
    one_of_ *= 2;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < most; ++i) {
      if (!has(runs_[i])) continue;
      runs_[kept] = runs_[i];
      status_[kept] = status_[i];
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * width_), width_,
                  values_.begin() + static_cast<std::ptrdiff_t>(kept * width_));
      ++kept;
    }
    runs_.resize(kept);
    status_.resize(kept);
    values_.resize(kept * width_);
    if (!has(run)) return;
  }
  runs_.push_back(run);
  status_.push_back(status);
  values_.insert(values_.end(), values, values + width_);
}

}  // namespace gnomon::ensembles
