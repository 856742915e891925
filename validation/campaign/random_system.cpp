#include "campaign/random_system.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "gnomon/formula/dual.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/consistent_start.hpp"

namespace gnomon::campaign {

namespace {

constexpr double largest_condition = 1e3;
enum class Smoothness { quadratic, polynomial, any };

/// Points of one dimension, when the system has any.
struct Points {
  int dimension = 0;
  bool turning = false;  ///< all terms unchanged by rotations about the third axis
};

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t number) : random_(seed * 0x9E3779B97F4A7C15ULL + number) {}

  /// In [0, 1): the standard's distributions differ from library to library.
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  double decades(double low, double high) { return low * std::pow(high / low, unit()); }
  /// 0 .. count - 1
  Index below(Index count) { return std::min(count - 1, static_cast<Index>(unit() * static_cast<double>(count))); }
  bool chance(double probability) { return unit() < probability; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<Index>(choices.size())));
  }

  /// Of third coordinates where the system is turning.
  Combination combination(const Points& points, const Vector& q0) {
    Combination x;
    const Index stride = points.turning ? 3 : 1, n = q0.size() / stride;
    for (Index count = 1 + below(std::min<Index>(3, n)); count > 0; --count) {
      const Index i = stride * below(n) + stride - 1;
      if (std::find(x.indices.begin(), x.indices.end(), i) != x.indices.end()) continue;
      x.indices.push_back(i);
      x.weights.push_back(between(.3, 1) * (chance(.5) ? 1 : -1));
    }
    // Its value at the start is of size one.
    x.offset = x(q0.data()) - between(-1, 1);
    return x;
  }

 private:
  std::mt19937_64 random_;
};

Pair pair(Draw& draw, const Points& points, Index n) {
  Pair pair;
  pair.dimension = points.dimension;
  const Index count = n / points.dimension;
  const Index a = draw.below(count), b = draw.below(count);
  pair.a = a * points.dimension;
  if (b != a) {
    pair.b = b * points.dimension;
    return pair;
  }
  for (int i = 0; i < points.dimension; ++i) pair.anchor.push_back(points.turning && i < 2 ? 0.0 : draw.between(-1, 1));
  return pair;
}

PotentialTerm potential_term(Draw& draw, const Points& points, Smoothness smoothness, const Vector& q0) {
  using Kind = PotentialTerm::Kind;
  PotentialTerm term;
  term.k = draw.decades(.1, 100);
  if (points.turning || (points.dimension > 0 && draw.chance(.5))) {
    term.kind = smoothness == Smoothness::any          ? draw.one_of({Kind::spring, Kind::attraction, Kind::stretch})
                : smoothness == Smoothness::polynomial ? Kind::stretch
                                                       : Kind::linear;
    if (term.kind != Kind::linear) {
      term.pair = pair(draw, points, q0.size());
      term.x.offset = std::sqrt(term.pair.squared_distance(q0.data())) * draw.between(.5, 1.5);
      return term;
    }
    // Along the third axis only.
    term.kind = draw.one_of({Kind::linear, Kind::quadratic});
    const Index axis = points.turning ? 2 : points.dimension - 1;
    term.x.indices = {draw.below(q0.size() / points.dimension) * points.dimension + axis};
    term.x.weights = {1};
    return term;
  }
  switch (smoothness) {
    case Smoothness::quadratic:
      term.kind = draw.one_of({Kind::linear, Kind::quadratic});
      break;
    case Smoothness::polynomial:
      term.kind = draw.one_of({Kind::quadratic, Kind::quartic, Kind::well});
      break;
    case Smoothness::any:
      term.kind = draw.one_of({Kind::quadratic, Kind::cosine, Kind::morse, Kind::logarithm});
  }
  term.x = draw.combination(points, q0);
  return term;
}

ConstraintTerm constraint_term(Draw& draw, const Points& points, ConstraintTerm::Kind kind, const Vector& q0) {
  using Kind = ConstraintTerm::Kind;
  const Index n = q0.size();
  ConstraintTerm term;
  term.kind = kind;
  if (kind == Kind::distance) {
    term.pair = pair(draw, points, n);
  } else {
    term.x = draw.combination(points, q0);
    term.i = draw.below(n);
    term.j = draw.below(n);
    term.a = draw.between(.3, 1);
    term.b = draw.between(-1, 1);
  }
  term.constant = term(q0.data());
  return term;
}

