/// \file
/// Bricard's loop: six equal bars and six hinges in a closed spatial ring, which moves although counting says that it
/// cannot: 24 coordinates, 24 constraints, and one of these depends on the others in every position.
///
/// Source of the linkage: R. Bricard, Lecons de cinematique II, Gauthier-Villars (1927), the trihedral case: equal link
/// lengths, twist angles alternating between +90 and -90 degrees, no offsets. Its use as a benchmark of dynamics with
/// redundant constraints: M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, A benchmarking system for MBS simulation
/// software, Multibody Syst. Dyn. 16 (2006) 179-190, and the IFToMM library of multibody benchmarks ("Bricard
/// mechanism"), where bars have a mass along their length; here the mass sits in the hinges, which keeps M diagonal.
/// Natural coordinates (joints and unit vectors along their axes): J. Garcia de Jalon, E. Bayo, Kinematic and Dynamic
/// Simulation of Multibody Systems, Springer (1994), chapter 2.
///
/// Joint k is at r_k with the axis u_k; bar k joins r_k to r_(k+1), is of length l, and is at right angles to both
/// axes, which are at right angles to each other. At the start the six bars are edges of a cube, each joint's axis
/// along the third edge:
///
///     r = (0,0,0) (1,0,0) (1,1,0) (1,1,1) (0,1,1) (0,0,1) l,    u = e2 e3 e1 e2 e3 e1
///
/// The first bar and the axes of its hinges are fixed, which leaves r_3 .. r_6 and u_3 .. u_6.

#include <array>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"
#include "kernels/quadratic_system.hpp"

namespace {

using gnomon::Index;
using Quadratic = gnomon::problems::QuadraticSystem;

constexpr int joints = 6, fixed = 2;
constexpr std::array<std::array<double, 3>, joints> corner{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}}};
constexpr std::array<int, joints> axis{1, 2, 0, 1, 2, 0};

/// Collects constraints between vectors that are coordinates or fixed: vector v is r_v for v < joints, else
/// u_(v-joints).
class Loop {
 public:
  explicit Loop(double length) : length_(length) {}

  static bool is_fixed(int v) { return v % joints < fixed; }
  static Index coordinate(int v, int c) { return 3 * ((v % joints - fixed) * 2 + v / joints) + c; }
  double at_start(int v, int c) const {
    const auto k = static_cast<std::size_t>(v % joints), i = static_cast<std::size_t>(c);
    return v < joints ? length_ * corner[k][i] : (axis[k] == c ? 1 : 0);
  }

  void begin(const std::string& name, double constant) {
    names.push_back(name);
    constants.push_back(constant);
  }
  /// Adds factor a.b to the constraint begun last.
  void add(double factor, int a, int b) {
    const Index row = static_cast<Index>(names.size()) - 1;
    for (int c = 0; c < 3; ++c) {
      if (is_fixed(a) && is_fixed(b))
        constants.back() += factor * at_start(a, c) * at_start(b, c);
      else if (is_fixed(a))
        terms.push_back({row, coordinate(b, c), Quadratic::linear, factor * at_start(a, c)});
      else if (is_fixed(b))
        terms.push_back({row, coordinate(a, c), Quadratic::linear, factor * at_start(b, c)});
      else
        terms.push_back({row, coordinate(a, c), coordinate(b, c), factor});
    }
  }

  std::vector<std::string> names;
  std::vector<double> constants;
  std::vector<Quadratic::Term> terms;

 private:
  double length_;
};

