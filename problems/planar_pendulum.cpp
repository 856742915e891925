/// \file
/// Planar pendulum in Cartesian coordinates: Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (56)-(62).

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/planar_pendulum_model.hpp"

namespace {

using gnomon::problems::PendulumMotion;
using gnomon::problems::PlanarPendulumModel;

class PlanarPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "planar-pendulum"; }
  std::string description() const override {
    return "point mass on a rigid rod in a vertical plane, closed form known";
  }
  std::string equations() const override {
    return "q = (x, y), y upwards, rod from the origin\n"
           "M = mass I2\n"
           "U = mass gravity y\n"
           "g = x^2 + y^2 - length^2\n"
           "start:\n"
           "  start=paper: q = length (sin angle, -cos angle), v = speed (cos angle, sin angle)\n"
           "  start=later: the state that this reaches at t = 0.7\n"
           "exact: q = length (sin theta, -cos theta), theta by Jacobi's elliptic functions";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic "
           "constraints, ASC Report 3/2018, (56)-(58); closed form: Abramowitz and Stegun, chapter 16; the "
           "later start is an addition: at the paper's, lambda' = 0 hides the order of the multiplier";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("start", {"paper", "later"}, "the paper's start, or the state 0.7 s later"),
            OptionSpec::real("mass", 1, 1e-6, 1e6, "kg", "mass of the bob"),
            OptionSpec::real("length", 1, 1e-6, 1e6, "m", "length of the rod"),
            OptionSpec::real("gravity", 1, 0, 1e6, "m/s^2", "gravitational acceleration, downwards"),
            OptionSpec::real("angle", 0, -10, 10, "rad", "start angle from the downward vertical"),
            OptionSpec::real("speed", 1, -1e6, 1e6, "m/s", "start speed, positive towards growing angle")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const double mass = parameters.real("mass"), length = parameters.real("length");
    const double gravity = parameters.real("gravity"), speed = parameters.real("speed");
    const PendulumMotion motion(parameters.real("angle"), speed / length, gravity, length);

    const PlanarPendulumModel model(name(), mass, length, gravity);
    const double passed = parameters.is("start", "later") ? .7 : 0;

    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<PlanarPendulumModel>>(model);
    instance.exact = [=](double t, gnomon::Vector& q, gnomon::Vector& p) {
      gnomon::problems::place(model, motion, passed + t, q, p);
    };
    instance.exact(0, instance.q0, instance.p0);
    instance.curves = PlanarPendulumModel::curves();
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(planar_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<PlanarPendulum>()));
}
