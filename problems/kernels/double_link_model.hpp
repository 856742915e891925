#pragma once
/// \file
/// Double compound pendulum in angles: Glowinski and Holmstroem, Fig. 1 and (34), whose second equation needs
/// + m2 l1 a2 theta1' theta2' sin (theta2 - theta1), as printed in (38).

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "kernels/polylines.hpp"

namespace gnomon::problems {

/// q = (theta1, theta2), the angles of the two links from the direction of gravity x; the joint A is at l1 (cos theta1,
/// sin theta1), the tip B at A + l2 (cos theta2, sin theta2), the centres of mass at a1 and a2 along the links.
///
///     M = [I1 + m1 a1^2 + m2 l1^2,  m2 l1 a2 cos(theta2 - theta1);  .,  I2 + m2 a2^2]
///     U = -g (m1 a1 + m2 l1) cos theta1 - g m2 a2 cos theta2
struct DoubleLink {
  double m1, m2, l1, l2, a1, a2, i1, i2, gravity;
  Vector start;  ///< where mass() is taken

  /// The parameters of the links and of their start angles, with these default values.
  struct Defaults {
    double m1, m2, l1, l2, a1, a2, i1, i2, gravity, theta1, theta2;
  };
  static OptionSpecs parameters(const Defaults& d, bool with_tip) {
    OptionSpecs specs{OptionSpec::real("m1", d.m1, 1e-6, 1e6, "kg", "mass of the first link"),
                      OptionSpec::real("m2", d.m2, 1e-6, 1e6, "kg", "mass of the second link"),
                      OptionSpec::real("l1", d.l1, 1e-6, 1e6, "m", "length of the first link, up to the joint"),
                      OptionSpec::real("a1", d.a1, 0, 1e6, "m", "distance of its centre of mass from the support"),
                      OptionSpec::real("a2", d.a2, 0, 1e6, "m", "distance of the second link's from the joint"),
                      OptionSpec::real("I1", d.i1, 1e-9, 1e9, "kg m^2", "inertia about the centre of mass, first link"),
                      OptionSpec::real("I2", d.i2, 1e-9, 1e9, "kg m^2", "the same, second link"),
                      OptionSpec::real("g", d.gravity, 0, 1e3, "m/s^2", "gravity, along x"),
                      OptionSpec::real("theta1", d.theta1, -100, 100, "rad", "start angle of the first link"),
                      OptionSpec::real("theta2", d.theta2, -100, 100, "rad", "start angle of the second link")};
    if (with_tip) specs.push_back(OptionSpec::real("l2", d.l2, 1e-6, 1e6, "m", "length of the second link"));
    return specs;
  }
  explicit DoubleLink(const Options& p, bool with_tip)
      : m1(p.real("m1")),
        m2(p.real("m2")),
        l1(p.real("l1")),
        l2(with_tip ? p.real("l2") : 0),
        a1(p.real("a1")),
        a2(p.real("a2")),
        i1(p.real("I1")),
        i2(p.real("I2")),
        gravity(p.real("g")),
        start(Eigen::Vector2d(p.real("theta1"), p.real("theta2"))) {}

  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos;
    m[0] = S(i1 + m1 * a1 * a1 + m2 * l1 * l1);
    m[1] = m[2] = m2 * l1 * a2 * cos(q[1] - q[0]);
    m[3] = S(i2 + m2 * a2 * a2);
  }
  Mass mass() const {
    double m[4];
    mass_matrix(start.data(), m);
    Matrix dense(2, 2);
    dense << m[0], m[1], m[2], m[3];
    return Mass::dense(dense);
  }
  template <class S>
  S potential(const S* q) const {
    using std::cos;
    return -gravity * (m1 * a1 + m2 * l1) * cos(q[0]) - gravity * m2 * a2 * cos(q[1]);
  }
  /// The joint and the tip: along gravity x, and across y.
  template <class S>
  S joint_y(const S* q) const {
    using std::sin;
    return l1 * sin(q[0]);
  }
  template <class S>
  S tip_y(const S* q) const {
    using std::sin;
    return l1 * sin(q[0]) + l2 * sin(q[1]);
  }
  template <class S>
  S tip_x(const S* q) const {
    using std::cos;
    return l1 * cos(q[0]) + l2 * cos(q[1]);
  }
  /// The links and what is given beside them, y to the right and x downwards. Without a tip the second link ends in its
  /// centre of mass.
  std::shared_ptr<const CurveModel> curves(std::vector<Polyline> lines = {}) const {
    const double second = l2 > 0 ? l2 : a2, first = l1;
    lines.push_back({"links", 3, [=](double, const ConstVectorRef& q, Matrix& points) {
                       points.col(0).setZero();
                       points.col(1) = on_picture(first * std::cos(q[0]), first * std::sin(q[0]));
                       points.col(2) = points.col(1) + on_picture(second * std::cos(q[1]), second * std::sin(q[1]));
                     }});
    lines.push_back({"support", {fixed(0, 0)}});
    const auto dot = [&](const char* name, double second_part) {
      lines.push_back({name, 1, [=](double, const ConstVectorRef& q, Matrix& points) {
                         points = on_picture(first * std::cos(q[0]) + second_part * std::cos(q[1]),
                                             first * std::sin(q[0]) + second_part * std::sin(q[1]));
                       }});
    };
    dot("joint", 0);
    dot(l2 > 0 ? "tip" : "centre of link 2", second);
    return polylines(in_plane(), std::move(lines));
  }
  static Eigen::Vector2d on_picture(double x, double y) { return {y, -x}; }
};

/// A model of the two links with m constraints.
template <int constraints>
struct DoubleLinkModel : AutodiffModel<2, constraints> {
  static constexpr bool constant_mass = false;
  DoubleLink link;

  DoubleLinkModel(const Options& parameters, bool with_tip) : link(parameters, with_tip) {}
  Mass mass() const { return link.mass(); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    link.mass_matrix(q, m);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return link.potential(q);
  }
  static SystemTraits traits(const std::string& name) {
    SystemTraits traits;
    traits.name = name;
    traits.blocks = {{"theta1 theta2", 0, 2}};
    return traits;
  }
};

}  // namespace gnomon::problems
