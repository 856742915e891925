/// \file
/// A bob on a rigid rod with a second bob on a spring below it: a potential that is not quadratic, in split form.

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"
#include "kernels/rotation.hpp"

namespace {

/// M = diag(m1 I3, m2 I3), U = U2 + V(pi), U2 = gravity e3 . (m1 q1 + m2 q2), pi = |q2 - q1|^2,
/// V = stiffness (sqrt(pi) - rest)^2/2, g = (|q1|^2 - l^2)/2.
struct Model : gnomon::AutodiffModel<6, 1> {
  static constexpr int n_invariants = 1;
  static constexpr int n_symmetries = 1;
  double mass1, mass2, length, gravity, stiffness, rest;

  explicit Model(const gnomon::Options& parameters)
      : mass1(parameters.real("mass1")),
        mass2(parameters.real("mass2")),
        length(parameters.real("length")),
        gravity(parameters.real("gravity")),
        stiffness(parameters.real("stiffness")),
        rest(parameters.real("rest")) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = "spring-pendulum";
    traits.constraint_degree = 2;
    traits.blocks = {{"bob1", 0, 3}, {"bob2", 3, 3}};
    traits.constraint_names = {"rod"};
    return traits;
  }
  gnomon::Mass mass() const {
    gnomon::Vector entries(6);
    entries << mass1, mass1, mass1, mass2, mass2, mass2;
    return gnomon::Mass::diagonal(entries);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * (mass1 * q[2] + mass2 * q[5]);
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    const S dx = q[3] - q[0], dy = q[4] - q[1], dz = q[5] - q[2];
    pi[0] = dx * dx + dy * dy + dz * dz;
  }
  template <class S>
  S invariant_potential(int, const S& pi) const {
    using std::sqrt;
    const S extension = sqrt(pi) - rest;
    return 0.5 * stiffness * extension * extension;
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - length * length);
  }
  std::string symmetry_name(gnomon::Index) const { return "angular momentum about e3"; }
  void symmetry_generator(gnomon::Index, const double* q, double* xi) const {
    gnomon::problems::rotation_generator(2, 2, q, xi);
  }
};

class SpringPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "spring-pendulum"; }
  std::string description() const override {
    return "bob on a rigid rod, second bob on a spring: non-quadratic potential";
  }
  std::string equations() const override {
    return "q = (q1, q2), e3 upwards, rod from the origin to bob 1, spring from bob 1 to bob 2\n"
           "M = diag(mass1 I3, mass2 I3)\n"
           "U = gravity e3 . (mass1 q1 + mass2 q2) + stiffness/2 (|q2 - q1| - rest)^2\n"
           "g = (|q1|^2 - length^2)/2\n"
           "start: q1 = length (sin angle, 0, -cos angle), q2 = q1 + 1.2 rest (0, sin(.5), -cos(.5)): the spring is "
           "stretched by a fifth and leans out of the rod's plane;\n"
           "  both turn about the vertical: v = rotation e3 x q";
  }
  std::string source() const override {
    return "negative control for schemes whose energy is exact for quadratic potentials only; split form U2 + V(|q2 - "
           "q1|^2) after Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 (1996)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("mass1", 1, 1e-6, 1e6, "kg", "mass of bob 1"),
            OptionSpec::real("mass2", 1, 1e-6, 1e6, "kg", "mass of bob 2"),
            OptionSpec::real("length", 1, .01, 100, "m", "length of the rod"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e3"),
            OptionSpec::real("stiffness", 50, 0, 1e9, "N/m", "stiffness of the spring"),
            OptionSpec::real("rest", 1, .01, 100, "m", "length of the spring without load"),
            OptionSpec::real("angle", 1, -3.2, 3.2, "rad", "start angle of the rod from the downward vertical"),
            OptionSpec::real("rotation", 1, -1e3, 1e3, "rad/s", "start rate of rotation about the vertical")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    const double angle = parameters.real("angle"), rotation = parameters.real("rotation");
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.q0.resize(6);
    instance.q0.head<3>() = model.length * Eigen::Vector3d(std::sin(angle), 0, -std::cos(angle));
    instance.q0.tail<3>() = instance.q0.head<3>() + 1.2 * model.rest * Eigen::Vector3d(0, std::sin(.5), -std::cos(.5));
    // v = rotation e3 x q is orthogonal to q, so the rod's rate vanishes.
    gnomon::Vector v(6);
    gnomon::problems::rotation_generator(2, 2, instance.q0.data(), v.data());
    v *= rotation;
    instance.p0.resize(6);
    instance.p0 << model.mass1 * v.head<3>(), model.mass2 * v.tail<3>();
    using namespace gnomon::problems;
    instance.curves = polylines(in_space(), {{"rod", {fixed(0, 0, 0), at(0)}},
                                             {"spring", {at(0), at(3)}},
                                             {"bob1", {at(0)}},
                                             {"bob2", {at(3)}},
                                             {"pivot", {fixed(0, 0, 0)}}});
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(spring_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<SpringPendulum>()));
}
