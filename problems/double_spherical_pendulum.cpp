/// \file
/// Double spherical pendulum: Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), (35)-(37).

#include "gnomon/autodiff_system.hpp"
#include "gnomon/plugin.hpp"
#include "kernels/rotation.hpp"

namespace {

/// M = diag(m1 I3, m2 I3), U = gravity (e2;e2)^T M q, g_1 = (|q1|^2 - l1^2)/2, g_2 = (|q2 - q1|^2 - l2^2)/2.
struct Model : gnomon::AutodiffModel<6, 2> {
  static constexpr int n_symmetries = 1;
  double mass1, mass2, length1, length2, gravity;

  explicit Model(const gnomon::Options& parameters)
      : mass1(parameters.real("mass1")),
        mass2(parameters.real("mass2")),
        length1(parameters.real("length1")),
        length2(parameters.real("length2")),
        gravity(parameters.real("gravity")) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = "double-spherical-pendulum";
    traits.potential_degree = 1;
    traits.constraint_degree = 2;
    traits.blocks = {{"bob1", 0, 3}, {"bob2", 3, 3}};
    traits.constraint_names = {"rod1", "rod2"};
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
  std::string symmetry_name(gnomon::Index) const { return "angular momentum about e2"; }
  void symmetry_generator(gnomon::Index, const double* q, double* xi) const {
    gnomon::problems::rotation_generator(1, 2, q, xi);
  }
};

class DoubleSphericalPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "double-spherical-pendulum"; }
  std::string description() const override { return "two point masses on two rigid rods in space"; }
  std::string equations() const override {
    return "q = (q1, q2), bob 1 and bob 2, e2 upwards, first rod from the origin\n"
           "M = diag(mass1 I3, mass2 I3)\n"
           "U = gravity e2 . (mass1 q1 + mass2 q2)\n"
           "g = ((|q1|^2 - length1^2)/2, (|q2 - q1|^2 - length2^2)/2)\n"
           "start:\n"
           "  start=collinear: q1 = length1 e1, q2 = (length1 + length2) e1, at rest (the motion stays in a plane)\n"
           "  start=spatial: the same q, v1 = length1 (0, .5, 2)/s, v2 = length2 (0, -.5, 1)/s\n"
           "  start=perpendicular: q1 = length1 e3, q2 = q1 + length2 e1, v1 = length1 e1/s, v2 = v1 - length2 e3/s.\n"
           "    With mass2=2 gravity=10 it is the start q = (1,0,0, 1,1,0), v = (0,1,0, -1,1,0) of a frame whose z\n"
           "    axis points upwards: (e3, e1, e2) here are its (x, y, z)";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann: Energy-conserving integration of constrained Hamiltonian systems, Comput. "
           "Mech. 33 (2004), (35)-(37), start read off Fig. 8; the spatial start is an addition: the paper's has no "
           "angular momentum; the perpendicular start with mass2=2 gravity=10 goes with Wei, Deng, Li, Wang, Appl. "
           "Math. Mech. 37 (2016), example 2, which prints masses, lengths and gravity but no start";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("start", {"collinear", "spatial", "perpendicular"},
                               "at rest, turning about e2, or rods at a right angle"),
            OptionSpec::real("mass1", 1, 1e-6, 1e6, "kg", "mass of bob 1"),
            OptionSpec::real("mass2", 1, 1e-6, 1e6, "kg", "mass of bob 2"),
            OptionSpec::real("length1", 1, .01, 100, "m", "length of the rod to bob 1"),
            OptionSpec::real("length2", 1, .01, 100, "m", "length of the rod between the bobs"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e2")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    gnomon::ProblemInstance instance;
    instance.system = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.q0 = gnomon::Vector::Zero(6);
    instance.p0 = gnomon::Vector::Zero(6);
    if (parameters.is("start", "perpendicular")) {
      const double l1 = model.length1, l2 = model.length2;
      instance.q0 << 0, 0, l1, l2, 0, l1;
      instance.p0 << model.mass1 * l1, 0, 0, model.mass2 * l1, 0, -model.mass2 * l2;
      return instance;
    }
    instance.q0[0] = model.length1;
    instance.q0[3] = model.length1 + model.length2;
    if (parameters.is("start", "spatial")) {
      // Both rods lie along e1, so velocities across e1 are tangential.
      instance.p0.head<3>() = model.mass1 * model.length1 * Eigen::Vector3d(0, .5, 2);
      instance.p0.tail<3>() = model.mass2 * model.length2 * Eigen::Vector3d(0, -.5, 1);
    }
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(double_spherical_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<DoubleSphericalPendulum>()));
}
