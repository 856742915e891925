/// \file
/// Conical pendulum: Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (63)-(67).

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"
#include "kernels/rotation.hpp"

namespace {

/// M = m I3, U = m gravity q3, g = |q|^2 - l^2 (not halved, as in the paper).
struct Model : gnomon::AutodiffModel<3, 1> {
  static constexpr int n_symmetries = 1;
  double mass_value, length, gravity;

  Model(double mass, double rod_length, double acceleration)
      : mass_value(mass), length(rod_length), gravity(acceleration) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits = gnomon::polynomial_traits("conical-pendulum", 1, 2);
    traits.blocks = {{"bob", 0, 3}};
    traits.constraint_names = {"rod"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(3, mass_value)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return mass_value * gravity * q[2];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - length * length;
  }
  std::string symmetry_name(gnomon::Index) const { return "angular momentum about e3"; }
  void symmetry_generator(gnomon::Index, const double* q, double* xi) const {
    gnomon::problems::rotation_generator(2, 1, q, xi);
  }
};

class ConicalPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "conical-pendulum"; }
  std::string description() const override {
    return "spherical pendulum on a steady horizontal circle, closed form known";
  }
  std::string equations() const override {
    return "q = (x, y, z), z upwards, rod from the origin\n"
           "M = mass I3\n"
           "U = mass gravity z\n"
           "g = x^2 + y^2 + z^2 - length^2\n"
           "start: q = length (sin angle, 0, -cos angle), v = (0, omega length sin angle, 0), "
           "omega^2 = gravity/(length cos angle)\n"
           "exact: q = length (sin angle cos(omega t), sin angle sin(omega t), -cos angle)";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic "
           "constraints, ASC Report 3/2018, (63)-(67)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {
        OptionSpec::real("mass", 1, 1e-6, 1e6, "kg", "mass of the bob"),
        OptionSpec::real("length", 1, 1e-6, 1e6, "m", "length of the rod"),
        OptionSpec::real("gravity", 1, 0, 1e6, "m/s^2", "gravitational acceleration, along -e3"),
        OptionSpec::real("angle", std::atan(1.0), 1e-3, 1.57, "rad", "angle of the rod from the downward vertical")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const double mass = parameters.real("mass"), length = parameters.real("length");
    const double gravity = parameters.real("gravity");
    // The phase omega t in extended precision: its rounding would otherwise be the largest error of a long run.
    const long double angle = parameters.real("angle");
    const long double omega = std::sqrt(gravity / (length * std::cos(angle)));
    const double radius = static_cast<double>(length * std::sin(angle));
    const double height = static_cast<double>(-length * std::cos(angle));
    const double momentum = static_cast<double>(mass * omega * length * std::sin(angle));

    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(Model(mass, length, gravity));
    instance.exact = [=](double t, gnomon::Vector& q, gnomon::Vector& p) {
      const double c = static_cast<double>(std::cos(omega * t)), s = static_cast<double>(std::sin(omega * t));
      q.resize(3);
      p.resize(3);
      q << radius * c, radius * s, height;
      p << -momentum * s, momentum * c, 0;
    };
    instance.exact(0, instance.q0, instance.p0);
    using namespace gnomon::problems;
    instance.curves =
        polylines(in_space(), {{"rod", {fixed(0, 0, 0), at(0)}}, {"bob", {at(0)}}, {"pivot", {fixed(0, 0, 0)}}});
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(conical_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<ConicalPendulum>()));
}
