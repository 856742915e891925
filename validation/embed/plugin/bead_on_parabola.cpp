/// \file
/// bead-on-parabola: a plug-in problem in one file. A bead slides without friction on the wire 2 y = x^2.
///
///     M = m I2,   U = m gravity y,   g = y - x^2/2
///
/// U and g are written once, templated on the scalar; all derivatives come from that.

#include <gnomon/model/autodiff_system.hpp>
#include <gnomon/model/problem.hpp>
#include <gnomon/registry/plugin.hpp>

namespace {

using namespace gnomon;

struct Model : AutodiffModel<2, 1> {
  double mass_value = 1, gravity = 9.81;

  SystemTraits describe() const {
    SystemTraits traits;
    traits.name = "bead-on-parabola";
    traits.blocks = {{"bead", 0, 2}};
    traits.constraint_names = {"wire"};
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Constant(2, mass_value)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return mass_value * gravity * q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = q[1] - q[0] * q[0] * 0.5;
  }
};

class BeadOnParabola final : public Problem {
 public:
  std::string name() const override { return "bead-on-parabola"; }
  std::string description() const override { return "bead on the wire 2 y = x^2, released at rest"; }
  std::string equations() const override {
    return "q = (x, y), M = mass I2, U = mass gravity y, g = y - x^2/2\nstart: x = x0, at rest";
  }
  std::string source() const override { return "the plug-in template of Gnomon"; }
  OptionSpecs parameters() const override {
    return {OptionSpec::real("mass", 1, 1e-3, 1e3, "kg", "mass of the bead"),
            OptionSpec::real("gravity", 9.81, 0, 1e3, "m/s^2", "gravitational acceleration, downwards"),
            OptionSpec::real("x0", 1, -10, 10, "m", "where it is released")};
  }
  ProblemInstance build(const Options& parameters) const override {
    Model model;
    model.mass_value = parameters.real("mass");
    model.gravity = parameters.real("gravity");
    const double x = parameters.real("x0");
    ProblemInstance instance;
    instance.model = std::make_shared<AutodiffSystem<Model>>(model);
    instance.q0 = (Vector(2) << x, x * x / 2).finished();
    instance.p0 = Vector::Zero(2);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(bead_on_parabola) {
  registrar.add(std::unique_ptr<Problem>(std::make_unique<BeadOnParabola>()));
}
