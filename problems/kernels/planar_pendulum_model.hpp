#pragma once
/// \file
/// Point mass on a rigid rod in a vertical plane, and the closed form of its motion.

#include <string>
#include <utility>

#include "gnomon/model/autodiff_system.hpp"
#include "kernels/pendulum_motion.hpp"
#include "kernels/polylines.hpp"

namespace gnomon::problems {

/// M = m I2, U = m gravity q2, g = |q|^2 - l^2 (not halved, as in the papers).
struct PlanarPendulumModel : AutodiffModel<2, 1> {
  std::string name;
  double mass_value, length, gravity;

  PlanarPendulumModel(std::string problem, double mass, double rod_length, double acceleration)
      : name(std::move(problem)), mass_value(mass), length(rod_length), gravity(acceleration) {}

  SystemTraits describe() const {
    SystemTraits traits = polynomial_traits(name, 1, 2);
    traits.blocks = {{"bob", 0, 2}};
    traits.constraint_names = {"rod"};
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Constant(2, mass_value)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return mass_value * gravity * q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = q[0] * q[0] + q[1] * q[1] - length * length;
  }
  static std::shared_ptr<const CurveModel> curves() {
    return polylines(in_plane(), {{"rod", {fixed(0, 0), at(0)}}, {"bob", {at(0)}}, {"pivot", {fixed(0, 0)}}});
  }
};

/// q = length (sin theta, -cos theta) and p at time `t` of the motion.
inline void place(const PlanarPendulumModel& model, const PendulumMotion& motion, double t, Vector& q, Vector& p) {
  const PendulumMotion::Point at = motion.at(t);
  q.resize(2);
  p.resize(2);
  q << model.length * at.sine, -model.length * at.cosine;
  p << at.cosine, at.sine;
  p *= model.mass_value * model.length * at.rate;
}

}  // namespace gnomon::problems
