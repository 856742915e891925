#pragma once
/// \file
/// The motion beside a state, to first order, in minimal coordinates.

#include <complex>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon {

/// At (t, q, p) with its multipliers lambda, z = (q,p), C = [G; A] the rows of positions and of velocities,
///
///     q' = T_p(q,p),    p' = -T_q - U_q - C^T lambda + Q(t, q, T_p),    g = 0,    G T_p + g_t = 0,    A T_p + b = 0
///
/// the columns of N span the null space of G, those of W that of C, N^T M N = 1 and W^T M W = 1 with M = M(q), and
///
///     y = N^T M dq,   w = W^T dp,        [y'; w'] = A_s [y; w]
///     dq = N y,       dp = M W w + S y,  S = -C^T (C M^-1 C^T)^+ d(C T_p + c_t)/dq N
///     A_s = diag(N^T M, W^T) J [N 0; S M W],    J the derivative of (q',p') by (q,p) at fixed lambda
///
/// (what lambda changes by does no work along W). Without constraints of velocities N = W; at rest S = 0 and
/// A_s = [0 1; -W^T K W, -W^T D W], K = Hess (U + lambda.g) - Q_q and D = -Q_v. y and w are those of the chart
/// y = N^T M (q - q0) with the N and M of this state: at rest the eigenvalues are properties of the motion, elsewhere
/// they are of this chart.
struct GNOMON_EXPORT Linearisation {
  Matrix matrix;     ///< A_s, by (y, w)
  Matrix positions;  ///< N, n x N
  Matrix momenta;    ///< M W, n x W
  Matrix carried;    ///< S, n x N
  double terms = 0;  ///< the largest terms that W^T K N is made of, in 1/time^2: its rounding counts against them

  Index n_positions() const { return positions.cols(); }
  Index n_velocities() const { return momenta.cols(); }
};

/// Obstacles in `closed` are constraints, the others are not there; lambda has one entry for each obstacle, too, as
/// those of a State. Throws Error(refused) for friction where it acts, whose derivative by velocities does not exist at
/// rest.
GNOMON_EXPORT Linearisation linearise(const System& system, double t, const Vector& q, const Vector& p,
                                      const Vector& lambda, const std::vector<Index>& closed = {});

/// One motion exp(s t) of a linearisation; of a pair of conjugates the one with Im s > 0. A rigid one stands for s = 0
/// twice: dq stays where it is, or goes on at any constant velocity.
struct Mode {
  std::complex<double> s;
  Eigen::VectorXcd shape;  ///< dq, of length n: y^H y = 1, its largest entry real and above zero
  bool rigid = false;

  double frequency() const { return std::abs(s.imag()) / (2 * pi); }  ///< of the motion, in 1/time
  /// zeta of the oscillator s^2 + 2 zeta |s0| s + |s0|^2 = 0; -1, 1 where s is real, 0 where it is 0.
  double damping_ratio() const { return s == 0.0 ? 0.0 : (0.0 - s.real()) / std::abs(s); }

 private:
  static constexpr double pi = 3.14159265358979323846;
};

/// All of them, by |s|, rigid ones first. What is zero to the rounding of the terms of the matrix is s = 0; modes to it
/// are those that each move one coordinate which the others leave where it is. Throws Error(not_finite) where the
/// matrix is not finite.
GNOMON_EXPORT std::vector<Mode> modes_of(const Linearisation& linear);

}  // namespace gnomon
