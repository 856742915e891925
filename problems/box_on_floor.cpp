/// \file
/// A box that slides, tips over its corners and comes to rest on a floor with Coulomb friction.

#include <algorithm>
#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// The corners r_k = (-a,-b), (a,-b), (a,b), (-a,b) of the box are at (x, y) + R(theta) r_k.
struct Model : gnomon::AutodiffModel<3, 0> {
  static constexpr int n_obstacles = 4;
  double a, b, body_mass, g, mu;

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits;
    traits.name = "box-on-floor";
    traits.blocks = {{"x", 0, 1}, {"y", 1, 1}, {"theta", 2, 1}};
    traits.obstacle_names = {"corner 0", "corner 1", "corner 2", "corner 3"};
    traits.friction_coefficients = gnomon::Vector::Constant(4, mu);
    return traits;
  }
  gnomon::Mass mass() const {
    return gnomon::Mass::diagonal(Eigen::Vector3d(body_mass, body_mass, body_mass * (a * a + b * b) / 3));
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return body_mass * g * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    for (std::size_t k = 0; k < 4; ++k) c[k] = gap(q, k);
  }
  template <class S>
  void slips(const S* q, S* d) const {
    for (std::size_t k = 0; k < 4; ++k) d[k] = slip(q, k);
  }
  /// Corner k: its height, and its place along the floor.
  template <class S>
  S gap(const S* q, std::size_t k) const {
    using std::cos, std::sin;
    return q[1] + right(k) * sin(q[2]) + up(k) * cos(q[2]);
  }
  template <class S>
  S slip(const S* q, std::size_t k) const {
    using std::cos, std::sin;
    return q[0] + right(k) * cos(q[2]) - up(k) * sin(q[2]);
  }

  double right(std::size_t k) const { return k == 1 || k == 2 ? a : -a; }
  double up(std::size_t k) const { return k >= 2 ? b : -b; }
};

class BoxOnFloor final : public gnomon::Problem {
 public:
  std::string name() const override { return "box-on-floor"; }
  std::string description() const override {
    return "box thrown onto a floor with Coulomb friction: it tips, slides and comes to rest";
  }
  std::string equations() const override {
    return "q = (x, y, theta), corners (X_k, Y_k) = (x, y) + R(theta) r_k, r_k = (-a,-b), (a,-b), (a,b), (-a,b)\n"
           "M = diag(m, m, J), J = m (a^2 + b^2) / 3\n"
           "U = m g y\n"
           "obstacles c_k = Y_k >= 0\n"
           "Coulomb friction with coefficient mu, slips d_k = X_k\n"
           "start at (x, y, theta) with velocity (u, w, omega)";
  }
  std::string source() const override { return "one rigid body of the plane under the laws of Coulomb and Moreau"; }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("a", .5, 1e-6, 1e6, "m", "half the length of the box"),
            OptionSpec::real("b", .3, 1e-6, 1e6, "m", "half its height"),
            OptionSpec::real("m", 1, 1e-6, 1e6, "kg", "mass"),
            OptionSpec::real("g", 9.81, 0, 1e3, "m/s^2", "gravity"),
            OptionSpec::real("mu", .3, 0, 1e3, "", "coefficient of friction"),
            OptionSpec::real("x", 0, -1e6, 1e6, "m", "position of the centre at the start"),
            OptionSpec::real("y", .71, -1e6, 1e6, "m", "its height"),
            OptionSpec::real("theta", -.17, -1e3, 1e3, "rad", "angle"),
            OptionSpec::real("u", 3.5, -1e3, 1e3, "m/s", "velocity along the floor"),
            OptionSpec::real("w", 0, -1e3, 1e3, "m/s", "velocity upwards"),
            OptionSpec::real("omega", -2.8, -1e3, 1e3, "rad/s", "angular velocity")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    Model model;
    model.a = parameters.real("a");
    model.b = parameters.real("b");
    model.body_mass = parameters.real("m");
    model.g = parameters.real("g");
    model.mu = parameters.real("mu");
    gnomon::ProblemInstance instance;
    instance.q0 = Eigen::Vector3d(parameters.real("x"), parameters.real("y"), parameters.real("theta"));
    instance.p0 = model.mass().values().cwiseProduct(
        Eigen::Vector3d(parameters.real("u"), parameters.real("w"), parameters.real("omega")));
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.curves = picture(model, instance.q0[0], parameters.real("u"));
    return instance;
  }

 private:
  /// The floor as far as the box would slide from its first speed u, or 10 m.
  static std::shared_ptr<const gnomon::CurveModel> picture(const Model& model, double x, double u) {
    using namespace gnomon::problems;
    const double size = 2 * std::hypot(model.a, model.b), braking = 2 * model.mu * model.g;
    const double slide = braking > 0 ? std::min(10.0, u * u / braking) : 10;
    const auto corners = [model](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      for (gnomon::Index k = 0; k <= 4; ++k) {
        const auto corner = static_cast<std::size_t>(k % 4);
        points.col(k) << model.slip(q.data(), corner), model.gap(q.data(), corner);
      }
    };
    return polylines(in_plane(),
                     {{"floor", {fixed(x - size - (u < 0 ? slide : 0), 0), fixed(x + size + (u > 0 ? slide : 0), 0)}},
                      {"box", 5, corners},
                      {"centre", {at(0)}}});
  }
};

}  // namespace

GNOMON_PLUGIN(box_on_floor) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<BoxOnFloor>()));
}
