/// \file
/// Three tethered satellites: Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (71)-(74).

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"
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
           "  start=later: the state reached from z0 = 20 at t = 0.7, where lambda' = (3.4e-5, -6.8e-5, -6.8e-5), a "
           "thousandth of lambda a second: so far out the body's field is nearly uniform\n"
           "  start=close: the state reached from z0 = 2 at t = 0.7, where lambda' = (-0.13, 0.14, 0.14), a third of "
           "lambda a second";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic "
           "constraints, ASC Report 3/2018, (71)-(74); the later and the close start are additions: at the "
           "paper's, lambda' = 0 hides the order of the multipliers";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("start", {"paper", "later", "close"},
                               "the paper's start, or the state 0.7 s later, from z0 = 20 or z0 = 2"),
            OptionSpec::real("z0", 20, 1.5, 1e3, "m", "distance of the upper tether, start=paper only")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(Model());
    using namespace gnomon::problems;
    instance.curves = polylines(in_space(""), {{"tethers", {at(0), at(3), at(6), at(0)}},
                                               {"satellite1", {at(0)}},
                                               {"satellite2", {at(3)}},
                                               {"satellite3", {at(6)}},
                                               {"heavy body", {fixed(0, 0, 0)}}});
    instance.q0.resize(9);
    instance.p0.resize(9);
    if (parameters.is("start", "paper")) {
      const double z0 = parameters.real("z0"), z3 = z0 - std::sqrt(.75);
      const double v0 = std::sqrt(2 * (2 / std::sqrt(.25 + z0 * z0) + 1 / z3));
      instance.q0 << 0, .5, z0, 0, -.5, z0, 0, 0, z3;
      instance.p0 << 0, 0, 0, 0, 0, 0, v0, 0, 0;
    } else {
      gnomon::problems::refuse_unused(parameters, name(), "z0", "start=paper");
      // The state at t = 0.7 from start=paper with z0 = 20 (later) or z0 = 2 (close): index-1 accelerations,
      // extrapolated midpoint rule of order 28 in 50 digits, two step sizes that agree to 30. The cases
      // reference/reaches-start/... reach the same states with IDA and CVODE. The motion is symmetric about the plane y
      // = 0.
      struct Plane {
        double x1, z1, x3, z3, px1, pz1, px3, pz3;
      };
      const Plane s =
          parameters.is("start", "later")
              ? Plane{.00422838938690670720863609496, 19.9711325133016375900607488, .377786304063362055506175633,
                      19.1898166460734223240561859,   .017999938863868073395664228, -.0811318273167094052561433857,
                      .515763181257906999220752841,   .156855658450037191865476108}
              : Plane{.147919023475204717272336502, 1.64675923830061812120235265, 1.01120048169986897775309069,
                      1.57787437867604419369530162, .55049739353343692340955581,  -.829542514976605870638807391,
                      .693223953687965998929686864, .959140711629508178300812119};
      instance.q0 << s.x1, .5, s.z1, s.x1, -.5, s.z1, s.x3, 0, s.z3;
      instance.p0 << s.px1, 0, s.pz1, s.px1, 0, s.pz1, s.px3, 0, s.pz3;
    }
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(tethered_satellites) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<TetheredSatellites>()));
}
