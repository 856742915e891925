/// \file
/// Polymer: a free chain of beads with rigid bonds and Lennard-Jones forces between beads that are not neighbours.

#include <cmath>
#include <random>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/project_momenta.hpp"
#include "kernels/rod_network.hpp"

namespace {

using gnomon::ConstVectorRef;
using gnomon::Extended;
using gnomon::Index;
using gnomon::SparsityPattern;
using gnomon::Vector;
using gnomon::VectorRef;
using Network = gnomon::problems::RodNetwork<3>;

using ExtendedRef = gnomon::VectorRefOf<Extended>;
using Point = Eigen::Vector3d;
using Block3 = Eigen::Matrix3d;
using ExtendedPoint = Eigen::Matrix<Extended, 3, 1>;

constexpr Index first_neighbour = 3;  ///< forces act between beads this many bonds apart, and further

/// V(pi) = 4 epsilon (pi^-6 - pi^-3)
struct LennardJones {
  double epsilon;

  template <class Real>
  Real energy(Real pi) const {
    const Real s = 1 / (pi * pi * pi);
    return 4 * epsilon * (s * s - s);
  }
  /// {V, V', V'', V'''}
  template <class Real>
  std::array<Real, 4> derivatives(Real pi) const {
    const Real r = 1 / pi, s = r * r * r, e = 4 * epsilon;
    return {e * s * (s - 1), e * s * r * (3 - 6 * s), e * s * r * r * (42 * s - 12),
            e * s * r * r * r * (60 - 336 * s)};
  }
};

/// Beads a < b and where the blocks (a,a), (a,b), (b,a), (b,b) begin in row 0 of the block; row i of a block of bead a
/// lies i * stride_a further on. The pattern consists of full 3 x 3 blocks.
struct BeadPair {
  Index a = 0, b = 0;
  Index aa = 0, ab = 0, ba = 0, bb = 0, stride_a = 0, stride_b = 0;

  Point difference(const ConstVectorRef& q) const { return q.segment<3>(3 * a) - q.segment<3>(3 * b); }
  ExtendedPoint extended_difference(const ConstVectorRef& q, const ConstVectorRef& tail) const {
    const Point d = difference(tail);
    return (q.segment<3>(3 * a).cast<Extended>() - q.segment<3>(3 * b).cast<Extended>()) + d.cast<Extended>();
  }
  void add_force(const Point& force, VectorRef& out) const {
    out.segment<3>(3 * a) += force;
    out.segment<3>(3 * b) -= force;
  }
  /// values += [B -B; -B B]
  void add_block(const Block3& block, VectorRef& values) const {
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) {
        values[aa + i * stride_a + j] += block(i, j);
        values[ab + i * stride_a + j] -= block(i, j);
        values[ba + i * stride_b + j] -= block(i, j);
        values[bb + i * stride_b + j] += block(i, j);
      }
  }
  void place(const SparsityPattern& pattern) {
    const auto row_size = [&](Index i) { return pattern.offsets[i + 1] - pattern.offsets[i]; };
    aa = pattern.find(3 * a, 3 * a);
    ab = pattern.find(3 * a, 3 * b);
    ba = pattern.find(3 * b, 3 * a);
    bb = pattern.find(3 * b, 3 * b);
    stride_a = row_size(3 * a);
    stride_b = row_size(3 * b);
  }
};

/// n unit beads x_k = q(3k .. 3k+2); bonds between neighbours, without gravity. With d = x_a - x_b,
///
///     U = sum_pairs V(pi),   pi_ab = |d|^2,   V(pi) = 4 epsilon (pi^-6 - pi^-3)         (sigma = 1)
///     grad pi_ab: 2d in the columns of a, -2d in those of b;   Hess pi_ab = 2 [I -I; -I I]
///
/// so that U is split into quadratic invariants with U2 = 0. All momenta and angular momenta are conserved.
class Beads final : public Network, public gnomon::SplitPotential {
 public:
  Beads(const std::string& name, Index n_beads, double epsilon)
      : Network(name, Vector::Ones(n_beads), {}, rods(n_beads), 0), n_beads_(n_beads), potential_{epsilon} {
    traits_.potential_degree = gnomon::SystemTraits::not_polynomial;
    for (Index k = 0; k < n_beads; ++k)
      traits_.blocks[static_cast<std::size_t>(k)].name = "bead" + std::to_string(k + 1);
    for (Index k = 0; k + 1 < n_beads; ++k)
      traits_.constraint_names[static_cast<std::size_t>(k)] = "bond" + std::to_string(k + 1);
    build_patterns();
    if (!pairs_.empty()) parts_.split = this;
  }

