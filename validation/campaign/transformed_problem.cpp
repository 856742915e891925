#include "campaign/transformed_problem.hpp"

#include <algorithm>
#include <optional>

#include "formula/tape_sweeps.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon::campaign {

namespace {

using Which = TapedFunctions::Which;

/// The outputs of a tape at (t, x), x its blocks one after the other.
template <class S>
class Played {
 public:
  Played(const Tape& tape, const S& t, const std::vector<S>& x)
      : tape_(tape), nodes_(static_cast<std::size_t>(tape.nodes())) {
    nodes_[0] = t;
    std::copy(x.begin(), x.end(), nodes_.begin() + 1);
    forward(tape, nodes_.data());
  }
  const S& output(std::size_t i) const { return nodes_[static_cast<std::size_t>(tape_.outputs[i])]; }

 private:
  const Tape& tape_;
  std::vector<S> nodes_;
};

class TransformedAngles final : public ContinuousAngles {
 public:
  TransformedAngles(std::shared_ptr<const System> system, const Transformation& by)
      : system_(std::move(system)), by_(by) {}
  Index n_angles() const override { return inner().n_angles(); }
  std::string angle_name(Index i) const override { return inner().angle_name(i); }
  void angles(double t, const ConstVectorRef& q, VectorRef out) const override {
    inner().angles(by_.time * t, Vector(by_.s * q), out);
  }

 private:
  const ContinuousAngles& inner() const { return *system_->parts().angles; }
  std::shared_ptr<const System> system_;
  Transformation by_;
};

/// The parts that both kinds of models have, as in a model file: one with friction R(q,v,lambda), one with Coulomb
/// friction.
struct TransformedParts : AutodiffModel<Dynamic, Dynamic> {
  std::shared_ptr<const System> system;
  Transformation by;
  std::optional<Tape> tapes[TapedFunctions::count];
  std::vector<Tape> potentials;
  Mass start_mass;

  TransformedParts(std::shared_ptr<const System> given, const Transformation& transformation, Mass mass)
      : AutodiffModel(given->n(), given->m() - given->parts().n_velocity_constraints()),
        system(std::move(given)),
        by(transformation),
        start_mass(std::move(mass)) {
    const TapedFunctions* all = system->parts().tapes;
    if (!all) throw Error(ErrorCode::refused, "system " + system->name() + " has no tapes of its functions");
    for (int k = 0; k < TapedFunctions::count; ++k) tapes[k] = all->tape(static_cast<Which>(k));
    for (Index k = 0; k < system->parts().n_invariants(); ++k) potentials.push_back(all->invariant_potential_tape(k));
  }

  const std::optional<Tape>& tape(Which which) const { return tapes[static_cast<int>(which)]; }

  ModelTraits describe() const {
    ModelTraits traits;
    const SystemTraits& own = system->traits();
    const Parts& parts = system->parts();
    traits.name = own.name;
    traits.restitutions = own.restitutions;
    traits.blocks = named_coordinates();
    if (parts.coulomb) {
      traits.friction_coefficients = parts.coulomb->friction_coefficients();
      traits.slips_in_space = parts.coulomb->slips_in_space();
    }
    if (parts.obstacles) traits.obstacle_names = parts.obstacles->obstacle_names();
    if (parts.angles) traits.angles = std::make_shared<TransformedAngles>(system, by);
    traits.absent.constraints = multipliers() == 0;
    traits.absent.force = !tape(Which::force);
    traits.absent.friction = !tape(Which::friction);
    traits.absent.mass_matrix = !tape(Which::mass_matrix);
    return traits;
  }
  const Mass& mass() const { return start_mass; }
  /// Each coordinate has the name of the first one that it moves: that of a point and body of the given system.
  std::vector<Block> named_coordinates() const {
    std::vector<Block> names;
    for (const Block& block : system->traits().blocks)
      for (Index i = block.offset; i < block.offset + block.size; ++i)
        for (Index j = 0; j < system->n(); ++j)
          if (by.s.col(j).head(i).isZero(0) && by.s(i, j) != 0) names.push_back({block.name, j, 1});
    return names;
  }

