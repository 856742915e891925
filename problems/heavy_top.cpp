/// \file
/// Heavy symmetrical top in directors: Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), section 4.2.

#include <Eigen/Geometry>
#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"
#include "kernels/rotation.hpp"
#include "kernels/unused_parameter.hpp"

namespace {

constexpr double pi = 3.141592653589793;
using Real = long double;  // the phases of the closed form, 135.6 rad/s * t, would cost digits at double
using Vector3 = Eigen::Matrix<Real, 3, 1>;
using Matrix3 = Eigen::Matrix<Real, 3, 3>;

/// A homogeneous solid cone on its tip: mass, distance l of the centre of mass from the tip, and the Euler tensor
/// diag(E1, E2, E3) about the centre of mass, E1 = E2 = J3/2, E3 = J1 - J3/2.
struct Cone {
  double mass, l, E1, E3, gravity;

  explicit Cone(const gnomon::Options& parameters) : gravity(parameters.real("gravity")) {
    const double H = parameters.real("height"), R = parameters.real("radius");
    mass = parameters.real("density") * pi * R * R * H / 3;
    l = 3 * H / 4;
    const double J1 = 3 * mass / 80 * (4 * R * R + H * H), J3 = 3 * mass * R * R / 10;
    E1 = J3 / 2;
    E3 = J1 - J3 / 2;
  }
};

/// q = (phi, d1, d2, d3): centre of mass and directors. M = diag(m I3, E1 I3, E1 I3, E3 I3), U = m gravity phi_3,
/// g = (41), then the joint phi - l d3 = 0 that (41) leaves out.
struct Model : gnomon::AutodiffModel<12, 9> {
  static constexpr int n_symmetries = 1;
  Cone cone;

  explicit Model(const Cone& c) : cone(c) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits = gnomon::polynomial_traits("heavy-top", 1, 2);
    traits.blocks = {{"phi", 0, 3}, {"d1", 3, 3}, {"d2", 6, 3}, {"d3", 9, 3}};
    traits.constraint_names = {"d1.d1", "d2.d2", "d3.d3", "d1.d2", "d1.d3", "d2.d3", "joint1", "joint2", "joint3"};
    return traits;
  }
  gnomon::Mass mass() const {
    gnomon::Vector entries(12);
    entries << gnomon::Vector::Constant(3, cone.mass), gnomon::Vector::Constant(6, cone.E1),
        gnomon::Vector::Constant(3, cone.E3);
    return gnomon::Mass::diagonal(entries);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return cone.mass * cone.gravity * q[2];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    const S *phi = q, *d1 = q + 3, *d2 = q + 6, *d3 = q + 9;
    g[0] = 0.5 * (dot(d1, d1) - 1.0);
    g[1] = 0.5 * (dot(d2, d2) - 1.0);
    g[2] = 0.5 * (dot(d3, d3) - 1.0);
    g[3] = dot(d1, d2);
    g[4] = dot(d1, d3);
    g[5] = dot(d2, d3);
    for (int i = 0; i < 3; ++i) g[6 + i] = phi[i] - cone.l * d3[i];
  }

  /// Spatial rotation about e3: every vector turns, and G_m^T lambda has no moment because the joint is linear. The
  /// body rotation about d3 (d1 -> d2, d2 -> -d1) is a symmetry of the motion too, since E1 = E2, but it keeps only g =
  /// 0 and not the values of g elsewhere: at the midpoint, where g is not zero, a constraint force has a moment about
  /// d3 of order h^2. Schemes cannot promise it, so it is not declared.
  std::string symmetry_name(gnomon::Index) const { return "angular momentum about e3"; }
  void symmetry_generator(gnomon::Index, const double* q, double* xi) const {
    gnomon::problems::rotation_generator(2, 4, q, xi);
  }

