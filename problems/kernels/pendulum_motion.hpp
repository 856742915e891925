#pragma once
/// \file
/// Closed-form motion of the mathematical pendulum, by Jacobi's elliptic functions.

#include <memory>

namespace gnomon::problems {

/// theta'' = -omega^2 sin(theta), theta from the stable equilibrium; from (theta0, rate0) at t = 0.
///
/// In half angles S = sin(theta/2), C = cos(theta/2), b = theta'/2, the energy integral is
/// b^2 + omega^2 S^2 = r^2, and with k = r/omega:
///
///     k < 1, swinging:    S = k sn(u,k),   C = dn(u,k),    b = r cn(u,k),     u = omega t + phase
///     k > 1, rotating:    S = sn(u,1/k),   C = cn(u,1/k),  b = r dn(u,1/k),   u = r t + phase, r < 0 backwards
///     k = 1, separatrix:  S = tanh(u),     C = sech(u),    b = +-omega sech(u), u = +-omega t + phase
///
/// (Abramowitz and Stegun, chapter 16; Byrd and Friedman, 5.) Near k = 1 the period depends on 1 - k alone, and far
/// from the start the phase is large: at double both would cost digits, so everything is done with fifty. The result is
/// right to the last place of a double for every start, and for t of either sign.
class PendulumMotion {
 public:
  /// sin(theta), cos(theta) and theta'.
  struct Point {
    double sine, cosine, rate;
  };

  /// \param theta0 start angle (rad); within 1e-15 of an equilibrium in sin or cos of its half it is taken to be there
  /// \param rate0 start rate (rad/s)
  /// \param gravity,length omega^2 = gravity/length
  PendulumMotion(double theta0, double rate0, double gravity, double length);

  Point at(double t) const;

 private:
  class Solution;  // fifty digits, whose header takes seconds to compile
  std::shared_ptr<const Solution> solution_;
};

}  // namespace gnomon::problems
