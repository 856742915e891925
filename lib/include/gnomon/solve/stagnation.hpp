#pragma once
/// \file
/// When an iteration that converges linearly has ended: its corrections have stopped shrinking, and one more was made.

#include <algorithm>
#include <limits>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

class Stagnation {
 public:
  /// rounding_floor: of the scaled residual.
  void start(double rounding_floor) {
    noise_ = 100 * rounding_floor;
    at_start_ = std::numeric_limits<double>::infinity();
    renew();
  }
  /// The norm of a residual; the first one is that of the start value.
  void take_residual(double norm) {
    if (!(at_start_ < std::numeric_limits<double>::infinity())) at_start_ = norm;
    residual_ = norm;
  }
  /// There is a new matrix: what earlier corrections did tells nothing any more.
  void renew() {
    previous_ = smallest_ = std::numeric_limits<double>::infinity();
    pause_ = 0;
    stagnant_ = false;
  }
  /// Takes the size of a correction, max |dx|/(1+|x|) of the scaled unknowns; true when it is to be the last one.
  /// Within the noise a single growth will do. Above it growth may be a swing of a complex rate: five corrections in a
  /// row must bring no new minimum, and be small enough that the residual can decide.
  bool last(double step) {
    if (stagnant_ || step < thresholds::negligible_correction) return true;
    pause_ = step < smallest_ ? 0 : pause_ + 1;
    stagnant_ = (step < noise_ && pause_ > 0) || (step < thresholds::decided_by_residual && pause_ >= 5);
    smallest_ = std::min(smallest_, step);
    previous_ = step;
    return false;
  }
  /// True where the iteration converges so slowly that a new matrix pays. One that was kept from an earlier solve
  /// serves further ones only while it is good, and must contract down to the noise: the residual cannot show the rest.
  bool slow(double step, bool kept) const {
    return kept ? step > noise_ && step > kept_rate * previous_
                : step > thresholds::decided_by_residual && step > .5 * previous_;
  }
  /// True where a slow iteration has led away from the solution: its corrections grow, or the residual is no smaller
  /// than that of the start value, from where a new matrix does better.
  bool diverging(double step) const { return !(step < previous_) || !(residual_ < at_start_); }

 private:
  static constexpr double kept_rate = .2;

  double noise_ = 0;
  double previous_ = 0, smallest_ = 0;
  double at_start_ = 0, residual_ = 0;
  int pause_ = 0;
  bool stagnant_ = false;
};

}  // namespace gnomon
