#include "kernels/pendulum_motion.hpp"

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace gnomon::problems {

class PendulumMotion::Solution {
 public:
  Solution(double theta0, double rate0, double gravity, double length) {
    S0_ = sin(Real(theta0) / 2);
    C0_ = cos(Real(theta0) / 2);
    if (C0_ < 0) {  // theta0 shifted by a full turn
      S0_ = -S0_;
      C0_ = -C0_;
    }
    if (abs(S0_) < 1e-15) {
      S0_ = 0;
      C0_ = 1;
    } else if (C0_ < 1e-15) {
      S0_ = S0_ < 0 ? -1 : 1;
      C0_ = 0;
    }
    b0_ = Real(rate0) / 2;
    const Real omega2 = Real(gravity) / length, r2 = b0_ * b0_ + omega2 * S0_ * S0_;
    omega_ = sqrt(omega2);
    r_ = b0_ < 0 ? -sqrt(r2) : sqrt(r2);
    if (b0_ == 0 && (S0_ == 0 || C0_ == 0 || omega2 == 0)) {
      kind_ = Kind::resting;
    } else if (r2 < omega2) {
      kind_ = Kind::swinging;
      r_ = sqrt(r2);
      phase_ = boost::math::ellint_1(Real(r_ / omega_), Real(atan2(Real(omega_ * S0_), b0_)));
    } else if (r2 > omega2) {
      kind_ = Kind::rotating;
      phase_ = boost::math::ellint_1(Real(omega_ / abs(r_)), Real(atan2(S0_, C0_)));
    } else {
      kind_ = Kind::separatrix;
      phase_ = asinh(Real(S0_ / C0_));
    }
  }

  Point at(double t) const {
    Real S = S0_, C = C0_, b = b0_, sn, cn;
    if (kind_ == Kind::swinging) {
      const Real k = r_ / omega_;
      sn = boost::math::jacobi_elliptic(k, Real(omega_ * t + phase_), &cn, no_dn);
      S = k * sn;
      C = sqrt(1 - S * S);
      b = r_ * cn;
    } else if (kind_ == Kind::rotating) {
      const Real k = omega_ / abs(r_);
      sn = boost::math::jacobi_elliptic(k, Real(r_ * t + phase_), &cn, no_dn);
      S = sn;
      C = cn;
      b = r_ * sqrt(1 - k * k * sn * sn);
    } else if (kind_ == Kind::separatrix) {
      const Real u = (r_ < 0 ? -omega_ : omega_) * t + phase_, e = exp(-abs(u));  // no overflow for any u
      S = (u < 0 ? -1 : 1) * (1 - e * e) / (1 + e * e);
      C = 2 * e / (1 + e * e);
      b = r_ * C;
    }
    return {static_cast<double>(Real(2 * S * C)), static_cast<double>(Real(C * C - S * S)),
            static_cast<double>(Real(2 * b))};
  }

 private:
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
  enum class Kind { resting, swinging, rotating, separatrix };
  static constexpr Real* no_dn = nullptr;

  Kind kind_;
  Real S0_, C0_, b0_;  // sin(theta/2), cos(theta/2), theta'/2 at the start
  Real omega_, r_;     // r carries the sense of rotation, except when swinging
  Real phase_;
};

PendulumMotion::PendulumMotion(double theta0, double rate0, double gravity, double length)
    : solution_(std::make_shared<Solution>(theta0, rate0, gravity, length)) {}

PendulumMotion::Point PendulumMotion::at(double t) const {
  return solution_->at(t);
}

}  // namespace gnomon::problems
