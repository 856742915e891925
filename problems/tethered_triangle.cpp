/// \file
/// Triangle of three tethered satellites in Earth orbit: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), example 3.

#include <array>
#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"
#include "kernels/rotation.hpp"

namespace {

/// U = -mu m sum_i |x_i|^-1, written as V(pi_i) = -mu m pi_i^(-1/2) with pi_i = |x_i|^2;
/// g = ((|x_1 - x_2|^2/l^2 - 1)/2, (|x_2 - x_3|^2/l^2 - 1)/2, (|x_3 - x_1|^2/l^2 - 1)/2).
///
/// Coordinates: geocentric q = (x1, x2, x3), M = m I9; or q = (R, u, w) with the centre of mass R, u = x2 - x1 and
/// w = x3 - (x1 + x2)/2, where M is diagonal too,
///
///     x1 = R - w/3 - u/2,   x2 = R - w/3 + u/2,   x3 = R + 2 w/3,   M = diag(3 m I3, m/2 I3, 2 m/3 I3)
///
/// and the tethers are differences of small numbers no more.
struct Model : gnomon::AutodiffModel<9, 3> {
  static constexpr int n_invariants = 3;
  static constexpr int n_symmetries = 3;
  bool relative;
  double gravitation, satellite_mass, length;

  explicit Model(const gnomon::Options& parameters)
      : relative(parameters.is("coordinates", "relative")),
        gravitation(parameters.real("mu")),
        satellite_mass(parameters.real("mass")),
        length(parameters.real("length")) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = "tethered-triangle";
    traits.constraint_degree = 2;
    if (relative)
      traits.blocks = {{"centre", 0, 3}, {"tether12", 3, 3}, {"height3", 6, 3}};
    else
      traits.blocks = {{"satellite1", 0, 3}, {"satellite2", 3, 3}, {"satellite3", 6, 3}};
    traits.constraint_names = {"tether12", "tether23", "tether31"};
    return traits;
  }
  gnomon::Vector masses() const {
    gnomon::Vector entries = gnomon::Vector::Constant(9, satellite_mass);
    if (relative) {
      entries.segment<3>(0) *= 3;
      entries.segment<3>(3) /= 2;
      entries.segment<3>(6) *= 2. / 3;
    }
    return entries;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(masses()); }

  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    for (int i = 0; i < 3; ++i) pi[i] = S(0.0);
    for (int c = 0; c < 3; ++c) {
      std::array<S, 3> x{q[c], q[3 + c], q[6 + c]};
      if (relative) {
        const S below = q[c] - q[6 + c] / 3.0, half = 0.5 * q[3 + c];
        x = {below - half, below + half, q[c] + q[6 + c] * (2.0 / 3)};
      }
      for (int i = 0; i < 3; ++i) pi[i] += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
    }
  }
  template <class S>
  S invariant_potential(int, const S& pi) const {
    using std::sqrt;
    return -(gravitation * satellite_mass) / sqrt(pi);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    for (int i = 0; i < 3; ++i) g[i] = S(-0.5);
    for (int c = 0; c < 3; ++c) {
      std::array<S, 3> d;
      if (relative)
        d = {q[3 + c], q[6 + c] - 0.5 * q[3 + c], q[6 + c] + 0.5 * q[3 + c]};
      else
        d = {q[3 + c] - q[c], q[6 + c] - q[3 + c], q[6 + c] - q[c]};
      for (int i = 0; i < 3; ++i) {
        const S e = d[static_cast<std::size_t>(i)] / length;
        g[i] += 0.5 * e * e;
      }
    }
  }
  std::string symmetry_name(gnomon::Index a) const { return "angular momentum about e" + std::to_string(a + 1); }
  /// The coordinates of either kind are three vectors that turn together.
  void symmetry_generator(gnomon::Index a, const double* q, double* xi) const {
    gnomon::problems::rotation_generator(static_cast<int>(a), 3, q, xi);
  }
};