class BricardLoop final : public gnomon::Problem {
 public:
  std::string name() const override { return "bricard-loop"; }
  std::string description() const override {
    return "closed ring of six bars and six hinges that moves with one constraint too many";
  }
  std::string equations() const override {
    return "q = (r_3, u_3, ..., r_6, u_6), joints and unit vectors along their axes; r_1 = 0, r_2 = length e1, u_1 = "
           "e2, "
           "u_2 = e3 are fixed, e3 upwards\n"
           "M = diag(mass I3, pin I3, ...): a mass in every joint, and two at the ends of its pin, mass r^2 = pin "
           "together\n"
           "U = gravity mass sum_k e3 . r_k\n"
           "bar k = 2 .. 6, d = r_(k+1) - r_k, r_7 = r_1, u_7 = u_1:\n"
           "  g = (d.d - length^2)/2, d.u_k, d.u_(k+1), u_k.u_(k+1);   axis k = 3 .. 6: (u_k.u_k - 1)/2\n"
           "start: the bars along the edges of a cube, at rest. 24 constraints of rank 23 for 24 coordinates";
  }
  std::string source() const override {
    return "Bricard, Lecons de cinematique II (1927), trihedral case; as a benchmark with redundant constraints: "
           "Gonzalez, Dopico, Lugris, Cuadrado, Multibody Syst. Dyn. 16 (2006), and the IFToMM library";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("length", 1, 1e-3, 1e3, "m", "length of a bar"),
            OptionSpec::real("mass", 1, 1e-3, 1e6, "kg", "mass in a joint"),
            OptionSpec::real("pin", .1, 1e-6, 1e6, "kg m^2", "moment of inertia of a pin"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e3")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const double length = parameters.real("length"), mass = parameters.real("mass"), pin = parameters.real("pin");
    Loop loop(length);
    for (int k = 1; k < joints; ++k) {
      const int from = k, to = (k + 1) % joints, u = joints + from, w = joints + to;
      const std::string bar = "bar" + std::to_string(k + 1);
      loop.begin(bar + ".length", -length * length / 2);
      loop.add(.5, from, from);
      loop.add(-1, from, to);
      loop.add(.5, to, to);
      for (const int a : {u, w}) {
        loop.begin(bar + ".axis" + std::to_string(a % joints + 1), 0);
        loop.add(1, to, a);
        loop.add(-1, from, a);
      }
      loop.begin(bar + ".twist", 0);
      loop.add(1, u, w);
    }
    for (int k = fixed; k < joints; ++k) {
      loop.begin("axis" + std::to_string(k + 1), -.5);
      loop.add(.5, joints + k, joints + k);
    }

    constexpr Index n = 6 * (joints - fixed);
    gnomon::Vector masses(n), weight = gnomon::Vector::Zero(n);
    gnomon::ProblemInstance instance;
    instance.dependent_constraints = true;
    instance.q0.resize(n);
    instance.p0 = gnomon::Vector::Zero(n);
    gnomon::SystemTraits traits;
    traits.name = name();
    traits.constraint_names = loop.names;
    for (int k = fixed; k < joints; ++k)
      for (const int v : {k, joints + k}) {
        const Index first = Loop::coordinate(v, 0);
        traits.blocks.push_back({(v < joints ? "joint" : "axis") + std::to_string(k + 1), first, 3});
        masses.segment<3>(first).setConstant(v < joints ? mass : pin);
        for (int c = 0; c < 3; ++c) instance.q0[first + c] = loop.at_start(v, c);
        if (v < joints) weight[first + 2] = mass * parameters.real("gravity");
      }
    instance.model = std::make_shared<Quadratic>(
        traits, masses, weight, loop.terms,
        Eigen::Map<const gnomon::Vector>(loop.constants.data(), static_cast<Index>(loop.constants.size())));
    instance.curves = picture(loop);
    return instance;
  }

 private:
  static std::shared_ptr<const gnomon::CurveModel> picture(const Loop& loop) {
    using namespace gnomon::problems;
    std::vector<PolylinePoint> ring;
    std::vector<Polyline> lines;
    for (int k = 0; k < joints; ++k) {
      if (Loop::is_fixed(k))
        ring.push_back(gnomon::problems::fixed(loop.at_start(k, 0), loop.at_start(k, 1), loop.at_start(k, 2)));
      else
        ring.push_back(at(Loop::coordinate(k, 0)));
      lines.push_back({"joint" + std::to_string(k + 1), {ring.back()}});
    }
    ring.push_back(ring.front());
    lines.insert(lines.begin(), {"bars", ring});
    return polylines(in_space(), std::move(lines));
  }
};

}  // namespace

GNOMON_PLUGIN(bricard_loop) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<BricardLoop>()));
}
