/// \file
/// Mass on a cubic surface with nonlinear Coulomb friction: Small, Jay, (4.2).

#include <algorithm>
#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// M = m I2, U = m g q2, c = q2 - b q1^3, and while the mass is in contact, with N = |grad c| |psi|, the friction
/// R = -c_f N^{r_f} v / |v|. Written without roots of negative numbers: N^{r_f} = ((1 + 9 b^2 q1^4) psi^2)^{r_f/2}.
struct Model : gnomon::AutodiffModel<2, 0> {
  static constexpr int n_obstacles = 1;
  static constexpr bool has_friction = true;
  double body_mass, b, g, c_f, r_f;

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits = gnomon::polynomial_traits("cubic-surface", 1, 0);
    traits.obstacle_degree = 3;
    traits.blocks = {{"mass", 0, 2}};
    traits.obstacle_names = {"surface"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(2, body_mass)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return body_mass * g * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[1] - b * (q[0] * q[0] * q[0]);
  }
  template <class S>
  void friction(const S* q, const S* v, const S* psi, S* force) const {
    using std::pow, std::sqrt;
    const S slope = 3 * b * (q[0] * q[0]);
    const S size = c_f * pow((1.0 + slope * slope) * psi[0] * psi[0], 0.5 * r_f);
    const S speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int j = 0; j < 2; ++j) force[j] = -1.0 * (size * v[j] / speed);
  }
};

class CubicSurface final : public gnomon::Problem {
 public:
  std::string name() const override { return "cubic-surface"; }
  std::string description() const override {
    return "mass on or above a cubic surface with friction that is nonlinear in the normal force";
  }
  std::string equations() const override {
    return "q = (q1, q2), v = q', psi the multiplier of the contact (contact force (-3 b q1^2, 1) psi)\n"
           "M = m I2\n"
           "U = m g q2\n"
           "obstacle c = q2 - b q1^3 >= 0, psi >= 0, psi c = 0\n"
           "friction R = -c_f ((1 + 9 b^2 q1^4) psi^2)^{r_f/2} v / |v|\n"
           "contact=unilateral: the mass may leave the surface and land on it; contact=kept: c = 0 is a constraint\n"
           "start: q1 = x, on the surface or lift above it, v = (u, w); w tangential where none is given. The paper's "
           "is\n"
           "  x = 10, u = -3.6";
  }
  std::string source() const override {
    return "Small, Jay: Symplectic Euler methods for overdetermined differential-algebraic equations, (4.2)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("contact", {"unilateral", "kept"}, "may the mass leave the surface"),
            OptionSpec::real("m", 1, 1e-6, 1e6, "kg", "mass"),
            OptionSpec::real("b", .01, -1e3, 1e3, "1/m^2", "the surface is q2 = b q1^3"),
            OptionSpec::real("g", 9.81, 0, 1e3, "m/s^2", "gravity"),
            OptionSpec::real("c_f", .1, 0, 10, "N^(1-r_f)", "coefficient of friction"),
            OptionSpec::real("r_f", .85, .1, 2, "", "exponent of the normal force"),
            OptionSpec::real("x", 10, -1e3, 1e3, "m", "q1 at the start"),
            OptionSpec::real("lift", 0, 0, 1e3, "m", "height above the surface at the start"),
            OptionSpec::real("u", -3.6, -1e3, 1e3, "m/s", "velocity of q1 at the start"),
            OptionSpec::real("w", 0, -1e3, 1e3, "m/s", "velocity of q2 at the start, beside the tangential one")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    using namespace gnomon::problems;
    Model model;
    model.body_mass = parameters.real("m");
    model.b = parameters.real("b");
    model.g = parameters.real("g");
    model.c_f = parameters.real("c_f");
    model.r_f = parameters.real("r_f");
    const double x = parameters.real("x"), u = parameters.real("u");
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    const auto surface = [b = model.b, far = 1.2 * std::max(1.0, std::abs(x))](double s) {
      const double q1 = (2 * s - 1) * far;
      return Eigen::Vector2d(q1, b * q1 * q1 * q1);
    };
    instance.curves = polylines(in_plane(), {fixed_curve("surface", 81, surface), {"mass", {at(0)}}});
    if (parameters.is("contact", "kept")) {
      if (parameters.real("lift") != 0 || parameters.real("w") != 0)
        throw gnomon::Error(gnomon::ErrorCode::bad_value,
                            "problem cubic-surface: with contact=kept the start is on the surface and along it: "
                            "expected lift = 0 and w = 0");
      instance.model = instance.model->mechanical()->parts().obstacles->with_obstacles_closed();
    }
    instance.q0 = Eigen::Vector2d(x, model.b * x * x * x + parameters.real("lift"));
    instance.p0 =
        Eigen::Vector2d(model.body_mass * u, model.body_mass * (3 * model.b * x * x * u + parameters.real("w")));
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(cubic_surface) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<CubicSurface>()));
}