InvariantTerm invariant_term(Draw& draw, const Points& points, const Vector& q0) {
  InvariantTerm term;
  term.of_pair = points.dimension > 0;
  term.logarithm = draw.chance(.5);
  term.k = draw.decades(.1, 100);
  if (term.of_pair)
    term.pair = pair(draw, points, q0.size());
  else
    term.a = draw.combination(points, q0), term.b = draw.chance(.5) ? term.a : draw.combination(points, q0);
  term.offset = term.pi(q0.data()) - draw.between(-1, 1);
  return term;
}

/// Dense Hess U + lambda . Hess g.
Matrix hessian(const System& system, double t, const Vector& q, const Vector& lambda) {
  const SparsityPattern& pattern = system.hessian_pattern();
  Vector values(pattern.nonzeros());
  system.lagrangian_hessian(t, q, lambda, values);
  return to_dense(pattern, values);
}

const char* name(ConstraintTerm::Kind kind) {
  switch (kind) {
    case ConstraintTerm::Kind::linear:
      return "linear";
    case ConstraintTerm::Kind::quadratic:
      return "quadratic";
    case ConstraintTerm::Kind::distance:
      return "distance";
    case ConstraintTerm::Kind::trigonometric:
    case ConstraintTerm::Kind::repeat:
      break;
  }
  return "trigonometric";
}

/// The system of the terms, with a start on the constraints beside the given one.
void make(RandomProblem& problem) {
  ProblemInstance& instance = problem.instance;
  const auto system =
      std::make_shared<AutodiffSystem<RandomModel>>(RandomModel(problem.terms, instance.q0), instance.q0);
  project_start(*system, 0, instance.q0, instance.p0);
  instance.model = system;
}

}  // namespace

Features features_of(std::uint64_t number) {
  std::uint64_t left = number % 50;
  for (unsigned i = 0; i < Features::count; ++i)
    for (unsigned j = i; j < Features::count; ++j)
      if (left-- == 0) return Features().add(Features::Feature(i)).add(Features::Feature(j));
  return {};
}

std::string Features::text() const {
  constexpr std::array<const char*, count> names{"invariants", "rest",    "force",   "friction", "time",
                                                 "mass",       "repeats", "contact", "curved"};
  std::string all;
  for (unsigned i = 0; i < count; ++i)
    if (has(Feature(i))) all += (all.empty() ? "" : ", ") + std::string(names[i]);
  return all.empty() ? "none" : all;
}

double shortest_period(const System& system, double t, const Vector& q, const Vector& v, Directions directions) {
  const Index n = system.n(), m = system.m();
  Vector a(n), lambda(m);
  acceleration(system, t, q, v, a, lambda);
  Matrix tangent = Matrix::Identity(n, n);
  if (m > 0 && directions == Directions::tangent) {
    Vector values(system.constraint_pattern().nonzeros());
    system.constraint_jacobian(t, q, values);
    const Eigen::FullPivHouseholderQR<Matrix> qr(to_dense(system.constraint_pattern(), values).transpose());
    tangent = Matrix(qr.matrixQ()).rightCols(n - m);
  }
  const Matrix K = tangent.transpose() * hessian(system, t, q, lambda) * tangent;
  Matrix M(n, n);
  if (system.parts().mass)
    system.parts().mass->mass_matrix(q, M);
  else
    M = system.mass().diagonal_entries().asDiagonal();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> modes(
      (K + K.transpose()) / 2, tangent.transpose() * M * tangent, Eigen::EigenvaluesOnly);
  const double omega = std::max(std::sqrt(modes.eigenvalues().cwiseAbs().maxCoeff()), v.lpNorm<Eigen::Infinity>());
  return omega > 1e-6 ? 2 * std::acos(-1.0) / omega : 1;
}

