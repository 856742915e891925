/// \file
/// A bead on a circular wave that travels outwards, in Cartesian or in cylindrical coordinates: a constraint that
/// depends on time and is not polynomial, a mass that is constant or depends on q, and a momentum map.

#include <algorithm>
#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// z = a cos(k r - w t) with r^2 = q1^2 + q2^2; U = m g z + c (r - r0)^2/2; Q = -d v.
struct Wave {
  double bead, gravity, spring, rest, amplitude, number, frequency, damping;

  explicit Wave(const gnomon::Options& parameters)
      : bead(parameters.real("mass")),
        gravity(parameters.real("gravity")),
        spring(parameters.real("spring")),
        rest(parameters.real("rest")),
        amplitude(parameters.real("amplitude")),
        number(parameters.real("wave-number")),
        frequency(parameters.real("frequency")),
        damping(parameters.real("damping")) {}

  gnomon::ModelTraits traits() const {
    gnomon::ModelTraits traits;
    traits.name = "wave-bead";
    traits.time_dependent = true;
    traits.blocks = {{"bead", 0, 3}};
    traits.constraint_names = {"wave"};
    return traits;
  }
  template <class S>
  S height(const S& t, const S& r) const {
    using std::cos;
    return amplitude * cos(number * r - frequency * t);
  }
  template <class S>
  S energy(const S& r, const S& z) const {
    return bead * gravity * z + 0.5 * spring * (r - rest) * (r - rest);
  }
};

template <bool damped>
struct Cartesian : gnomon::AutodiffModel<3, 1> {
  static constexpr bool has_force = damped;
  Wave wave;

  explicit Cartesian(const Wave& given) : wave(given) {}
  gnomon::ModelTraits describe() const { return wave.traits(); }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(3, wave.bead)); }
  template <class S>
  static S radius(const S* q) {
    using std::sqrt;
    return sqrt(q[0] * q[0] + q[1] * q[1]);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return wave.energy(radius(q), q[2]);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    g[0] = q[2] - wave.height(t, radius(q));
  }
  template <class S>
  void force(const S&, const S*, const S* v, S* f) const {
    for (int j = 0; j < 3; ++j) f[j] = -wave.damping * v[j];
  }
  static constexpr int n_symmetries = 1;
  std::string symmetry_name(gnomon::Index) const { return "angular momentum"; }
  void symmetry_generator(gnomon::Index, const double* q, double* xi) const {
    xi[0] = -q[1];
    xi[1] = q[0];
  }
};

/// q = (r, phi, z), M = m diag(1, r^2, 1)
template <bool damped>
struct Cylindrical : gnomon::AutodiffModel<3, 1> {
  static constexpr bool constant_mass = false;
  static constexpr bool has_force = damped;
  static constexpr int n_symmetries = 1;
  Wave wave;

  explicit Cylindrical(const Wave& given) : wave(given) {}
  gnomon::ModelTraits describe() const { return wave.traits(); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    m[0] = m[8] = S(wave.bead);
    m[4] = wave.bead * q[0] * q[0];
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return wave.energy(q[0], q[2]);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    g[0] = q[2] - wave.height(t, q[0]);
  }
  template <class S>
  void force(const S&, const S* q, const S* v, S* f) const {
    f[0] = -wave.damping * v[0];
    f[1] = -wave.damping * q[0] * q[0] * v[1];
    f[2] = -wave.damping * v[2];
  }
  std::string symmetry_name(gnomon::Index) const { return "angular momentum"; }
  void symmetry_generator(gnomon::Index, const double*, double* xi) const { xi[1] = 1; }
};

template <template <bool> class Model>
std::shared_ptr<const gnomon::Model> made(const Wave& wave, const gnomon::Vector& q) {
  if (wave.damping != 0) return std::make_shared<gnomon::AutodiffSystem<Model<true>>>(Model<true>(wave), q);
  return std::make_shared<gnomon::AutodiffSystem<Model<false>>>(Model<false>(wave), q);
}

