#pragma once
/// \file
/// Angles that count their turns along a run.
///
///     angle = k pi/2 + atan2 of (y, x) turned back by k quarter turns
///
/// is continuous within half a turn of k pi/2. The number k of each angle belongs to the state of a run, moves between
/// steps and is the same in all evaluations of one step; a model holds none.

#include <cmath>
#include <cstddef>
#include <vector>

#include "gnomon/abi.h"

namespace gnomon {

constexpr long double quarter_turn = 1.570796326794896619231321691639751442L;

/// The quarter turns that angles of a model have on this thread, and the sides of its switches after them, as long as
/// the object lives; it restores those before it. The vector outlives it and may change.
class GNOMON_EXPORT Windings {
 public:
  explicit Windings(const std::vector<int>& quarters);
  ~Windings();
  Windings(const Windings&) = delete;
  Windings& operator=(const Windings&) = delete;

  /// Those of angle `which`, or the side of a switch; 0 where none are set.
  static int of(std::size_t which);

 private:
  const std::vector<int>* before_;
};

/// The angle of (x, y) near `quarters` quarter turns.
template <class S>
S winding(const S& y, const S& x, int quarters) {
  using std::atan2;
  switch (((quarters % 4) + 4) % 4) {
    case 0:
      return quarters == 0 ? S(atan2(y, x)) : S(atan2(y, x) + S(static_cast<double>(quarter_turn * quarters)));
    case 1:
      return S(atan2(S(-x), y) + S(static_cast<double>(quarter_turn * quarters)));
    case 2:
      return S(atan2(S(-y), S(-x)) + S(static_cast<double>(quarter_turn * quarters)));
    default:
      return S(atan2(x, S(-y)) + S(static_cast<double>(quarter_turn * quarters)));
  }
}

/// Angle `which` of a model; Recorded has its own.
template <class S>
S counted_angle(const S& y, const S& x, std::size_t which) {
  return winding(y, x, Windings::of(which));
}

}  // namespace gnomon
