/// \file
/// The N-four-bar linkage: N + 1 parallel cranks joined by N couplers, N parallelograms in a row with one degree of
/// freedom. Where the cranks are horizontal all bars lie on one line, G loses rank by N, and N further motions branch
/// off, in which single parallelograms fold.
///
/// Source of the linkage as a benchmark: M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, A benchmarking system for MBS
/// simulation software, Multibody Syst. Dyn. 16 (2006) 179-190; IFToMM library of multibody benchmarks, A02.
///
/// Crank i turns about (i l, 0), its tip is r_i; coupler i joins r_(i-1) to r_i. Uniform bars of length l and mass m:
/// one with the ends a, b has T = m/6 (a'.a' + a'.b' + b'.b') and its weight at (a + b)/2. In the angle phi of all
/// cranks
///
///     ((N+1)/3 + N) phi'' = -(gravity/l) ((N+1)/2 + N) cos phi,
///
/// which is a mathematical pendulum in theta = phi + pi/2.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/pendulum_motion.hpp"
#include "kernels/polylines.hpp"

namespace {

using gnomon::Index;
using gnomon::Vector;

class NFourBarModel : public gnomon::AutodiffModel<gnomon::Dynamic, gnomon::Dynamic> {
 public:
  NFourBarModel(std::string name, Index loops, double mass, double length, double gravity)
      : AutodiffModel(2 * (loops + 1), 2 * loops + 1),
        name_(std::move(name)),
        loops_(loops),
        mass_(mass),
        length_(length),
        gravity_(gravity) {}

  gnomon::Mass mass() const {
    std::vector<std::pair<Index, Index>> places;
    for (Index i = 0; i <= loops_; ++i)
      for (Index j = std::max<Index>(i - 1, 0); j <= std::min(i + 1, loops_); ++j)
        for (int c = 0; c < 2; ++c) places.emplace_back(at(i, c), at(j, c));
    const auto pattern = gnomon::SparsityPattern::from_entries(coordinates(), coordinates(), places);
    Vector values(pattern.nonzeros());
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        values[k] = pattern.indices[k] == i ? mass_ * (i / 2 == 0 || i / 2 == loops_ ? 2 : 3) / 3 : mass_ / 6;
    return gnomon::Mass::sparse(pattern, values);
  }
  template <class S>
  S potential(const S* q) const {
    S height(0.0);
    for (Index i = 0; i <= loops_; ++i) height += q[at(i, 1)] * (i == 0 || i == loops_ ? 1.0 : 1.5);
    return height * (mass_ * gravity_);
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    const S l2(length_ * length_);
    for (Index i = 0; i <= loops_; ++i) {
      const S x = q[at(i, 0)] - length_ * static_cast<double>(i), y = q[at(i, 1)];
      g[i] = (x * x + y * y - l2) * 0.5;
    }
    for (Index i = 1; i <= loops_; ++i) {
      const S x = q[at(i, 0)] - q[at(i - 1, 0)], y = q[at(i, 1)] - q[at(i - 1, 1)];
      g[loops_ + i] = (x * x + y * y - l2) * 0.5;
    }
  }
  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = name_;
    for (Index i = 0; i <= loops_; ++i) {
      traits.blocks.push_back({"tip" + std::to_string(i), at(i, 0), 2});
      traits.constraint_names.push_back("crank" + std::to_string(i));
    }
    for (Index i = 1; i <= loops_; ++i) traits.constraint_names.push_back("coupler" + std::to_string(i));
    return traits;
  }

 private:
  static Index at(Index tip, int c) { return 2 * tip + c; }

  std::string name_;
  Index loops_;
  double mass_, length_, gravity_;
};

