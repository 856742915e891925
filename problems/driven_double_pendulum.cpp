/// \file
/// Double spherical pendulum with dampers and a periodic force: for the energy ledger.

#include <cmath>

#include "gnomon/autodiff_system.hpp"
#include "gnomon/plugin.hpp"

namespace {

/// M = diag(m1 I3, m2 I3), U and g of the double spherical pendulum,
/// Q = -c1 (v1, 0) + c2 (v2 - v1, v1 - v2) + (0, F cos(w t) e1).
struct Model : gnomon::AutodiffModel<6, 2> {
  static constexpr bool has_force = true;
  double mass1, mass2, length1, length2, gravity, damping1, damping2, drive, frequency;

  explicit Model(const gnomon::Options& parameters)
      : mass1(parameters.real("mass1")),
        mass2(parameters.real("mass2")),
        length1(parameters.real("length1")),
        length2(parameters.real("length2")),
        gravity(parameters.real("gravity")),
        damping1(parameters.real("damping1")),
        damping2(parameters.real("damping2")),
        drive(parameters.real("drive")),
        frequency(parameters.real("frequency")) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits = gnomon::polynomial_traits("driven-double-pendulum", 1, 2);
    traits.blocks = {{"bob1", 0, 3}, {"bob2", 3, 3}};
    traits.constraint_names = {"rod1", "rod2"};
    traits.time_dependent_force = drive != 0;
    return traits;
  }
  gnomon::Mass mass() const {
    gnomon::Vector entries(6);
    entries << mass1, mass1, mass1, mass2, mass2, mass2;
    return gnomon::Mass::diagonal(entries);
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
  template <class S>
  void force(const S& t, const S*, const S* v, S* f) const {
    using std::cos;
    for (int j = 0; j < 3; ++j) {
      const S between = damping2 * (v[3 + j] - v[j]);
      f[j] = between - damping1 * v[j];
      f[3 + j] = -between;
    }
    f[3] += drive * cos(frequency * t);
  }
};

class DrivenDoublePendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "driven-double-pendulum"; }
  std::string description() const override {
    return "double spherical pendulum with dampers and a periodic force on the second bob";
  }
  std::string equations() const override {
    return "q = (q1, q2), bob 1 and bob 2, e2 upwards, first rod from the origin\n"
           "M = diag(mass1 I3, mass2 I3)\n"
           "U = gravity e2 . (mass1 q1 + mass2 q2)\n"
           "g = ((|q1|^2 - length1^2)/2, (|q2 - q1|^2 - length2^2)/2)\n"
           "Q = (-damping1 v1 + damping2 (v2 - v1), -damping2 (v2 - v1) + drive cos(frequency t) e1)\n"
           "start: q1 = length1 e1, q2 = (length1 + length2) e1, v1 = length1 (0, .5, 2)/s, v2 = length2 (0, -.5, 1)/s";
  }
  std::string source() const override {
    return "an addition: the model of Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), (35)-(37), with forces "
           "whose work is known";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("mass1", 1, 1e-6, 1e6, "kg", "mass of bob 1"),
            OptionSpec::real("mass2", 1, 1e-6, 1e6, "kg", "mass of bob 2"),
            OptionSpec::real("length1", 1, .01, 100, "m", "length of the rod to bob 1"),
            OptionSpec::real("length2", 1, .01, 100, "m", "length of the rod between the bobs"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e2"),
            OptionSpec::real("damping1", .1, 0, 1e6, "kg/s", "damper on the velocity of bob 1"),
            OptionSpec::real("damping2", .05, 0, 1e6, "kg/s", "damper on the velocity between the bobs"),
            OptionSpec::real("drive", 2, -1e6, 1e6, "N", "amplitude of the force on bob 2, along e1"),
            OptionSpec::real("frequency", 3, -1e6, 1e6, "rad/s", "of the force")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    gnomon::ProblemInstance instance;
    instance.system = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.q0 = gnomon::Vector::Zero(6);
    instance.q0[0] = model.length1;
    instance.q0[3] = model.length1 + model.length2;
    // Both rods lie along e1, so velocities across e1 are tangential.
    instance.p0 = gnomon::Vector::Zero(6);
    instance.p0.head<3>() = model.mass1 * model.length1 * Eigen::Vector3d(0, .5, 2);
    instance.p0.tail<3>() = model.mass2 * model.length2 * Eigen::Vector3d(0, -.5, 1);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(driven_double_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<DrivenDoublePendulum>()));
}
