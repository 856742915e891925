/// \file
/// Three tethered satellites: Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (71)-(74).

#include <cmath>

#include "gnomon/autodiff_system.hpp"
#include "gnomon/plugin.hpp"
#include "kernels/rotation.hpp"
#include "kernels/unused_parameter.hpp"

namespace {

/// M = I9, U = -sum_i 1/|q_i|, written as V(pi_i) = -pi_i^(-1/2) with pi_i = |q_i|^2;
/// g = (|q1 - q2|^2 - 1, |q2 - q3|^2 - 1, |q3 - q1|^2 - 1), not halved, as in the paper.
struct Model : gnomon::AutodiffModel<9, 3> {
  static constexpr int n_invariants = 3;
  static constexpr int n_symmetries = 3;

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = "tethered-satellites";
    traits.constraint_degree = 2;
    traits.blocks = {{"satellite1", 0, 3}, {"satellite2", 3, 3}, {"satellite3", 6, 3}};
    traits.constraint_names = {"tether12", "tether23", "tether31"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Ones(9)); }
  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    for (int i = 0; i < 3; ++i, q += 3) pi[i] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  }
  template <class S>
  S invariant_potential(int, const S& pi) const {
    using std::sqrt;
    return -1.0 / sqrt(pi);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    for (int i = 0; i < 3; ++i) {
      const S *a = q + 3 * i, *b = q + 3 * ((i + 1) % 3);
      const S dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
      g[i] = dx * dx + dy * dy + dz * dz - 1.0;
    }
  }
  std::string symmetry_name(gnomon::Index a) const { return "angular momentum about e" + std::to_string(a + 1); }
  void symmetry_generator(gnomon::Index a, const double* q, double* xi) const {
    gnomon::problems::rotation_generator(static_cast<int>(a), 3, q, xi);
  }
};

class TetheredSatellites final : public gnomon::Problem {
 public:
  std::string name() const override { return "tethered-satellites"; }
  std::string description() const override {
    return "three point masses on a closed triangle of tethers around a heavy body";
  }
  std::string equations() const override {
    return "q = (q1, q2, q3), the heavy body in the origin\n"
           "M = I9\n"
           "U = -1/|q1| - 1/|q2| - 1/|q3|\n"
           "g = (|q1 - q2|^2 - 1, |q2 - q3|^2 - 1, |q3 - q1|^2 - 1)\n"
           "start:\n"
           "  start=paper: q1 = (0, 1/2, z0), q2 = (0, -1/2, z0), q3 = (0, 0, z0 - sqrt(3)/2), p1 = p2 = 0, "
           "p3 = (v0, 0, 0), v0 such that H = 0; there lambda' = 0\n"
           "  start=later: the state reached from z0 = 20 at t = 0.7, where lambda' is not 0";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic "
           "constraints, ASC Report 3/2018, (71)-(74); the later start is an addition: at the paper's, lambda' = 0 "
           "hides the order of the multipliers";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("start", {"paper", "later"}, "the paper's start, or the state 0.7 s later"),
            OptionSpec::real("z0", 20, 1.5, 1e3, "m", "distance of the upper tether, start=paper only")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    gnomon::ProblemInstance instance;
    instance.system = std::make_shared<gnomon::AutodiffSystem<Model>>(Model());
    instance.q0.resize(9);
    instance.p0.resize(9);
    if (parameters.is("start", "paper")) {
      const double z0 = parameters.real("z0"), z3 = z0 - std::sqrt(.75);
      const double v0 = std::sqrt(2 * (2 / std::sqrt(.25 + z0 * z0) + 1 / z3));
      instance.q0 << 0, .5, z0, 0, -.5, z0, 0, 0, z3;
      instance.p0 << 0, 0, 0, 0, 0, 0, v0, 0, 0;
    } else {
      gnomon::problems::refuse_unused(parameters, name(), "z0", "start=paper");
      // Integrated from the paper's start with 25 digits, in extended precision. The motion is symmetric about the
      // plane y = 0: what the integration left in those entries (1e-31) is zero.
      const double x1 = .0042283893869067072086360950, z1 = 19.971132513301637590060749;
      const double px1 = .017999938863868073395664228, pz1 = -.081131827316709405256143386;
      instance.q0 << x1, .5, z1, x1, -.5, z1, .37778630406336205550617563, 0, 19.189816646073422324056186;
      instance.p0 << px1, 0, pz1, px1, 0, pz1, .51576318125790699922075284, 0, .15685565845003719186547611;
    }
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(tethered_satellites) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<TetheredSatellites>()));
}
