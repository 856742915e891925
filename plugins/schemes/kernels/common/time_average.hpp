#pragma once
/// \file
/// A system whose U and g depend on time, as a discrete derivative over one step sees it: every function averaged over
/// the two times of the step,
///
///     fbar(q) = [f(q,t0) + f(q,t1)]/2        for U, g and every derivative of them by q; g_t likewise,
///
/// whatever t it is asked at. M, Q, R and the invariants of a split potential do not depend on these times and are
/// those of the given system.

#include <memory>

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

class TimeAverage : public System {
 public:
  virtual void set_times(double t0, double t1) = 0;
};

/// The system outlives it.
std::unique_ptr<TimeAverage> time_average(const System& system);

}  // namespace gnomon::kernels
