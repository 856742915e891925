#pragma once
/// \file
/// Energies below the rounding of H, which the correction of a discrete derivative is not asked to move.
///
/// The correction c n/(n.dq), c = U1 - U0 - grad U(q_m).dq, is as accurate as U is: its rounding error, some eps E, E
/// the largest |T| and |U| of the run, becomes a force eps E/|dq|. Where dq is small, near a rest and where a motion
/// turns round, that is larger than what is left of the residual. There a step looks at c at its start value: as long
/// as c and what earlier steps have left are below the rounding of H it goes without correction, and leaves c; where c
/// of its solution is larger it is solved again with the correction.
///
///     H1 - H0 = c    (State::energy_left += c),    with the correction    H1 - H0 = -energy_left    (energy_left = 0).

#include <cmath>
#include <limits>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

class EnergyLeft {
 public:
  void begin(const State& z0) {
    left_ = z0.energy_left;
    scale_ = z0.energy_scale;
    active_ = true;
    wanted_ = false;
  }
  /// Whether the rounding of U may count in a step by a dq of length part h s, s the typical speed, in the metric of M.
  bool doubtful(double part, double s) const { return eps * scale_ > thresholds::harmless_energy * part * s * s; }
  void decide(double c) { active_ = wanted_ || !below_rounding(c); }
  /// c: that of the solution of a step without correction. False: it is to be solved again, with the correction.
  bool take(double c) {
    if (below_rounding(c / 2)) {
      found_ = c;
      return true;
    }
    active_ = wanted_ = true;
    return false;
  }

  /// The step has its correction, of c + left().
  bool active() const { return active_; }
  double left() const { return left_; }
  void finish(State& next) const { next.energy_left = active_ ? 0 : left_ + found_; }

 private:
  bool below_rounding(double c) const { return std::abs(c + left_) <= rounding * scale_; }

  static constexpr double eps = std::numeric_limits<double>::epsilon();
  static constexpr double rounding = 8 * eps;  ///< some units in the last place of H

  double left_ = 0, scale_ = 0, found_ = 0;
  bool active_ = true, wanted_ = false;
};

}  // namespace gnomon::kernels