  /// S x for a block x of coordinates, times a factor.
  template <class S>
  void append(const S* x, double factor, std::vector<S>& out) const {
    const Index n = system->n();
    for (Index i = 0; i < n; ++i) {
      S sum(0.0);
      for (Index j = 0; j < n; ++j)
        if (by.s(i, j) != 0) sum = S(sum + x[j] * S(factor * by.s(i, j)));
      out.push_back(sum);
    }
  }
  /// The multipliers of g and of obstacles.
  template <class S>
  void append_multipliers(const S* lambda, std::vector<S>& out) const {
    std::vector<S> all(static_cast<std::size_t>(system->m()));
    for (Index i = 0; i < system->m(); ++i)
      all[static_cast<std::size_t>(by.rows[static_cast<std::size_t>(i)])] = S(lambda[i] * S(by.energy * by.factors[i]));
    for (Index k = 0; k < system->parts().n_obstacles(); ++k)
      all.push_back(S(lambda[system->m() + k] * S(by.energy * by.contact_factor)));
    out.insert(out.end(), all.begin(), all.end());
  }
  /// out = S^T x/energy
  template <class S>
  void put_force(const Played<S>& x, S* out) const {
    for (Index j = 0; j < system->n(); ++j)
      for (Index i = 0; i < system->n(); ++i)
        if (by.s(i, j) != 0) out[j] = S(out[j] + x.output(static_cast<std::size_t>(i)) * S(by.s(i, j) / by.energy));
  }
  template <class S>
  Played<S> at_position(Which which, const S& t, const S* q) const {
    std::vector<S> x;
    append(q, 1, x);
    return Played<S>(*tape(which), S(t * S(by.time)), x);
  }

  template <class S>
  void mass_matrix(const S* q, S* out) const {
    if (!tape(Which::mass_matrix)) return;
    const Index n = system->n();
    const Played<S> m = at_position<S>(Which::mass_matrix, S(0.0), q);
    const double unit = 1 / (by.energy * by.time * by.time);
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b) {
        S sum(0.0);
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j)
            if (by.s(i, a) != 0 && by.s(j, b) != 0)
              sum = S(sum + m.output(static_cast<std::size_t>(i * n + j)) * S(by.s(i, a) * by.s(j, b) * unit));
        out[a * n + b] = sum;
      }
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    return S(at_position<S>(Which::potential, t, q).output(0) * S(1 / by.energy));
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    if (potentials.empty()) return;
    const Played<S> values = at_position<S>(Which::invariants, S(0.0), q);
    for (std::size_t k = 0; k < potentials.size(); ++k) pi[k] = values.output(k);
  }
  template <class S>
  S invariant_potential(int k, const S& pi) const {
    return S(Played<S>(potentials[static_cast<std::size_t>(k)], S(0.0), {pi}).output(0) * S(1 / by.energy));
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    if (multipliers() == 0) return;
    const Played<S> values = at_position<S>(Which::constraints, t, q);
    for (Index i = 0; i < multipliers(); ++i)
      g[i] = S(values.output(static_cast<std::size_t>(by.rows[static_cast<std::size_t>(i)])) * S(by.factors[i]));
  }
  template <class S>
  void velocity_constraints(const S& t, const S* q, const S* v, S* psi) const {
    if (!tape(Which::velocity_constraints)) return;
    std::vector<S> x;
    append(q, 1, x);
    append(v, 1 / by.time, x);
    const Played<S> values(*tape(Which::velocity_constraints), S(t * S(by.time)), x);
    for (Index i = multipliers(); i < system->m(); ++i)
      psi[i - multipliers()] =
          S(values.output(static_cast<std::size_t>(by.rows[static_cast<std::size_t>(i)] - multipliers())) *
            S(by.factors[i] * by.time));
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    put_contact(Which::obstacles, q, c);
  }
  template <class S>
  void put_contact(Which which, const S* q, S* out) const {
    if (!tape(which)) return;
    const Played<S> values = at_position<S>(which, S(0.0), q);
    for (Index k = 0; k < system->parts().n_obstacles(); ++k)
      out[k] = S(values.output(static_cast<std::size_t>(k)) * S(by.contact_factor));
  }
  template <class S>
  void force(const S& t, const S* q, const S* v, S* f) const {
    if (!tape(Which::force)) return;
    std::vector<S> x;
    append(q, 1, x);
    append(v, 1 / by.time, x);
    put_force(Played<S>(*tape(Which::force), S(t * S(by.time)), x), f);
  }
};

