/// \file
/// Simple pendulum: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), example 1.

#include <cmath>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/planar_pendulum_model.hpp"

namespace {

using gnomon::problems::PendulumMotion;
using gnomon::problems::PlanarPendulumModel;

class SimplePendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "simple-pendulum"; }
  std::string description() const override {
    return "unit pendulum released at rest below the horizontal, closed form known";
  }
  std::string equations() const override {
    return "q = (x, y), y upwards, rod from the origin\n"
           "M = I2\n"
           "U = gravity y\n"
           "g = x^2 + y^2 - 1\n"
           "start: q = (.8, -.6), at rest\n"
           "exact: q = (sin theta, -cos theta), theta by Jacobi's elliptic functions";
  }
  std::string source() const override {
    return "Wei, Deng, Li, Wang: Projected Runge-Kutta methods for constrained Hamiltonian systems, Appl. Math. Mech. "
           "37 (2016), example 1; closed form: Abramowitz and Stegun, chapter 16";
  }
  gnomon::OptionSpecs parameters() const override {
    return {gnomon::OptionSpec::real("gravity", 10, 0, 1e6, "m/s^2", "gravitational acceleration, downwards")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const double gravity = parameters.real("gravity");
    const PlanarPendulumModel model(name(), 1, 1, gravity);
    const PendulumMotion motion(std::atan2(.8, .6), 0, gravity, 1);

    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<PlanarPendulumModel>>(model);
    instance.exact = [=](double t, gnomon::Vector& q, gnomon::Vector& p) {
      gnomon::problems::place(model, motion, t, q, p);
    };
    instance.exact(0, instance.q0, instance.p0);
    instance.curves = PlanarPendulumModel::curves();
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(simple_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<SimplePendulum>()));
}
