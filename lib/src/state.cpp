#include "gnomon/state.hpp"

#ifdef __FAST_MATH__
#error "Gnomon's compensated sums need IEEE arithmetic: do not compile with -ffast-math"
#endif

namespace gnomon {

namespace {

/// (value, tail) += d with the rounding error of the sum kept in tail.
inline void two_sum(double& value, double& tail, double d) {
  const double increment = tail + d;
  const double sum = value + increment;
  const double part = sum - value;
  tail = (value - (sum - part)) + (increment - part);
  value = sum;
}

}  // namespace

void Compensated::add(const ConstVectorRef& d) {
  for (Index i = 0; i < value_.size(); ++i) two_sum(value_[i], tail_[i], d[i]);
}

void State::advance_time(double h) {
  two_sum(t, t_tail, h);
  last_h = h;
}

}  // namespace gnomon
