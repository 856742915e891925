/// \file
/// Double spherical pendulum with dampers and a periodic force: for the energy balance.

#include <cmath>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/double_pendulum_model.hpp"

namespace {

/// Q = -c1 (v1, 0) + c2 (v2 - v1, v1 - v2) + (0, F cos(w t) e1).
struct Model : gnomon::problems::DoublePendulumModel {
  static constexpr bool has_force = true;
  double damping1, damping2, drive, frequency;

  explicit Model(const gnomon::Options& parameters)
      : DoublePendulumModel(parameters),
        damping1(parameters.real("damping1")),
        damping2(parameters.real("damping2")),
        drive(parameters.real("drive")),
        frequency(parameters.real("frequency")) {}

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits = this->traits("driven-double-pendulum");
    traits.time_dependent_force = drive != 0;
    return traits;
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
    gnomon::OptionSpecs specs = Model::parameters();
    for (const OptionSpec& spec :
         {OptionSpec::real("damping1", .1, 0, 1e6, "kg/s", "damper on the velocity of bob 1"),
          OptionSpec::real("damping2", .05, 0, 1e6, "kg/s", "damper on the velocity between the bobs"),
          OptionSpec::real("drive", 2, -1e6, 1e6, "N", "amplitude of the force on bob 2, along e1"),
          OptionSpec::real("frequency", 3, -1e6, 1e6, "rad/s", "of the force")})
      specs.push_back(spec);
    return specs;
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.curves = Model::curves();
    model.collinear_start(true, instance.q0, instance.p0);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(driven_double_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<DrivenDoublePendulum>()));
}
