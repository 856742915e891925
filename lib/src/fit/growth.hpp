#pragma once
/// \file
/// How a change of the start grows over a record: of a chaotic motion exponentially.

#include <limits>

#include "fit/fitted_motion.hpp"

namespace gnomon {

struct Growth {
  double largest = 0;  ///< of a change of the start, over the record
  double half = 0;     ///< the same over its first half
  /// When it first exceeds this growth, NaN where it does not.
  double lost = std::numeric_limits<double>::quiet_NaN();
  double doubling() const;  ///< time in which it doubles in the second half of the record
  double length = 0;        ///< of the record
  /// It grows by a factor in equal times: far more in the second half than a power of time does.
  bool exponential() const;
};

/// The change of a start that moves all coordinates and velocities, carried along by Sensitivities; distances are those
/// in positions, in parts of how far the motion goes from its start, and in velocities, in parts of the largest one.
/// lost_at: the growth by which an error has become as large as the motion. Nothing grows where there is no derivative.
Growth growth_of(const FittedMotion& motion, const FitSetup& setup, std::size_t record, const Vector& x,
                 double lost_at);

}  // namespace gnomon
