/// \file
/// Double spherical pendulum: Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), (35)-(37).

#include <cmath>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/double_pendulum_model.hpp"
#include "kernels/rotation.hpp"

namespace {

struct Model : gnomon::problems::DoublePendulumModel {
  static constexpr int n_symmetries = 1;
  using DoublePendulumModel::DoublePendulumModel;

  gnomon::SystemTraits describe() const { return traits("double-spherical-pendulum"); }
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
           "    axis points upwards: (e3, e1, e2) here are its (x, y, z)\n"
           "  start=hanging: rods at .3 and .2 rad from the downward vertical, v1 = length1 .3 e3/s, v2 = v1 + length2 "
           ".2 e1/s;\n"
           "    a regular motion, which can be followed for a thousand seconds";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann: Energy-conserving integration of constrained Hamiltonian systems, Comput. "
           "Mech. 33 (2004), (35)-(37), start read off Fig. 8; the spatial start is an addition: the paper's has no "
           "angular momentum; the perpendicular start with mass2=2 gravity=10 goes with Wei, Deng, Li, Wang, Appl. "
           "Math. Mech. 37 (2016), example 2, which prints masses, lengths and gravity but no start";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    gnomon::OptionSpecs specs = Model::parameters();
    specs.insert(specs.begin(),
                 OptionSpec::choice("start", {"collinear", "spatial", "perpendicular", "hanging"},
                                    "at rest, turning about e2, rods at a right angle, or a small swing"));
    return specs;
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.curves = Model::curves();
    instance.q0 = gnomon::Vector::Zero(6);
    instance.p0 = gnomon::Vector::Zero(6);
    if (parameters.is("start", "perpendicular")) {
      const double l1 = model.length1, l2 = model.length2;
      instance.q0 << 0, 0, l1, l2, 0, l1;
      instance.p0 << model.mass1 * l1, 0, 0, model.mass2 * l1, 0, -model.mass2 * l2;
      return instance;
    }
    if (parameters.is("start", "hanging")) {
      const double l1 = model.length1, l2 = model.length2;
      const Eigen::Vector3d x1(l1 * std::sin(.3), -l1 * std::cos(.3), 0), v1(0, 0, .3 * l1);
      instance.q0 << x1, x1 + Eigen::Vector3d(0, -l2 * std::cos(.2), l2 * std::sin(.2));
      instance.p0 << model.mass1 * v1, model.mass2 * (v1 + Eigen::Vector3d(.2 * l2, 0, 0));
      return instance;
    }
    model.collinear_start(parameters.is("start", "spatial"), instance.q0, instance.p0);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(double_spherical_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<DoubleSphericalPendulum>()));
}
