#pragma once
/// \file
/// Hand-coded integrator: RATTLE on the chain, a tridiagonal Newton iteration in the multipliers.
///
/// With mu_k = h^2/(2m) lambda_k and d, u, c_k of link_chain.hpp, delta = d(1) - d(0):
///
///     delta_k = h u_k - [k = 1] h^2/2 gravity e3 - c_k mu_k d_k + mu_(k-1) d_(k-1) + mu_(k+1) d_(k+1)
///     0 = g_k = (|d_k|^2 - l_k^2)/2 + (d_k + delta_k/2).delta_k
///     y_k = d_k + delta_k:   dg_k/dmu_k = -c_k y_k.d_k,   dg_k/dmu_(k+-1) = y_k.d_(k+-1)
///
/// and for the velocities the linear tridiagonal system y_k.u_k(1) = 0 in nu_k, with
///
///     h u_k(1) = delta_k - [k = 1] h^2/2 gravity e3 - c_k nu_k y_k + nu_(k-1) y_(k-1) + nu_(k+1) y_(k+1)

#include <array>

#include "link_chain.hpp"

namespace gnomon::bench {

class RattleChain {
 public:
  RattleChain(LinkChain chain, double h);
  /// One step of h. False when Newton did not converge in 50 iterations.
  bool step();
  const LinkChain& chain() const { return chain_; }
  long iterations() const { return iterations_; }

 private:
  struct Row {
    double g0, mu, upper, right;  ///< upper and right: of the eliminated tridiagonal row
  };
  void predict();
  double newton();
  void positions();
  void velocities();
  Vector3 increment(std::size_t k) const;

  LinkChain chain_;
  double h_, tolerance_;
  Vector3 fall_;  ///< h^2/2 gravity e3
  std::vector<Row> rows_;
  std::vector<Vector3> delta_;
  std::array<std::vector<double>, 4> past_;  ///< multipliers of the last four steps, a ring
  long steps_ = 0, iterations_ = 0;
};

}  // namespace gnomon::bench