class NFourBar final : public gnomon::Problem {
 public:
  std::string name() const override { return "n-four-bar"; }
  std::string description() const override {
    return "row of N parallelograms that passes positions where G loses rank, closed form known";
  }
  std::string equations() const override {
    return "q = (r_0, ..., r_N), the tips of N + 1 cranks on the pivots (i length, 0), y upwards\n"
           "M: uniform bars, a bar with the ends a, b has T = mass/6 (a'.a' + a'.b' + b'.b')\n"
           "U = gravity mass (y_0 + y_N + 3/2 (y_1 + ... + y_(N-1)))\n"
           "g = (|r_i - pivot_i|^2 - length^2)/2, then (|r_i - r_(i-1)|^2 - length^2)/2\n"
           "start: cranks upright, tips moving at (speed, 0); where they are horizontal G has rank N + 1, not 2N + 1\n"
           "exact: one angle phi for all cranks, ((N+1)/3 + N) phi'' = -(gravity/length) ((N+1)/2 + N) cos phi";
  }
  std::string source() const override {
    return "IFToMM library of multibody benchmarks, A02; Gonzalez, Dopico, Lugris, Cuadrado, Multibody Syst. Dyn. 16 "
           "(2006)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::integer("loops", 2, 1, 100000, "number N of parallelograms"),
            OptionSpec::real("mass", 1, 1e-6, 1e6, "kg", "mass of a bar"),
            OptionSpec::real("length", 1, 1e-6, 1e6, "m", "length of a bar"),
            OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, downwards"),
            OptionSpec::real("speed", 1, -1e6, 1e6, "m/s", "start speed of the tips, to the right")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Index loops = parameters.integer("loops");
    const double length = parameters.real("length"), gravity = parameters.real("gravity");
    const double cranks = static_cast<double>(loops + 1), couplers = static_cast<double>(loops);
    // From theta = pi, where the cranks stand, with phi' = -speed/length.
    const gnomon::problems::PendulumMotion motion(std::acos(-1.0), -parameters.real("speed") / length,
                                                  gravity * (cranks / 2 + couplers), length * (cranks / 3 + couplers));
    const auto system = std::make_shared<gnomon::AutodiffSystem<NFourBarModel>>(
        NFourBarModel(name(), loops, parameters.real("mass"), length, gravity));
    gnomon::ProblemInstance instance;
    instance.model = system;
    instance.exact = [=](double t, Vector& q, Vector& p) {
      const gnomon::problems::PendulumMotion::Point at = motion.at(t);  // cos phi = sin theta, sin phi = -cos theta
      q.resize(2 * (loops + 1));
      Vector v(q.size());
      for (Index i = 0; i <= loops; ++i) {
        q.segment<2>(2 * i) << length * (static_cast<double>(i) + at.sine), -length * at.cosine;
        v.segment<2>(2 * i) << length * at.rate * at.cosine, length * at.rate * at.sine;
      }
      p.resize(q.size());
      system->mass().apply(v, p);
    };
    instance.exact(0, instance.q0, instance.p0);
    instance.curves = picture(loops, length);
    return instance;
  }

 private:
  /// Cranks and couplers as one line, the tips as dots where there are few.
  static std::shared_ptr<const gnomon::CurveModel> picture(Index loops, double length) {
    using namespace gnomon::problems;
    constexpr Index most_dots = 20;
    std::vector<PolylinePoint> line{fixed(0, 0), at(0)};
    std::vector<Polyline> dots;
    for (Index i = 1; i <= loops; ++i) {
      const PolylinePoint pivot = fixed(length * static_cast<double>(i), 0);
      line.insert(line.end(), {at(2 * i), pivot, at(2 * i)});
    }
    for (Index i = 0; i <= loops && loops < most_dots; ++i) {
      dots.push_back({"tip" + std::to_string(i), {at(2 * i)}});
      dots.push_back({"pivot" + std::to_string(i), {fixed(length * static_cast<double>(i), 0)}});
    }
    dots.insert(dots.begin(), {"linkage", std::move(line)});
    return polylines(in_plane(), std::move(dots));
  }
};

}  // namespace

GNOMON_PLUGIN(n_four_bar) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<NFourBar>()));
}