struct TransformedModel : TransformedParts {
  using TransformedParts::TransformedParts;
  template <class S>
  void friction(const S* q, const S* v, const S* lambda, S* f) const {
    if (!tape(Which::friction)) return;
    std::vector<S> x;
    append(q, 1, x);
    append(v, 1 / by.time, x);
    append_multipliers(lambda, x);
    put_force(Played<S>(*tape(Which::friction), S(0.0), x), f);
  }
};

struct TransformedSlippingModel : TransformedParts {
  using TransformedParts::TransformedParts;
  template <class S>
  void slips(const S* q, S* d) const {
    put_contact(Which::slips, q, d);
  }
  /// A slip is a length, as a gap: its rate has the factor of both.
  template <class S>
  void slip_velocities(const S* q, const S* v, S* u) const {
    if (!tape(Which::slip_velocities)) return;
    std::vector<S> x;
    append(q, 1, x);
    append(v, 1 / by.time, x);
    const Played<S> values(*tape(Which::slip_velocities), S(0.0), x);
    for (std::size_t i = 0; i < 2 * system->parts().coulomb->slips_in_space().size(); ++i)
      u[i] = S(values.output(i) * S(by.contact_factor * by.time));
  }
};

/// S^T M S/(energy time^2); of M(q), that at the start.
Mass transformed_mass(const System& system, const Transformation& by, const Vector& q0) {
  const Index n = system.n();
  Matrix m(n, n);
  if (system.parts().mass)
    system.parts().mass->mass_matrix(q0, m);
  else
    for (Index j = 0; j < n; ++j) system.mass().apply(Vector::Unit(n, j), m.col(j));
  m = (by.s.transpose() * m * by.s / (by.energy * by.time * by.time)).eval();
  if (Matrix(m - Matrix(m.diagonal().asDiagonal())).cwiseAbs().maxCoeff() <= 1e-15 * m.cwiseAbs().maxCoeff())
    return Mass::diagonal(m.diagonal());
  return Mass::dense(m);
}

}  // namespace

Transformation::Transformation(Index n, Index m)
    : s(Matrix::Identity(n, n)), inverse(s), rows(static_cast<std::size_t>(m)), factors(Vector::Ones(m)) {
  for (Index i = 0; i < m; ++i) rows[static_cast<std::size_t>(i)] = i;
}

ProblemInstance transformed(const ProblemInstance& instance, const Transformation& by) {
  const std::shared_ptr<const System> system = shared_system(instance.model);
  Vector v(system->n()), scratch(system->n());
  system->velocity(instance.q0, instance.p0, scratch, v);
  ProblemInstance out;
  out.t0 = instance.t0 / by.time;
  out.q0 = by.inverse * instance.q0;
  out.turns = instance.turns;
  const Mass mass = transformed_mass(*system, by, instance.q0);
  std::shared_ptr<const System> made;
  if (system->parts().coulomb)
    made =
        std::make_shared<AutodiffSystem<TransformedSlippingModel>>(TransformedSlippingModel(system, by, mass), out.q0);
  else
    made = std::make_shared<AutodiffSystem<TransformedModel>>(TransformedModel(system, by, mass), out.q0);
  out.model = made;
  out.p0 = momenta(*made, out.q0, by.time * (by.inverse * v));
  return out;
}

}  // namespace gnomon::campaign
