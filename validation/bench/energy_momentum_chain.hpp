#pragma once
/// \file
/// Hand-coded integrator: the energy-momentum scheme on the chain, its Newton matrix eliminated link by link.
///
/// With mu_k = h^2/(2m) lambda_k, delta = d(1) - d(0), x = d(0) + delta/2 and d, u, c_k of link_chain.hpp:
///
///     R_k = delta_k - h u_k + [k = 1] h^2/2 gravity e3 + c_k mu_k x_k - mu_(k-1) x_(k-1) - mu_(k+1) x_(k+1) = 0
///     g_k = (|d_k|^2 - l_k^2)/2 + x_k.delta_k = 0
///
/// In w_k = d(mu_k x_k) = mu_k ddelta_k/2 + x_k dmu_k the off-diagonal blocks of the Newton matrix are -I. What the
/// links before k leave is w_(k-1) = S w_k + s, and with B = c_k I - S, E = I + mu_k B/2, y = d(1)_k, r = s - R_k
///
///     E ddelta_k + B x_k dmu_k = r + w_(k+1),   y.ddelta_k = -g_k
///
/// so that one 3x3 inverse and a term of rank one give w_k = S' w_(k+1) + s' for the next link: O(N), exact, no
/// pivoting, and mu_k = 0 (a slack link) is nothing special. Plain double precision, without the compensated sums and
/// the monitor that Gnomon carries along.

#include <Eigen/LU>
#include <array>

#include "link_chain.hpp"

namespace gnomon::bench {

class EnergyMomentumChain {
 public:
  EnergyMomentumChain(LinkChain chain, double h);
  /// One step of h. False when Newton did not converge in 50 iterations.
  bool step();
  const LinkChain& chain() const { return chain_; }
  long iterations() const { return iterations_; }

 private:
  struct Unknown {
    Vector3 delta;
    double mu;
  };
  /// ddelta = inverse w_(k+1) + moved - along dmu,   dmu = row.w_(k+1) + shift
  struct Eliminated {
    Eigen::Matrix3d inverse;
    Vector3 moved, along, row;
    double shift;
  };
  void predict();
  void eliminate();
  bool substitute();
  void advance();
  Vector3 middle(std::size_t k) const { return chain_.links[k].d + 0.5 * z_[k].delta; }

  LinkChain chain_;
  double h_, delta_scale_, mu_scale_;
  Vector3 fall_;  ///< h^2/2 gravity e3
  std::vector<Unknown> z_;
  std::vector<Eliminated> eliminated_;
  std::vector<double> g0_;
  std::array<std::vector<Unknown>, 4> past_;  ///< the last four steps, a ring
  long steps_ = 0, iterations_ = 0;
};

}  // namespace gnomon::bench