namespace {

/// What changes with time, with frequencies of the motion at the start.
void add_time(Draw& draw, RandomTerms& terms) {
  const bool g = !terms.constraints.empty() && draw.chance(.6), U = !g || draw.chance(.4);
  for (PotentialTerm& term : terms.potential)
    if (U) term.sway = draw.between(.1, .5);
  if (!g) return;
  ConstraintTerm& term = terms.constraints[static_cast<std::size_t>(draw.below(Index(terms.constraints.size())))];
  term.sway = draw.between(.02, .1) * (term.kind == ConstraintTerm::Kind::distance ? term.constant : 1);
}

void add_repeats(Draw& draw, const Points& points, const Vector& q, std::vector<ConstraintTerm>& constraints) {
  for (Index count = 1 + draw.below(2); count > 0; --count) {
    const auto m = static_cast<Index>(constraints.size());
    ConstraintTerm term;
    term.kind = ConstraintTerm::Kind::repeat;
    term.i = draw.below(m);
    term.j = draw.below(m);
    if (draw.chance(.5)) term.a = draw.between(-1, 1);
    if (draw.chance(.6)) term.x = draw.combination(points, q);
    constraints.push_back(term);
  }
}

/// Obstacles that the start moves towards, most of them so far away that it takes some hundredths of a period.
void add_obstacles(Draw& draw, const Points& points, const Vector& v, RandomProblem& problem) {
  using Kind = ConstraintTerm::Kind;
  const Vector& q = problem.instance.q0;
  problem.terms.restitution = draw.one_of({0., .5, 1.});
  std::vector<Dual<double, 1>> x(static_cast<std::size_t>(q.size()));
  for (Index j = 0; j < q.size(); ++j) {
    x[static_cast<std::size_t>(j)].value = q[j];
    x[static_cast<std::size_t>(j)].grad[0] = v[j];
  }
  for (Index count = 1 + draw.below(2); count > 0; --count) {
    const Kind kind = points.dimension > 0 ? Kind::distance : draw.one_of({Kind::linear, Kind::quadratic});
    ConstraintTerm term = constraint_term(draw, points, kind, q);
    const double rate = term(x.data()).grad[0];
    term.factor = rate > 0 ? -1 : 1;
    term.constant -= term.factor * std::max(std::abs(rate) * problem.period * draw.between(.02, .3), .001);
    problem.terms.obstacles.push_back(term);
  }
}

/// All features but those that have no scale of time; the periods are of the system without these.
void add_features(Draw& draw, const Features& features, const Points& points, RandomProblem& problem) {
  RandomTerms& terms = problem.terms;
  const System& system = *problem.instance.model->mechanical();
  const Vector& q = problem.instance.q0;
  const Index n = system.n();
  Vector v(n), a(n), lambda(system.m());
  system.velocity(q, problem.instance.p0, a, v);
  acceleration(system, 0, q, v, a, lambda);
  const double omega = 2 * std::acos(-1.0) / problem.period;
  terms.rate = omega * draw.between(.1, 1);
  if (features.has(Features::time)) add_time(draw, terms);
  if (features.has(Features::force)) {
    const bool damped = draw.chance(.6), driven = !damped || draw.chance(.4);
    terms.damping = (damped ? omega * draw.decades(.003, .1) : 0) * terms.mass;
    terms.drive = Vector::Zero(n);
    for (Index j = 0; driven && j < n; ++j)
      terms.drive[j] = terms.mass[j] * draw.between(-.3, .3) * std::max(omega * std::abs(v[j]), std::abs(a[j]));
  }
  if (features.has(Features::friction)) {
    terms.friction = omega * draw.decades(.003, .1) / (1 + lambda.lpNorm<1>()) * terms.mass;
    for (double& entry : terms.friction) entry *= draw.between(.7, 1.3);
  }
  if (features.has(Features::repeats)) add_repeats(draw, points, q, terms.constraints);
  if (features.has(Features::contact)) add_obstacles(draw, points, v, problem);
  make(problem);
}

/// Masses, U and g with the features that have no scale of time; returns the kind of U, and that of g.
std::string draw_terms(Draw& draw, const Features& features, const Points& points, const Vector& q, Index m,
                       RandomTerms& terms) {
  const Index n = q.size(), block = points.dimension > 0 ? points.dimension : 1;
  terms.turning = points.turning;
  terms.mass.resize(n);
  for (Index k = 0; k < n; k += block) terms.mass.segment(k, block).setConstant(draw.decades(1e-3, 1e3));
  // Where it varies within a point, rotations are no symmetry.
  if (points.dimension > 0 && !points.turning && draw.chance(.3))
    for (double& mass : terms.mass) mass = draw.decades(1e-3, 1e3);
  for (Index count = features.has(Features::mass) ? 1 + draw.below(3) : 0; count > 0; --count)
    terms.inertia.push_back({draw.between(.1, 1), draw.combination(points, q), draw.combination(points, q)});

  auto smoothness = draw.one_of({Smoothness::quadratic, Smoothness::polynomial, Smoothness::any});
  const bool rest = features.has(Features::rest);
  if (rest || features.has(Features::invariants)) {
    smoothness = rest ? draw.one_of({Smoothness::polynomial, Smoothness::any}) : Smoothness::quadratic;
    for (Index count = 1 + draw.below(3); count > 0; --count)
      terms.invariants.push_back(invariant_term(draw, points, q));
  }
  for (Index count = 1 + draw.below(n + 2); count > 0; --count)
    terms.potential.push_back(potential_term(draw, points, smoothness, q));

  using Kind = ConstraintTerm::Kind;
  const Kind kind = points.dimension > 0             ? Kind::distance
                    : features.has(Features::curved) ? Kind::trigonometric
                                                     : Kind::quadratic;
  for (Index r = 0; r < m; ++r)
    terms.constraints.push_back(
        constraint_term(draw, points, !points.turning && r > 0 && draw.chance(.2) ? Kind::linear : kind, q));
  return std::string(smoothness == Smoothness::quadratic    ? "quadratic"
                     : smoothness == Smoothness::polynomial ? "polynomial"
                                                            : "not polynomial") +
         ", g " + (m > 0 ? name(kind) : "none");
}

/// One draw; its period is 0 where it is of no use: dependent or nearly dependent constraints.
RandomProblem drawn(Draw& draw, const Features& features) {
  RandomProblem problem;
  RandomTerms& terms = problem.terms;
  const bool curved = features.has(Features::curved);
  Points points;
  if (!curved && draw.chance(.5)) points.dimension = draw.chance(.5) ? 3 : 2;
  points.turning = points.dimension == 3 && draw.chance(.5);
  const Index least = curved || features.has(Features::repeats) || features.has(Features::friction) ? 1 : 0;
  const Index n = points.dimension > 0 ? points.dimension * (1 + draw.below(12 / points.dimension))
                                       : 1 + least + draw.below(12 - least);
  const Index m = least == 0 && draw.chance(.1) ? 0 : least + draw.below(n - least);
  Vector q(n), v(n);
  for (double& x : q) x = draw.between(-1.5, 1.5);
  const std::string kinds = draw_terms(draw, features, points, q, m, terms);
  const double speed = draw.decades(.03, 3);
  for (double& x : v) x = speed * draw.between(-1, 1);

  const AutodiffSystem<RandomModel> system(RandomModel(terms, q), q);
  const ConstraintRank rank = constraint_rank(system, 0, q);
  problem.period = 0;
  if (rank.rank < m || (m > 0 && rank.condition > largest_condition)) return problem;
  problem.instance.q0 = q;
  problem.instance.p0 = momenta(system, q, v);
  make(problem);
  system.velocity(problem.instance.q0, problem.instance.p0, q, v);
  problem.period = shortest_period(system, 0, problem.instance.q0, v, Directions::tangent);
  if (features.bits != 0) add_features(draw, features, points, problem);

  char text[160];
  std::snprintf(text, sizeof text, "n %d, m %d, masses %.1e .. %.1e, U %s%s; %s", static_cast<int>(n),
                static_cast<int>(terms.constraints.size()), terms.mass.minCoeff(), terms.mass.maxCoeff(), kinds.c_str(),
                points.turning ? ", turning" : "", features.text().c_str());
  problem.text = text;
  return problem;
}

}  // namespace

