#pragma once
/// \file
/// Start values of the stages of a step from the stages of the one or two steps before it: the polynomial through the
/// last of them. A step over h begins at 0; a step before it, over h' to the time e, has the nodes e + (c_i - 1) h':
///
///     Z_i ~ sum_k L_k(c_i h) Z_k,    L_k(t) = prod_{l != k} (t - t_l)/(t_k - t_l)
///
/// A step that is shorter than half the last one takes none of them: as h -> 0 start values are those at the start.

#include <algorithm>
#include <cmath>

#include "kernels/runge_kutta/rk_tableau.hpp"

namespace gnomon::kernels {

class StageExtrapolation {
 public:
  explicit StageExtrapolation(const RkTableau& rk) : rk_(rk) {
    nodes_.setZero(2 * rk.stages);
    weights_.setZero(rk.stages, 2 * rk.stages);
  }

  /// A step over h, without those before it.
  void begin(double h) {
    h_ = h;
    count_ = 0;
  }
  /// Takes in the next step before it, over `size` to the time `end` after the start of this one. False: no further one
  /// is asked for.
  bool add(double size, double end) {
    const Index s = rk_.stages, most = std::min(2 * s, s + more_nodes);
    if (count_ == 0 && !(std::abs(h_) >= shortest * std::abs(size))) return false;
    for (Index i = s - 1; i >= 0 && count_ < most; --i) nodes_[count_++] = end + (rk_.c[i] - 1) * size;
    return count_ < most;
  }
  /// After the last one of them. Fewer are taken where more would make more of errors than they tell. False where there
  /// are none.
  bool finish() {
    if (count_ > rk_.stages && !find()) count_ = rk_.stages;
    return count_ > 0 && find();
  }
  /// How many stages, the last one of the last step first.
  Index count() const { return count_; }
  double weight(Index stage, Index k) const { return weights_(stage, k); }

 private:
  static constexpr Index more_nodes = 2;
  static constexpr double shortest = .5, largest_sum = 1e3;  ///< of the last step; of |L_k|

  bool find() {
    for (Index i = 0; i < rk_.stages; ++i) {
      double sum = 0;
      for (Index k = 0; k < count_; ++k) {
        double product = 1;
        for (Index l = 0; l < count_; ++l)
          if (l != k) product *= (rk_.c[i] * h_ - nodes_[l]) / (nodes_[k] - nodes_[l]);
        weights_(i, k) = product;
        sum += std::abs(product);
      }
      if (!(sum <= largest_sum)) return false;
    }
    return true;
  }

  RkTableau rk_;
  Index count_ = 0;
  double h_ = 0;
  Vector nodes_;
  Matrix weights_;
};

}  // namespace gnomon::kernels
