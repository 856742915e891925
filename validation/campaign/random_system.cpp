#include "campaign/random_system.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gnomon/model/start_velocity.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon::campaign {

namespace {

constexpr double largest_condition = 1e3;
enum class Smoothness { quadratic, polynomial, any };

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

  Combination combination(Index n, const Vector& q0) {
    Combination x;
    for (Index count = 1 + below(std::min<Index>(3, n)); count > 0; --count) {
      const Index i = below(n);
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

/// Points of one dimension, when the system has any.
struct Points {
  int dimension = 0;
  bool turning = false;  ///< all terms unchanged by rotations about the third axis
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
  term.x = draw.combination(q0.size(), q0);
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
    term.x = draw.combination(n, q0);
    term.i = draw.below(n);
    term.j = draw.below(n);
    term.a = draw.between(.3, 1);
    term.b = draw.between(-1, 1);
  }
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
      break;
  }
  return "trigonometric";
}

template <class Model>
std::shared_ptr<const System> made(const RandomTerms& terms, const Vector& q, bool turning) {
  if (turning) return std::make_shared<AutodiffSystem<TurningModel<Model>>>(TurningModel<Model>(terms), q);
  return std::make_shared<AutodiffSystem<Model>>(Model(terms), q);
}

}  // namespace

double shortest_period(const System& system, const Vector& q, const Vector& v, Directions directions) {
  const Index n = system.n(), m = system.m();
  Vector a(n), lambda(m);
  acceleration(system, 0, q, v, a, lambda);
  Matrix tangent = Matrix::Identity(n, n);
  if (m > 0 && directions == Directions::tangent) {
    Vector values(system.constraint_pattern().nonzeros());
    system.constraint_jacobian(0, q, values);
    const Eigen::FullPivHouseholderQR<Matrix> qr(to_dense(system.constraint_pattern(), values).transpose());
    tangent = Matrix(qr.matrixQ()).rightCols(n - m);
  }
  const Matrix K = tangent.transpose() * hessian(system, 0, q, lambda) * tangent;
  Matrix Mx(n, tangent.cols());
  for (Index j = 0; j < tangent.cols(); ++j) {
    Vector column(n);
    system.mass().apply(tangent.col(j), column);
    Mx.col(j) = column;
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> modes((K + K.transpose()) / 2, tangent.transpose() * Mx,
                                                               Eigen::EigenvaluesOnly);
  const double omega = std::max(std::sqrt(modes.eigenvalues().cwiseAbs().maxCoeff()), v.lpNorm<Eigen::Infinity>());
  return omega > 1e-6 ? 2 * std::acos(-1.0) / omega : 1;
}

namespace {

/// One draw; its period is 0 where it is of no use: dependent or nearly dependent constraints.
RandomProblem drawn(Draw& draw) {
  RandomProblem problem;
  RandomTerms& terms = problem.terms;
  Points points;
  if (draw.chance(.5)) points.dimension = draw.chance(.5) ? 3 : 2;
  points.turning = points.dimension == 3 && draw.chance(.5);
  const Index n =
      points.dimension > 0 ? points.dimension * (1 + draw.below(12 / points.dimension)) : 1 + draw.below(12);
  const Index m = draw.chance(.1) ? 0 : draw.below(n);

  Vector q(n), v(n);
  for (double& x : q) x = draw.between(-1.5, 1.5);
  terms.mass.resize(n);
  const Index block = points.dimension > 0 ? points.dimension : 1;
  for (Index k = 0; k < n; k += block) terms.mass.segment(k, block).setConstant(draw.decades(1e-3, 1e3));
  // Where it varies within a point, rotations are no symmetry.
  if (points.dimension > 0 && !points.turning && draw.chance(.3))
    for (double& mass : terms.mass) mass = draw.decades(1e-3, 1e3);

  const auto smoothness = draw.one_of({Smoothness::quadratic, Smoothness::polynomial, Smoothness::any});
  for (Index count = 1 + draw.below(n + 2); count > 0; --count)
    terms.potential.push_back(potential_term(draw, points, smoothness, q));

  using Kind = ConstraintTerm::Kind;
  const Kind kind = points.dimension > 0 ? Kind::distance : draw.one_of({Kind::quadratic, Kind::trigonometric});
  for (Index r = 0; r < m; ++r) {
    const Kind own = !points.turning && draw.chance(.2) ? Kind::linear : kind;
    ConstraintTerm term = constraint_term(draw, points, own, q);
    term.constant = own == Kind::distance ? term.pair.squared_distance(q.data()) : terms.row(term, q.data());
    terms.constraints.push_back(term);
  }

  const double speed = draw.decades(.03, 3);
  for (double& x : v) x = speed * draw.between(-1, 1);
  char text[160];
  std::snprintf(text, sizeof text, "n %d, m %d, masses %.1e .. %.1e, U %s, g %s%s", static_cast<int>(n),
                static_cast<int>(m), terms.mass.minCoeff(), terms.mass.maxCoeff(),
                smoothness == Smoothness::quadratic    ? "quadratic"
                : smoothness == Smoothness::polynomial ? "polynomial"
                                                       : "not polynomial",
                m > 0 ? name(kind) : "none", points.turning ? ", turning" : "");
  problem.text = text;

  const std::shared_ptr<const System> system =
      m > 0 ? made<ConstrainedModel>(terms, q, points.turning) : made<FreeModel>(terms, q, points.turning);
  problem.instance.model = system;
  problem.instance.q0 = q;
  problem.instance.p0 = momenta(*system, q, v);
  const ConstraintRank rank = constraint_rank(*system, 0, q);
  if (rank.rank < m || (m > 0 && rank.condition > largest_condition)) {
    problem.period = 0;
    return problem;
  }
  project_start(*system, 0, problem.instance.q0, problem.instance.p0);
  problem.period =
      shortest_period(*system, problem.instance.q0, problem.instance.p0.cwiseQuotient(terms.mass), Directions::tangent);
  return problem;
}

}  // namespace

RandomProblem random_problem(std::uint64_t seed, std::uint64_t number) {
  Draw draw(seed, number);
  for (;;) {
    RandomProblem problem = drawn(draw);
    if (problem.period > 0) return problem;
  }
}

}  // namespace gnomon::campaign