namespace {

/// Strong friction that is not linear in the multipliers may leave none at the start (Painleve's paradox).
bool has_multipliers(const RandomProblem& problem) {
  if (!problem.instance.model->mechanical()->parts().friction) return true;
  State z;
  z.q.set(problem.instance.q0);
  z.p.set(problem.instance.p0);
  try {
    index1_multipliers(*problem.instance.model, z.view());
    return true;
  } catch (const CannotEvaluate&) {
    return false;
  }
}

}  // namespace

RandomProblem random_problem(std::uint64_t seed, std::uint64_t number, const Features& features) {
  Draw draw(seed, number);
  for (;;) {
    RandomProblem problem = drawn(draw, features);
    if (problem.period > 0 && has_multipliers(problem)) return problem;
  }
}

RandomProblem damped_problem(std::uint64_t seed, std::uint64_t number, const Features& features) {
  RandomProblem problem = random_problem(seed, number, features);
  Draw draw(seed, number ^ 0x5bd1e995u);
  RandomTerms& terms = problem.terms;
  const Index n = terms.mass.size();
  const double omega = 2 * std::acos(-1.0) / problem.period;
  terms.damping = omega * draw.decades(.1, .5) * terms.mass;
  terms.drive = Vector::Zero(n);
  for (Index j = 0; j < n; ++j) {
    PotentialTerm bowl;
    bowl.kind = PotentialTerm::Kind::quadratic;
    bowl.k = terms.mass[j] * omega * omega / 4;
    bowl.x.indices = {j};
    bowl.x.weights = {1};
    terms.potential.push_back(bowl);
  }
  make(problem);
  return problem;
}

}  // namespace gnomon::campaign
