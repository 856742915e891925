/// \file
/// A bead on a parabolic wire that turns about the vertical axis, with friction nonlinear in the normal force: two
/// multipliers, three dimensions, a force that does no work and one that does.

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/autodiff_overdetermined.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// In the frame that turns with the wire, Omega = omega e3, and with the wire's force -G^T psi, N = |G^T psi|:
///
///     m z' = -m g e3 - 2 m Omega x z - m Omega x (Omega x y) - G^T psi - c_f N^{r_f} z / |z|
///     0 = (y2, y3 - k y1^2)
///
/// N^{r_f} is written (N^2)^{r_f/2}, without a root that is singular at psi = 0. Of momenta there are two choices: m z,
/// or that of the frame at rest, p = m (z + Omega x y), to which p' = -m g e3 - Omega x p + ... belongs.
struct Model : gnomon::AutodiffOverdeterminedModel<3, 3, 2> {
  static constexpr bool has_energy = true;
  double mass, k, omega, g, c_f, r_f;
  bool canonical;

  gnomon::OverdeterminedTraits describe() const {
    gnomon::OverdeterminedTraits traits;
    traits.name = "rotating-wire-bead";
    traits.affine = c_f == 0;
    traits.constraint_names = {"plane of the wire", "parabola"};
    return traits;
  }
  template <class S>
  void velocity(const S*, const S* z, S* v) const {
    for (int j = 0; j < 3; ++j) v[j] = z[j];
  }
  template <class S>
  void momentum(const S* y, const S* z, S* p) const {
    const double turn = canonical ? omega : 0;
    p[0] = mass * (z[0] - turn * y[1]);
    p[1] = mass * (z[1] + turn * y[0]);
    p[2] = mass * z[2];
  }
  template <class S>
  void force(const S* y, const S* z, S* f) const {
    const double coriolis = canonical ? 1 : 2;  // m Omega x z is in p' = m z' + m Omega x z
    f[0] = mass * omega * (coriolis * z[1] + omega * y[0]);
    f[1] = mass * omega * (omega * y[1] - coriolis * z[0]);
    f[2] = S(-mass * g);
  }
  /// -G^T psi
  template <class S>
  void constraint_force(const S* y, const S* psi, S* force) const {
    force[0] = 2 * k * (y[0] * psi[1]);
    force[1] = -1.0 * psi[0];
    force[2] = -1.0 * psi[1];
  }
  /// c_f N^{r_f}
  template <class S>
  S friction(const S* normal) const {
    using std::pow;
    return c_f * pow(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2], 0.5 * r_f);
  }
  template <class S>
  static S size(const S* z) {
    using std::sqrt;
    return sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  }
  template <class S>
  void multiplier_force(const S* y, const S* z, const S* psi, S* r) const {
    constraint_force(y, psi, r);
    if (c_f == 0) return;
    const S along = friction(r) / size(z);
    for (int j = 0; j < 3; ++j) r[j] = r[j] - along * z[j];
  }
  template <class S>
  void constraints(const S* y, S* c) const {
    c[0] = y[1];
    c[1] = y[2] - k * (y[0] * y[0]);
  }
  template <class S>
  S energy(const S* y, const S* z) const {
    return mass * (0.5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]) + g * y[2] -
                   0.5 * omega * omega * (y[0] * y[0] + y[1] * y[1]));
  }
  template <class S>
  S power(const S* y, const S* z, const S* psi) const {
    S normal[3];
    constraint_force(y, psi, normal);
    return -1.0 * (friction(normal) * size(z));
  }
};

class RotatingWireBead final : public gnomon::Problem {
 public:
  std::string name() const override { return "rotating-wire-bead"; }
  std::string description() const override {
    return "bead on a rotating parabolic wire with friction that is nonlinear in two multipliers";
  }
  std::string equations() const override {
    return "y = (y1, y2, y3), y3 upwards, in the frame that turns with the wire, Omega = omega e3; z = y'\n"
           "v = z\n"
           "p = m z (momentum=kinetic) or m (z + Omega x y) (momentum=canonical): the same motion\n"
           "p' = -m g e3 - 2 m Omega x z - m Omega x (Omega x y) + r (kinetic), -m g e3 - Omega x p + r (canonical)\n"
           "r = -G^T psi - c_f N^{r_f} z / |z|, N = |G^T psi|\n"
           "g = (y2, y3 - k y1^2)\n"
           "energy E = m |z|^2 / 2 + m g y3 - m omega^2 (y1^2 + y2^2) / 2 (the Jacobi integral), power -c_f N^{r_f} "
           "|z|\n"
           "start: y1 = x, y1' = u, on the wire and along it. With the default parameters the bead is thrown outwards "
           "and\n"
           "  never stops; where it stops, the direction of friction z / |z| does not exist";
  }
  std::string source() const override {
    return "own; a standard example of mechanics in a rotating frame, e.g. Goldstein, Classical Mechanics, 4.10, with "
           "the friction law of Small, Jay, (4.2)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("m", 1, 1e-6, 1e6, "kg", "mass of the bead"),
            OptionSpec::real("k", .5, -1e3, 1e3, "1/m", "the wire is y3 = k y1^2"),
            OptionSpec::real("omega", 4, -1e3, 1e3, "1/s", "angular velocity of the wire"),
            OptionSpec::real("g", 9.81, 0, 1e3, "m/s^2", "gravity, along -e3"),
            OptionSpec::real("c_f", .1, 0, 10, "N^(1-r_f)", "coefficient of friction"),
            OptionSpec::real("r_f", .85, .1, 2, "", "exponent of the normal force"),
            OptionSpec::real("x", .5, -1e3, 1e3, "m", "y1 at the start"),
            OptionSpec::real("u", 1, -1e3, 1e3, "m/s", "velocity of y1 at the start; not 0 where there is friction"),
            OptionSpec::choice("momentum", {"kinetic", "canonical"}, "p = m z or m (z + Omega x y)")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    Model model;
    model.mass = parameters.real("m");
    model.k = parameters.real("k");
    model.omega = parameters.real("omega");
    model.g = parameters.real("g");
    model.c_f = parameters.real("c_f");
    model.r_f = parameters.real("r_f");
    model.canonical = parameters.is("momentum", "canonical");
    const double x = parameters.real("x"), u = parameters.real("u");
    if (u == 0 && model.c_f > 0)
      throw gnomon::Error(gnomon::ErrorCode::bad_value,
                          "problem rotating-wire-bead: u = 0 with friction c_f > 0: the friction of a bead at rest has "
                          "no direction, expected u other than 0");
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffOverdetermined<Model>>(model);
    instance.q0 = Eigen::Vector3d(x, 0, model.k * x * x);
    instance.p0 = Eigen::Vector3d(u, 0, 2 * model.k * x * u);
    // In the plane of the wire, which turns with it: y1 to the right, y3 upwards.
    using namespace gnomon::problems;
    const auto wire = [k = model.k, far = 3 * std::max(std::abs(x), .5)](double s) {
      const double y1 = (2 * s - 1) * far;
      return Eigen::Vector2d(y1, k * y1 * y1);
    };
    const auto bead = [](double, const gnomon::ConstVectorRef& y, gnomon::Matrix& points) { points << y[0], y[2]; };
    instance.curves = polylines(in_plane(), {fixed_curve("wire", 81, wire), {"bead", 1, bead}});
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(rotating_wire_bead) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<RotatingWireBead>()));
}
