#pragma once
/// \file
/// The model `chain` of problems/chain.cpp in link coordinates, which both hand-coded integrators use.

#include <Eigen/Core>
#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon::bench {

using Vector3 = Eigen::Vector3d;

/// N equal point masses m on massless rods, hung at the origin in constant gravity along -e3. With x_k the end of link
/// k and v_k = x_k',
///
///     d_k = x_k - x_(k-1),   u_k = v_k - v_(k-1),   |d_k| = l_k
///
/// gravity acts on u_1 alone, and a force lambda_k d_k along rod k changes m u_k by -(c_k lambda_k d_k -
/// lambda_(k-1) d_(k-1) - lambda_(k+1) d_(k+1)), where c_1 = 1 because the anchor does not move, and else c_k = 2.
struct LinkChain {
  struct Link {
    Vector3 d, u;
    double l2;  ///< l_k^2
  };

  /// The state of an instance of the problem `chain` with the parameter gravity as given there. Throws Error(bad_value)
  /// for any other model.
  LinkChain(const ProblemInstance& instance, double gravity);

  /// Positions and momenta as the problem has them.
  void state(Vector& q, Vector& p) const;
  /// H = sum_k m |v_k|^2/2 + m gravity e3.x_k
  long double energy() const;
  /// Typical speed of a link end: that of a fall over the length of the chain, or that of the start.
  double speed() const { return speed_; }

  double mass;     ///< of one link
  double gravity;  ///< acceleration along -e3
  std::vector<Link> links;

 private:
  double speed_;
};

}  // namespace gnomon::bench
