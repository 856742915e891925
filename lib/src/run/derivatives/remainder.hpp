#pragma once
/// \file
/// How far derivatives of a step, and its ends, are apart. Private to the core.

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// By which part of a derivative another one differs from it. What differs by no more than the rounding of the state
/// after the largest change does not differ: derivatives that are zero are known to that. Positions count against
/// velocities in a time; where that is zero, each part by itself. Also how far states are apart.
class Remainder {
 public:
  /// rounding: of the state, where two derivatives do not differ; and where they are zero themselves
  Remainder(const Vector& root_mass, const State& z, double time, double rounding = thresholds::term_rounding,
            double rounding_of_none = 0)
      : rounding_(rounding), rounding_of_none_(rounding_of_none), weights_(root_mass), z_(z), time_(time) {}

  double operator()(const Vector& off_q, const Vector& off_p, const Vector& q, const Vector& p, double largest) const {
    const auto part = [this, largest](double off, double size, double whole) {
      const bool none = size * largest <= rounding_of_none_ * whole;
      const double rounding = none ? std::max(rounding_, rounding_of_none_) : rounding_;
      return off == 0 || off * largest <= rounding * whole ? 0 : off / size;
    };
    // At rest momenta are rounding: they count against those of all energy.
    const double z_q = of_q(z_.q.value()), z_p = std::max(of_p(z_.p.value()), std::sqrt(2 * z_.energy_scale));
    if (time_ == 0) return std::max(part(of_q(off_q), of_q(q), z_q), part(of_p(off_p), of_p(p), z_p));
    return part(both(off_q, off_p), both(q, p), std::max(z_q / time_, z_p));
  }
  /// From the state to another one after the same step, as a part of it.
  double apart(const State& other) const {
    return part(other.q.value() - z_.q.value(), other.p.value() - z_.p.value());
  }
  /// A change as a part of the state.
  template <class X, class Y>
  double part(const X& q, const Y& p) const {
    const double whole = std::max(both(z_.q.value(), z_.p.value()), std::sqrt(2 * z_.energy_scale));
    const double change = both(q, p);
    return change == 0 ? 0 : change / whole;
  }
  /// Whether a change of a derivative shows in the state: is above its rounding.
  bool shows(const Vector& q, const Vector& p, double change) const {
    const Vector &z_q = z_.q.value(), &z_p = z_.p.value();
    return of_q(q) * change > thresholds::change_rounding * of_q(z_q) ||
           of_p(p) * change > thresholds::change_rounding * std::max(of_p(z_p), std::sqrt(2 * z_.energy_scale));
  }

 private:
  template <class X>
  double of_q(const X& q) const {
    return q.cwiseProduct(weights_).template lpNorm<Eigen::Infinity>();
  }
  template <class X>
  double of_p(const X& p) const {
    return p.cwiseQuotient(weights_).template lpNorm<Eigen::Infinity>();
  }
  template <class X, class Y>
  double both(const X& q, const Y& p) const {
    return std::max(of_q(q) / time_, of_p(p));
  }

  double rounding_, rounding_of_none_;
  const Vector& weights_;
  const State& z_;
  double time_;
};

}  // namespace gnomon
