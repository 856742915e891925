#pragma once
/// \file
/// The states of a solution at the times of measurement, and how far two of them are apart.

#include <vector>

#include "gnomon/registry/registry.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::bench {

/// The quantities whose errors count.
enum class Judged {
  positions,  ///< q
  all         ///< q, velocities v = M^-1 p, and the multipliers that the state (t, q, p) has by index reduction
};

/// A state at a time of measurement, as a run leaves it.
struct Instant {
  double t = 0;
  Vector q, p;
  std::vector<int> turns;  ///< State::turns
};

struct Motion {
  /// An entry a time; v and lambda are empty where they do not count or, as multipliers in a singular position and
  /// those of obstacles, do not exist.
  std::vector<Vector> q, v, lambda;
  double v_size = 0, lambda_size = 0;  ///< largest |v| and |lambda| of all times, 2-norm

  Motion() = default;
  Motion(const Model& model, const std::vector<Instant>& instants, Judged judged);

  /// The relative error of another solution at time i, 2-norm: the largest of |q - q'|/|q|, |v - v'|/v_size and
  /// |lambda - lambda'|/lambda_size, of what both have.
  double error(const Motion& other, std::size_t i) const;
  /// The same of q alone.
  double position_error(const Motion& other, std::size_t i) const;
  /// The last time alone.
  Motion end() const;
};

}  // namespace gnomon::bench
