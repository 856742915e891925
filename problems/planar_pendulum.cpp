/// \file
/// Planar pendulum in Cartesian coordinates: Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (56)-(62).

#include "gnomon/autodiff_system.hpp"
#include "gnomon/plugin.hpp"
#include "kernels/pendulum_motion.hpp"

namespace {

using gnomon::problems::PendulumMotion;

/// M = m I2, U = m gravity q2, g = |q|^2 - l^2 (not halved, as in the paper).
struct Model : gnomon::AutodiffModel<2, 1> {
  double mass_value, length, gravity;

  Model(double mass, double rod_length, double acceleration)
      : mass_value(mass), length(rod_length), gravity(acceleration) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = "planar-pendulum";
    traits.potential_degree = 1;
    traits.constraint_degree = 2;
    traits.blocks = {{"bob", 0, 2}};
    traits.constraint_names = {"rod"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(2, mass_value)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return mass_value * gravity * q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = q[0] * q[0] + q[1] * q[1] - length * length;
  }
};

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
           "start: q = length (sin angle, -cos angle), v = speed (cos angle, sin angle)\n"
           "exact: q = length (sin theta, -cos theta), theta by Jacobi's elliptic functions";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic "
           "constraints, ASC Report 3/2018, (56)-(58); closed form: Abramowitz and Stegun, chapter 16";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("mass", 1, 1e-6, 1e6, "kg", "mass of the bob"),
            OptionSpec::real("length", 1, 1e-6, 1e6, "m", "length of the rod"),
            OptionSpec::real("gravity", 1, 0, 1e6, "m/s^2", "gravitational acceleration, downwards"),
            OptionSpec::real("angle", 0, -10, 10, "rad", "start angle from the downward vertical"),
            OptionSpec::real("speed", 1, -1e6, 1e6, "m/s", "start speed, positive towards growing angle")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const double mass = parameters.real("mass"), length = parameters.real("length");
    const double gravity = parameters.real("gravity"), speed = parameters.real("speed");
    const PendulumMotion motion(parameters.real("angle"), speed / length, gravity, length);

    gnomon::ProblemInstance instance;
    instance.system = std::make_shared<gnomon::AutodiffSystem<Model>>(Model(mass, length, gravity));
    instance.exact = [=](double t, gnomon::Vector& q, gnomon::Vector& p) {
      const PendulumMotion::Point at = motion.at(t);
      q.resize(2);
      p.resize(2);
      q << length * at.sine, -length * at.cosine;
      p << mass * length * at.rate * at.cosine, mass * length * at.rate * at.sine;
    };
    instance.exact(0, instance.q0, instance.p0);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(planar_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<PlanarPendulum>()));
}