class TetheredTriangle final : public gnomon::Problem {
 public:
  std::string name() const override { return "tethered-triangle"; }
  std::string description() const override {
    return "spinning triangle of three tethered satellites in Earth orbit, SI units";
  }
  std::string equations() const override {
    return "x1, x2, x3 the satellites, the Earth's centre in the origin\n"
           "U = -mu mass (1/|x1| + 1/|x2| + 1/|x3|)\n"
           "g = ((|x_1 - x_2|^2/length^2 - 1)/2, (|x_2 - x_3|^2/length^2 - 1)/2, (|x_3 - x_1|^2/length^2 - 1)/2)\n"
           "coordinates:\n"
           "  coordinates=geocentric: q = (x1, x2, x3), M = mass I9; g has the rounding floor ulp(radius)/length\n"
           "  coordinates=relative: q = (R, u, w), R = (x1 + x2 + x3)/3, u = x2 - x1, w = x3 - (x1 + x2)/2, "
           "M = mass diag(3 I3, I3/2, 2/3 I3)\n"
           "start: R = (radius, 0, 0), R' = (0, sqrt(mu/radius), 0), triangle parallel to the plane of e2 and e3, "
           "u = length e2, w = sqrt(3)/2 length e3, turning with spin about e1";
  }
  std::string source() const override {
    return "Wei, Deng, Li, Wang: Projected Runge-Kutta methods for constrained Hamiltonian systems, Appl. Math. Mech. "
           "37 (2016), example 3; the paper prints no numbers for the start: radius, circular speed and spin are "
           "chosen here, and so are the coordinates relative to the centre of mass";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("coordinates", {"geocentric", "relative"}, "positions, or centre of mass and sides"),
            OptionSpec::real("mu", 3.986e14, 1, 1e21, "m^3/s^2", "gravitational parameter of the Earth"),
            OptionSpec::real("mass", 100, 1e-3, 1e9, "kg", "mass of a satellite"),
            OptionSpec::real("length", 1000, 1, 1e6, "m", "length of a tether"),
            OptionSpec::real("radius", 7e6, 2e6, 1e9, "m", "start distance of the centre of mass"),
            OptionSpec::real("spin", .01, -10, 10, "rad/s", "start rate of rotation about e1")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    const double l = model.length, height = std::sqrt(.75) * l, spin = parameters.real("spin");
    const double radius = parameters.real("radius"), speed = std::sqrt(model.gravitation / radius);
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    gnomon::Vector v(9);
    instance.q0.resize(9);
    // A vector (0, y, z) that turns with the triangle changes at the rate spin (0, -z, y).
    if (model.relative) {
      instance.q0 << radius, 0, 0, 0, l, 0, 0, 0, height;
      v << 0, speed, 0, 0, 0, spin * l, 0, -spin * height, 0;
    } else {
      const double low = -height / 3, high = 2 * height / 3;
      instance.q0 << radius, -l / 2, low, radius, l / 2, low, radius, 0, high;
      v << 0, speed - spin * low, -spin * l / 2, 0, speed - spin * low, spin * l / 2, 0, speed - spin * high, 0;
    }
    instance.p0 = model.masses().cwiseProduct(v);
    instance.curves = picture(model);
    return instance;
  }

 private:
  /// The triangle as it is seen from its centre of mass.
  static std::shared_ptr<const gnomon::CurveModel> picture(const Model& model) {
    using namespace gnomon::problems;
    const auto satellite = [relative = model.relative](const gnomon::ConstVectorRef& q, gnomon::Index i) {
      const Eigen::Vector3d centre =
          relative ? Eigen::Vector3d::Zero() : Eigen::Vector3d((q.head<3>() + q.segment<3>(3) + q.tail<3>()) / 3);
      if (!relative) return Eigen::Vector3d(q.segment<3>(3 * i) - centre);
      if (i == 2) return Eigen::Vector3d(q.tail<3>() * (2.0 / 3));
      return Eigen::Vector3d(q.segment<3>(3) * (i == 0 ? -0.5 : 0.5) - q.tail<3>() / 3);
    };
    std::vector<Polyline> lines{{"tethers", 4, [=](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
                                   for (gnomon::Index k = 0; k < 4; ++k) points.col(k) = satellite(q, k % 3);
                                 }}};
    for (gnomon::Index i = 0; i < 3; ++i)
      lines.push_back(
          {"satellite" + std::to_string(i + 1), 1,
           [=](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) { points = satellite(q, i); }});
    return polylines(in_space(), std::move(lines));
  }
};

}  // namespace

GNOMON_PLUGIN(tethered_triangle) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<TetheredTriangle>()));
}