  double potential(double, const ConstVectorRef& q) const override {
    double sum = 0;
    for (const BeadPair& pair : pairs_) sum += potential_.energy(pair.difference(q).squaredNorm());
    return sum;
  }
  long double potential_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef) const override {
    long double sum = 0;
    for (const BeadPair& pair : pairs_) sum += potential_.energy(pair.extended_difference(q, tail).squaredNorm());
    return sum;
  }
  /// That of the bonds is not the whole: the first-order form is taken.
  bool extended_gradient(double, const ConstVectorRef&, const ConstVectorRef&, ExtendedRef) const override {
    return false;
  }
  bool extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail, ExtendedRef pi) const override {
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      pi[static_cast<Index>(k)] = pairs_[k].extended_difference(q, tail).squaredNorm();
    return true;
  }
  bool extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                   ExtendedRef values) const override {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const ExtendedPoint d = pairs_[k].extended_difference(q, tail);
      const Index at = invariant_pattern_.offsets[k];
      values.segment<3>(at) = 2 * d;
      values.segment<3>(at + 3) = -2 * d;
    }
    return true;
  }
  std::array<Extended, 4> extended_invariant_potential(Index, Extended pi) const override {
    return potential_.derivatives(pi);
  }
  bool extended_regular_gradient(double, const ConstVectorRef&, const ConstVectorRef&, ExtendedRef out) const override {
    out.setZero();
    return true;
  }
  void potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override {
    out.setZero();
    for (const BeadPair& pair : pairs_) {
      const Point d = pair.difference(q);
      pair.add_force(2 * potential_.derivatives(d.squaredNorm())[1] * d, out);
    }
  }
  void potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const override {
    out.setZero();
    for (const BeadPair& pair : pairs_) {
      const Point d = pair.difference(q), e = pair.difference(w);
      const auto v = potential_.derivatives(d.squaredNorm());
      pair.add_force(2 * v[1] * e + 4 * v[2] * d.dot(e) * d, out);
    }
  }

  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }
  void lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    start_hessian(lambda, values);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const Point d = pairs_[k].difference(q);
      const auto v = potential_.derivatives(d.squaredNorm());
      pairs_[k].add_block(2 * v[1] * Block3::Identity() + 4 * v[2] * d * d.transpose(), values);
    }
  }

  Index n_symmetries() const override { return 6; }
  std::string symmetry_name(Index a) const override {
    return (a < 3 ? "momentum along e" : "angular momentum about e") + std::to_string(a % 3 + 1);
  }
  void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const override {
    if (a >= 3) return gnomon::problems::rotation_generator(static_cast<int>(a - 3), n_beads_, q.data(), out.data());
    out.setZero();
    for (Index j = a; j < n(); j += 3) out[j] = 1;
  }

  Index n_invariants() const override { return static_cast<Index>(pairs_.size()); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override {
    for (std::size_t k = 0; k < pairs_.size(); ++k) pi[static_cast<Index>(k)] = pairs_[k].difference(q).squaredNorm();
  }
  const SparsityPattern& invariant_pattern() const override { return invariant_pattern_; }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const Point d = pairs_[k].difference(q);
      const Index at = invariant_pattern_.offsets[k];
      values.segment<3>(at) = 2 * d;  // a < b
      values.segment<3>(at + 3) = -2 * d;
    }
  }
  std::array<double, 4> invariant_potential(Index, double pi) const override { return potential_.derivatives(pi); }
  void regular_potential_gradient(double, const ConstVectorRef&, VectorRef out) const override { out.setZero(); }
  void split_hessian(double, const ConstVectorRef&, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    start_hessian(lambda, values);
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      pairs_[k].add_block(2 * c[static_cast<Index>(k)] * Block3::Identity(), values);
  }

 private:
  static std::vector<Network::Rod> rods(Index n_beads) {
    std::vector<Network::Rod> bonds;
    for (Index k = 0; k + 1 < n_beads; ++k) bonds.push_back({k, k + 1, 1});
    return bonds;
  }

  /// values = sum_i lambda_i Hess g_i
  void start_hessian(const ConstVectorRef& lambda, VectorRef& values) const {
    values.setZero();
    for (std::size_t k = 0; k < bond_slots_.size(); ++k)
      bond_slots_[k].add_block(lambda[static_cast<Index>(k)] * Block3::Identity(), values);
  }

  void build_patterns() {
    for (Index a = 0; a < n_beads_; ++a)
      for (Index b = a + first_neighbour; b < n_beads_; ++b) pairs_.push_back({a, b});
    for (Index a = 0; a + 1 < n_beads_; ++a) bond_slots_.push_back({a, a + 1});

    gnomon::PatternBuilder hessian(n(), n()), jacobian(static_cast<Index>(pairs_.size()), n());
    for (Index k = 0; k < n_beads_; ++k)
      for (Index i = 0; i < 9; ++i) hessian.add(3 * k + i / 3, 3 * k + i % 3);
    for (const auto* list : {&pairs_, &bond_slots_})
      for (const BeadPair& pair : *list)
        for (Index i = 0; i < 9; ++i) {
          hessian.add(3 * pair.a + i / 3, 3 * pair.b + i % 3);
          hessian.add(3 * pair.b + i / 3, 3 * pair.a + i % 3);
        }
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      for (Index i = 0; i < 3; ++i) {
        jacobian.add(static_cast<Index>(k), 3 * pairs_[k].a + i);
        jacobian.add(static_cast<Index>(k), 3 * pairs_[k].b + i);
      }
    hessian_pattern_ = hessian.build();
    invariant_pattern_ = jacobian.build();
    for (auto* list : {&pairs_, &bond_slots_})
      for (BeadPair& pair : *list) pair.place(hessian_pattern_);
  }
  Index n_beads_;
  LennardJones potential_;
  SparsityPattern hessian_pattern_, invariant_pattern_;
  std::vector<BeadPair> pairs_, bond_slots_;
};

