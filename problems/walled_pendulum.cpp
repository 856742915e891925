/// \file
/// Spherical pendulum between walls: an addition, for contacts that meet with a constraint and with each other.

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// M = m I3, U = m g q3, g = (|q|^2 - l^2)/2, walls c = (w1 - q1, w2 - q2), w_i the distances of the walls. No
/// friction.
struct Model : gnomon::AutodiffModel<3, 1> {
  static constexpr int n_obstacles = 2;
  double bob, length, gravity, wall1, wall2;

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits = gnomon::polynomial_traits("walled-pendulum", 1, 2);
    traits.obstacle_degree = 1;
    traits.blocks = {{"bob", 0, 3}};
    traits.constraint_names = {"rod"};
    traits.obstacle_names = {"wall 1", "wall 2"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(3, bob)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return bob * gravity * q[2];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - length * length);
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = wall1 - q[0];
    c[1] = wall2 - q[1];
  }
};

class WalledPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "walled-pendulum"; }
  std::string description() const override {
    return "spherical pendulum between two walls without friction: impacts of a constrained bead, corners, sliding";
  }
  std::string equations() const override {
    return "q = (q1, q2, q3)\n"
           "M = m I3\n"
           "U = m g q3\n"
           "g = (|q|^2 - l^2)/2\n"
           "obstacles c = (w1 - q1, w2 - q2) >= 0\n"
           "start: q = (-3^1/2 l/2, -l/2, 0), q' = u (1/2, -3^1/2/2, 0); the rest position of the pendulum is behind "
           "the\n"
           "  second wall where w2 < 0, so that contact can last";
  }
  std::string source() const override {
    return "an addition: the paper of Small and Jay points to unilateral constraints, its example has one contact and "
           "no other constraint";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("m", 1, 1e-6, 1e6, "kg", "mass"),
            OptionSpec::real("l", 1, 1e-3, 1e3, "m", "length"),
            OptionSpec::real("g", 9.81, 0, 1e3, "m/s^2", "gravity"),
            OptionSpec::real("w1", .3, -1e3, 1e3, "m", "distance of the first wall"),
            OptionSpec::real("w2", -.1, -1e3, 1e3, "m", "distance of the second wall"),
            OptionSpec::real("u", 1, -1e3, 1e3, "m/s", "velocity at the start")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    Model model;
    model.bob = parameters.real("m");
    model.length = parameters.real("l");
    model.gravity = parameters.real("g");
    model.wall1 = parameters.real("w1");
    model.wall2 = parameters.real("w2");
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    const double u = parameters.real("u"), root = std::sqrt(3.0);
    instance.q0 = Eigen::Vector3d(-root / 2 * model.length, -model.length / 2, 0);
    instance.p0 = Eigen::Vector3d(model.bob * u / 2, -model.bob * u * root / 2, 0);
    using namespace gnomon::problems;
    const double l = model.length, w1 = model.wall1, w2 = model.wall2;
    instance.curves = polylines(
        in_space(),
        {{"wall 1", {fixed(w1, -l, -l), fixed(w1, w2, -l), fixed(w1, w2, 0), fixed(w1, -l, 0), fixed(w1, -l, -l)}},
         {"wall 2", {fixed(-l, w2, -l), fixed(w1, w2, -l), fixed(w1, w2, 0), fixed(-l, w2, 0), fixed(-l, w2, -l)}},
         {"rod", {fixed(0, 0, 0), at(0)}},
         {"bob", {at(0)}},
         {"pivot", {fixed(0, 0, 0)}}});
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(walled_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<WalledPendulum>()));
}
