#include <cmath>

#include "gnomon/formula/winding.hpp"
#include "gnomon/model/parts.hpp"

namespace gnomon {

namespace {

/// Those of before as long as the angle is within an eighth of a turn and a bit of them.
int quarters_near(double angle, int before) {
  constexpr double quarter = static_cast<double>(quarter_turn), a_bit = 0.1;
  if (std::abs(angle - before * quarter) <= quarter / 2 + a_bit) return before;
  return static_cast<int>(std::lround(angle / quarter));
}

}  // namespace

void ContinuousAngles::count(double t, const ConstVectorRef& q, std::vector<int>& turns, Vector& found) const {
  const auto count = static_cast<std::size_t>(n_angles());
  if (turns.size() < count) turns.resize(count, 0);
  found.resize(n_angles());
  {
    const Windings here(turns);
    angles(t, q, found);
  }
  for (std::size_t i = 0; i < count; ++i) turns[i] = quarters_near(found[static_cast<Index>(i)], turns[i]);
}

}  // namespace gnomon