class WaveBead final : public gnomon::Problem {
 public:
  std::string name() const override { return "wave-bead"; }
  std::string description() const override {
    return "bead on a travelling circular wave, in Cartesian or cylindrical coordinates";
  }
  std::string equations() const override {
    return "q = (x, y, z) or (r, phi, z), z upwards, r^2 = x^2 + y^2\n"
           "M = mass I3, or mass diag(1, r^2, 1)\n"
           "U = mass gravity z + spring (r - rest)^2/2\n"
           "g = z - amplitude cos(wave-number r - frequency t)\n"
           "Q = -damping v in space\n"
           "start: at (radius, 0) on the wave, speed across the radius, none along it: the bead moves up as the wave "
           "does";
  }
  std::string source() const override {
    return "an addition, for constraints that depend on time and are not polynomial";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("coordinates", {"cartesian", "cylindrical"}, "constant mass, or M(q)"),
            OptionSpec::real("mass", 1, 1e-6, 1e6, "kg", "mass of the bead"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "along -z"),
            OptionSpec::real("spring", 20, 0, 1e9, "N/m", "holds the bead near the radius rest"),
            OptionSpec::real("rest", 1, 0, 1e3, "m", "radius at which the spring is at rest"),
            OptionSpec::real("amplitude", .1, -10, 10, "m", "of the wave"),
            OptionSpec::real("wave-number", 3, -1e3, 1e3, "rad/m", "of the wave"),
            OptionSpec::real("frequency", 4, -1e6, 1e6, "rad/s", "of the wave; 0: it stands still"),
            OptionSpec::real("damping", 0, 0, 1e6, "kg/s", "damper on the bead's velocity"),
            OptionSpec::real("radius", 1.2, 1e-3, 1e3, "m", "at the start"),
            OptionSpec::real("speed", 1, -1e3, 1e3, "m/s", "across the radius at the start")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Wave wave(parameters);
    const double r = parameters.real("radius"), speed = parameters.real("speed"), phase = wave.number * r;
    const double z = wave.amplitude * std::cos(phase), rise = wave.amplitude * wave.frequency * std::sin(phase);
    gnomon::ProblemInstance instance;
    instance.q0 = Eigen::Vector3d(r, 0, z);
    if (parameters.is("coordinates", "cartesian")) {
      instance.p0 = wave.bead * Eigen::Vector3d(0, speed, rise);
      instance.model = made<Cartesian>(wave, instance.q0);
    } else {
      instance.p0 = wave.bead * Eigen::Vector3d(0, r * speed, rise);
      instance.model = made<Cylindrical>(wave, instance.q0);
    }
    instance.curves = picture(wave, parameters.is("coordinates", "cylindrical"), 2 * std::max(r, wave.rest));
    return instance;
  }

 private:
  /// The bead, and the wave along the radius through it.
  static std::shared_ptr<const gnomon::CurveModel> picture(const Wave& wave, bool cylindrical, double reach) {
    using namespace gnomon::problems;
    const auto profile = [=](double t, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      const double angle = cylindrical ? q[1] : std::atan2(q[1], q[0]);
      const gnomon::Index n = points.cols();
      for (gnomon::Index k = 0; k < n; ++k) {
        const double r = reach * static_cast<double>(k) / static_cast<double>(n - 1);
        points.col(k) << r * std::cos(angle), r * std::sin(angle), wave.height(t, r);
      }
    };
    const auto bead = [=](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      points = q;
      if (cylindrical) points << q[0] * std::cos(q[1]), q[0] * std::sin(q[1]), q[2];
    };
    return polylines(in_space(), {{"wave", 49, profile}, {"bead", 1, bead}});
  }
};

}  // namespace

GNOMON_PLUGIN(wave_bead) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<WaveBead>()));
}
