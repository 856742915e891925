#include "solve/six_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

constexpr Index pairs = 3;
constexpr std::array<double, pairs> sixth{3.0 / 4, -3.0 / 20, 1.0 / 60}, fourth{2.0 / 3, -1.0 / 12, 0};
/// Changes, in parts of the size: the largest one, and how many times smaller ones are tried. The last is one that
/// shows rounding alone.
constexpr double largest_change = 0x1p-6, smaller = 0.25, change_of_rounding = 0x1p-48;
constexpr int most_changes = 24, most_without_gain = 4;
constexpr double none = std::numeric_limits<double>::infinity();

/// f at the middle and at so many changes to both sides of it.
struct Values {
  Vector middle;
  Matrix above, below;

  void evaluate(const Changed& f, double change) {
    for (Index i = 0; i < pairs; ++i) {
      f(static_cast<double>(i + 1) * change, above.col(i));
      f(-static_cast<double>(i + 1) * change, below.col(i));
    }
  }
  Vector derivative(const std::array<double, pairs>& weights, double change) const {
    Vector sum = Vector::Zero(middle.size());
    for (Index i = 0; i < pairs; ++i) sum += weights[static_cast<std::size_t>(i)] * (above.col(i) - below.col(i));
    return sum / change;
  }
  /// f(k) + f(-k) - 2 f(0), which grows with k^2 where f is smooth and with k at a corner.
  Vector even(Index k) const { return above.col(k - 1) + below.col(k - 1) - 2 * middle; }
  /// The part of the odd part of f that is not linear; where changes are small, the rounding of f.
  Vector noise() const {
    const Matrix odd = above - below;
    return (odd.col(1) - 2 * odd.col(0)).cwiseAbs().cwiseMax((odd.col(2) - 3 * odd.col(0)).cwiseAbs());
  }
};

/// The largest part of the derivative of a block that the formulas differ by, or that it has from either side; zero
/// where that is rounding of f. The vectors are those of the block.
double disagreement(const Vector& six, const Vector& four, const Vector& once, const Vector& twice, double rounding,
                    double change) {
  const auto size_of = [](const Vector& x) { return x.lpNorm<Eigen::Infinity>(); };
  double apart = size_of(six - four) * change;
  if (size_of(twice - 4 * once) > size_of(once) / 2) apart = std::max(apart, size_of(once));
  if (apart <= rounding) return 0;
  const double part = apart / (size_of(six) * change);
  return std::isfinite(part) ? part : none;
}

}  // namespace

Vector six_point_derivative(const Changed& f, double size, const std::vector<EntriesOf>& blocks,
                            const std::string& by) {
  const Index entries = blocks.empty() ? 0 : blocks.back().end;
  Values values{Vector(entries), Matrix(entries, pairs), Matrix(entries, pairs)};
  Vector best = Vector::Constant(entries, std::numeric_limits<double>::quiet_NaN());
  if (entries == 0) return best;
  std::string failure;
  f(0, values.middle);
  Vector rounding = thresholds::term_rounding * values.middle.cwiseAbs();
  try {
    values.evaluate(f, change_of_rounding * size);
    rounding = rounding.cwiseMax(4 * values.noise());
  } catch (const std::exception& error) {
    failure = error.what();
  }
  std::vector<double> least(blocks.size(), none);
  std::vector<int> without_gain(blocks.size(), 0);
  const auto ended = [&](std::size_t b) {
    return least[b] < thresholds::smooth_difference || without_gain[b] >= most_without_gain;
  };
  double change = largest_change * size;
  for (int k = 0; k < most_changes; ++k, change *= smaller) {
    try {
      values.evaluate(f, change);
    } catch (const std::exception& error) {
      failure = error.what();
      continue;
    }
    const Vector six = values.derivative(sixth, change), four = values.derivative(fourth, change),
                 once = values.even(1), twice = values.even(2);
    bool all_ended = true;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Index first = b == 0 ? 0 : blocks[b - 1].end, count = blocks[b].end - first;
      if (ended(b) || count == 0) continue;
      const auto part_of = [&](const Vector& x) { return Vector(x.segment(first, count)); };
      const double rest = disagreement(part_of(six), part_of(four), part_of(once), part_of(twice),
                                       part_of(rounding).maxCoeff(), change);
      if (rest < least[b]) {
        best.segment(first, count) = part_of(six);
        least[b] = rest;
        without_gain[b] = 0;
      } else if (std::isfinite(least[b]) || !part_of(values.middle).allFinite()) {
        ++without_gain[b];
      }
      all_ended = all_ended && ended(b);
    }
    if (all_ended) break;
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Index first = b == 0 ? 0 : blocks[b - 1].end, count = blocks[b].end - first;
    if (count == 0 || least[b] < thresholds::rough_difference) continue;
    if (blocks[b].required)
      throw Error(ErrorCode::refused, blocks[b].name + " has no derivative by " + by + ": " +
                                          (std::isfinite(least[b]) || failure.empty()
                                               ? "quotients of differences disagree by " + number_text(least[b])
                                               : failure));
    best.segment(first, count).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return best;
}

}  // namespace gnomon