 private:
  template <class S>
  static S dot(const S* a, const S* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
};

/// State of the rigid cone with orientation R = (d1 d2 d3) and angular velocity omega.
void place(const Cone& cone, const Matrix3& R, const Vector3& omega, gnomon::Vector& q, gnomon::Vector& p) {
  const Vector3 phi = cone.l * R.col(2);
  q.resize(12);
  p.resize(12);
  q.head<3>() = phi.cast<double>();
  p.head<3>() = (cone.mass * omega.cross(phi)).cast<double>();
  for (int i = 0; i < 3; ++i) {
    const Vector3 d = R.col(i);
    q.segment<3>(3 + 3 * i) = d.cast<double>();
    p.segment<3>(3 + 3 * i) = ((i == 2 ? cone.E3 : cone.E1) * omega.cross(d)).cast<double>();
  }
}

class HeavyTop final : public gnomon::Problem {
 public:
  std::string name() const override { return "heavy-top"; }
  std::string description() const override {
    return "symmetrical top on its tip, in directors; closed form for steady precession";
  }
  std::string equations() const override {
    return "q = (phi, d1, d2, d3): centre of mass and orthonormal directors of a solid cone whose tip is at the "
           "origin\n"
           "mass = density pi radius^2 height/3, l = 3 height/4, J1 = 3/80 mass (4 radius^2 + height^2), J3 = 3/10 "
           "mass radius^2\n"
           "M = diag(mass I3, E1 I3, E2 I3, E3 I3), E1 = E2 = J3/2, E3 = J1 - J3/2\n"
           "U = mass gravity phi_3\n"
           "g = ((|d1|^2-1)/2, (|d2|^2-1)/2, (|d3|^2-1)/2, d1.d2, d1.d3, d2.d3, phi - l d3)\n"
           "start: d1 = e1, d3 at the angle nutation from e3; velocities omega x\n"
           "  start=steady: omega = precession e3 + w d3,\n"
           "    w = mass gravity l/(J3 precession) + (J1 + mass l^2 - J3)/J3 precession cos(nutation)\n"
           "  start=nutating: omega = spin d3\n"
           "exact (steady): (d1 d2 d3) = Rz(precession t) Rx(nutation) Rz(w t)";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann: Energy-conserving integration of constrained Hamiltonian systems, Comput. "
           "Mech. 33 (2004), section 4.2 and (41) with the joint added; the paper prints no parameters: cone, "
           "precession and nutation as in the later literature, the nutating start is an addition";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("start", {"steady", "nutating"}, "steady precession, or spin about the axis only"),
            OptionSpec::real("height", .1, .001, 100, "m", "height of the cone"),
            OptionSpec::real("radius", .05, .001, 100, "m", "radius of the cone's base"),
            OptionSpec::real("density", 2700, 1e-3, 1e6, "kg/m^3", "density of the cone"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e3"),
            OptionSpec::real("nutation", pi / 3, 0, 3.2, "rad", "start angle of the axis from e3"),
            OptionSpec::real("precession", 10, 1e-3, 1e4, "rad/s", "rate of precession, start=steady only"),
            OptionSpec::real("spin", 50, -1e5, 1e5, "rad/s", "rate of spin about the axis, start=nutating only")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const bool steady = parameters.is("start", "steady");
    if (steady)
      gnomon::problems::refuse_unused(parameters, name(), "spin", "start=nutating");
    else
      gnomon::problems::refuse_unused(parameters, name(), "precession", "start=steady");

    const Cone cone(parameters);
    const Real nutation = parameters.real("nutation");
    const auto turn = [](Real angle, int axis) {
      return Matrix3(Eigen::AngleAxis<Real>(angle, Vector3::Unit(axis)).toRotationMatrix());
    };
    const Matrix3 R0 = turn(nutation, 0);

    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(Model(cone));
    instance.curves = picture(parameters.real("height"), parameters.real("radius"));
    if (!steady) {
      place(cone, R0, parameters.real("spin") * R0.col(2), instance.q0, instance.p0);
      return instance;
    }
    const Real wp = parameters.real("precession");
    // From the rounded masses of the model: the closed form belongs to them, and one unit in the last place of a mass
    // is 1e-14 rad in the phase after a second.
    const Real J1 = Real(cone.E1) + cone.E3, J3 = 2 * Real(cone.E1), m = cone.mass, l = cone.l;
    const Real ws = m * cone.gravity * l / (J3 * wp) + (J1 + m * l * l - J3) / J3 * wp * std::cos(nutation);
    // R(t) = Rz(wp t) R0 Rz(ws t), omega = wp e3 + ws d3
    instance.exact = [=](double t, gnomon::Vector& q, gnomon::Vector& p) {
      const Matrix3 R = turn(wp * t, 2) * R0 * turn(ws * t, 2);
      place(cone, R, wp * Vector3::UnitZ() + ws * R.col(2), q, p);
    };
    instance.exact(0, instance.q0, instance.p0);
    return instance;
  }

 private:
  /// The cone: its axis, the rim of its base, and the line from the tip to the rim along d1, which shows the spin.
  static std::shared_ptr<const gnomon::CurveModel> picture(double height, double radius) {
    using namespace gnomon::problems;
    const auto on_base = [=](const gnomon::ConstVectorRef& q, double angle, double r) {
      return gnomon::Vector(height * q.segment<3>(9) +
                            r * (std::cos(angle) * q.segment<3>(3) + std::sin(angle) * q.segment<3>(6)));
    };
    const auto rim = [=](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      const gnomon::Index n = points.cols() - 1;
      for (gnomon::Index k = 0; k <= n; ++k)
        points.col(k) = on_base(q, 2 * pi * static_cast<double>(k) / static_cast<double>(n), radius);
    };
    const auto side = [=](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      points << gnomon::Vector::Zero(3), on_base(q, 0, radius), on_base(q, 0, 0);
    };
    return polylines(
        in_space(),
        {{"axis", 2,
          [=](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
            points << gnomon::Vector::Zero(3), on_base(q, 0, 0);
          }},
         {"side along d1", 3, side},
         {"rim", 33, rim},
         {"end of the axis", 1,
          [=](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) { points = on_base(q, 0, 0); }},
         {"fixed point", {fixed(0, 0, 0)}}});
  }
};

}  // namespace

GNOMON_PLUGIN(heavy_top) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<HeavyTop>()));
}
