/// \file
/// Pendulum whose support and gravity move as prescribed, with a damper: a constraint and a potential that depend on
/// time.

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// M = m I2, U = m (g + b cos(w t)) q2, g = (|q - s(t)|^2 - l^2)/2, s = a sin(w t) e2, Q = -c v.
struct Model : gnomon::AutodiffModel<2, 1> {
  static constexpr bool has_force = true;
  double bob, length, gravity, gravity_amplitude, amplitude, frequency, damping;

  explicit Model(const gnomon::Options& parameters)
      : bob(parameters.real("mass")),
        length(parameters.real("length")),
        gravity(parameters.real("gravity")),
        gravity_amplitude(parameters.real("gravity_amplitude")),
        amplitude(parameters.real("amplitude")),
        frequency(parameters.real("frequency")),
        damping(parameters.real("damping")) {}

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits = gnomon::polynomial_traits("shaken-pendulum", 1, 2);
    traits.time_dependent = true;
    traits.blocks = {{"bob", 0, 2}};
    traits.constraint_names = {"rod"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(2, bob)); }
  template <class S>
  S potential(const S& t, const S* q) const {
    using std::cos;
    return bob * (gravity + gravity_amplitude * cos(frequency * t)) * q[1];
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    const S y = q[1] - amplitude * sin(frequency * t);
    g[0] = 0.5 * (q[0] * q[0] + y * y - length * length);
  }
  template <class S>
  void force(const S&, const S*, const S* v, S* f) const {
    for (int j = 0; j < 2; ++j) f[j] = -damping * v[j];
  }
};

class ShakenPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "shaken-pendulum"; }
  std::string description() const override {
    return "planar pendulum on a support that moves up and down, with a damper";
  }
  std::string equations() const override {
    return "q = (q1, q2), e2 upwards\n"
           "M = mass I2\n"
           "U = mass (gravity + gravity_amplitude cos(frequency t)) q2\n"
           "g = (|q - s(t)|^2 - length^2)/2,  s = amplitude sin(frequency t) e2\n"
           "Q = -damping v\n"
           "start: the rod turned by the angle from the downward vertical, at rest relative to the support\n"
           "(Kapitza: above amplitude frequency = (2 gravity length)^1/2 the upright position is stable)";
  }
  std::string source() const override {
    return "an addition, for constraints that depend on time; P. L. Kapitza, Zh. Eksp. Teor. Fiz. 21 (1951)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("mass", 1, 1e-6, 1e6, "kg", "mass of the bob"),
            OptionSpec::real("length", 1, .01, 100, "m", "length of the rod"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e2"),
            OptionSpec::real("gravity_amplitude", 0, -1e6, 1e6, "m/s^2", "of its change in time, as in a lift"),
            OptionSpec::real("amplitude", .1, -100, 100, "m", "of the support"),
            OptionSpec::real("frequency", 8, -1e6, 1e6, "rad/s", "of the support"),
            OptionSpec::real("damping", .05, 0, 1e6, "kg/s", "damper on the bob's velocity"),
            OptionSpec::real("angle", 1.2, -4, 4, "rad", "of the rod at the start, from the downward vertical")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    const double angle = parameters.real("angle");
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.q0 = model.length * Eigen::Vector2d(std::sin(angle), -std::cos(angle));
    instance.p0 = model.bob * Eigen::Vector2d(0, model.amplitude * model.frequency);
    using namespace gnomon::problems;
    const auto rod = [a = model.amplitude, w = model.frequency](double t, const gnomon::ConstVectorRef& q,
                                                                gnomon::Matrix& points) {
      points.col(0) << 0, a * std::sin(w * t);
      if (points.cols() > 1) points.col(1) = q;
    };
    instance.curves = polylines(in_plane(), {{"rod", 2, rod}, {"bob", {at(0)}}, {"support", 1, rod}});
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(shaken_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<ShakenPendulum>()));
}
