#pragma once
/// \file
/// Two point masses on two rods in space, Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), (35)-(37):
///
///     M = diag(m1 I3, m2 I3),    U = gravity (e2;e2)^T M q,    g = ((|q1|^2 - l1^2)/2, (|q2 - q1|^2 - l2^2)/2)

#include <string>

#include "gnomon/model/autodiff_system.hpp"
#include "kernels/polylines.hpp"

namespace gnomon::problems {

struct DoublePendulumModel : AutodiffModel<6, 2> {
  double mass1, mass2, length1, length2, gravity;

  explicit DoublePendulumModel(const Options& parameters)
      : mass1(parameters.real("mass1")),
        mass2(parameters.real("mass2")),
        length1(parameters.real("length1")),
        length2(parameters.real("length2")),
        gravity(parameters.real("gravity")) {}

  SystemTraits traits(const std::string& name) const {
    SystemTraits traits = polynomial_traits(name, 1, 2);
    traits.blocks = {{"bob1", 0, 3}, {"bob2", 3, 3}};
    traits.constraint_names = {"rod1", "rod2"};
    return traits;
  }
  Mass mass() const {
    Vector entries(6);
    entries << mass1, mass1, mass1, mass2, mass2, mass2;
    return Mass::diagonal(entries);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * (mass1 * q[1] + mass2 * q[4]);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    const S dx = q[3] - q[0], dy = q[4] - q[1], dz = q[5] - q[2];
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - length1 * length1);
    g[1] = 0.5 * (dx * dx + dy * dy + dz * dz - length2 * length2);
  }
  /// Both rods along e1, where velocities across e1 are tangential; spatial: turning about e2.
  void collinear_start(bool spatial, Vector& q, Vector& p) const {
    q = p = Vector::Zero(6);
    q[0] = length1;
    q[3] = length1 + length2;
    if (!spatial) return;
    p.head<3>() = mass1 * length1 * Eigen::Vector3d(0, .5, 2);
    p.tail<3>() = mass2 * length2 * Eigen::Vector3d(0, -.5, 1);
  }
  static std::shared_ptr<const CurveModel> curves() {
    return polylines(
        in_space("m", 1),
        {{"rods", {fixed(0, 0, 0), at(0), at(3)}}, {"bob1", {at(0)}}, {"bob2", {at(3)}}, {"pivot", {fixed(0, 0, 0)}}});
  }
  static OptionSpecs parameters() {
    return {OptionSpec::real("mass1", 1, 1e-6, 1e6, "kg", "mass of bob 1"),
            OptionSpec::real("mass2", 1, 1e-6, 1e6, "kg", "mass of bob 2"),
            OptionSpec::real("length1", 1, .01, 100, "m", "length of the rod to bob 1"),
            OptionSpec::real("length2", 1, .01, 100, "m", "length of the rod between the bobs"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e2")};
  }
};

}  // namespace gnomon::problems