class Polymer final : public gnomon::Problem {
 public:
  std::string name() const override { return "polymer"; }
  std::string description() const override {
    return "free chain of N beads, rigid bonds, Lennard-Jones forces between beads three or more bonds apart";
  }
  std::string equations() const override {
    return "q = (x_1, ..., x_N), N = beads\n"
           "M = I (unit masses)\n"
           "U = sum over pairs three or more bonds apart of 4 epsilon (r^-12 - r^-6), r = |x_a - x_b|\n"
           "g_k = (|x_k - x_(k+1)|^2 - 1)/2\n"
           "start:\n"
           "  start=helix: x_k on a helix of pitch .4 and 1.7 rad a bond, centred\n"
           "  start=zigzag: x_k = (.8 k, .6 (k mod 2), 0), centred\n"
           "  momenta uniform in (-speed, speed), from the 64-bit Mersenne twister with the given seed, their mean "
           "taken away,\n"
           "  then projected onto G M^-1 p = 0 in the mass metric: total momentum zero, angular momentum not";
  }
  std::string source() const override {
    return "bead-rod model of molecular dynamics in reduced units; U split into quadratic invariants after Gonzalez, "
           "Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 (1996)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("start", {"helix", "zigzag"}, "shape at the start"),
            OptionSpec::integer("beads", 8, 4, 300, "number of beads"),
            OptionSpec::real("epsilon", 1, 1e-6, 1e6, "J", "depth of the Lennard-Jones potential"),
            OptionSpec::real("speed", 1, 0, 100, "m/s", "bound of the start velocities before the projection"),
            OptionSpec::integer("seed", 1, 0, 1000000000, "seed of the start velocities")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Index beads = parameters.integer("beads");
    gnomon::ProblemInstance instance;
    const auto polymer = std::make_shared<const Beads>(name(), beads, parameters.real("epsilon"));
    instance.model = polymer;
    instance.curves = polymer;
    instance.q0.resize(3 * beads);
    constexpr double pitch = .4, turn = 1.7;
    const double radius = std::sqrt(1 - pitch * pitch) / (2 * std::sin(turn / 2));  // bonds of length 1
    for (Index k = 0; k < beads; ++k) {
      const double s = static_cast<double>(k);
      if (parameters.is("start", "helix"))
        instance.q0.segment<3>(3 * k) << radius * std::cos(turn * s), radius * std::sin(turn * s), pitch * s;
      else
        instance.q0.segment<3>(3 * k) << .8 * s, k % 2 ? .6 : 0, 0;
    }
    Eigen::Map<gnomon::Matrix> positions(instance.q0.data(), 3, beads);
    positions.colwise() -= positions.rowwise().mean().eval();
    // The engine's raw bits: the standard's distributions differ between libraries.
    std::mt19937_64 engine(static_cast<std::uint64_t>(parameters.integer("seed")));
    instance.p0.resize(3 * beads);
    for (double& p : instance.p0)
      p = parameters.real("speed") * (std::ldexp(static_cast<double>(engine() >> 11), -52) - 1);
    Eigen::Map<gnomon::Matrix> momenta(instance.p0.data(), 3, beads);
    momenta.colwise() -= momenta.rowwise().mean().eval();
    gnomon::problems::project_momenta(*instance.model->mechanical(), instance.q0, instance.p0);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(polymer) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<Polymer>()));
}
