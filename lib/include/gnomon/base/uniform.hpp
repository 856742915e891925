#pragma once
/// \file
/// Deterministic numbers in [-1, 1], the same on every machine: samples of tests and checks.

#include "gnomon/base/types.hpp"

namespace gnomon {

class Uniform {
 public:
  explicit Uniform(unsigned seed) : state_(seed) {}
  double operator()() {
    // Linear congruence with Knuth's MMIX constants; the high 53 bits make the double.
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) / 4503599627370496.0 - 1.0;
  }
  void fill(VectorRef v) {
    for (Index i = 0; i < v.size(); ++i) v[i] = (*this)();
  }

 private:
  unsigned long long state_;
};

}  // namespace gnomon
