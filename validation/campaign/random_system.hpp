#pragma once
/// \file
/// Mechanical systems drawn at random, with a consistent start: U and g of every kind, and of all else that a model may
/// have each thing alone and every two of them together.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"

namespace gnomon::campaign {

/// sum_i weights_i q_(indices_i) - offset
struct Combination {
  std::vector<Index> indices;
  std::vector<double> weights;
  double offset = 0;

  template <class S>
  S operator()(const S* q) const {
    S sum = S(-offset);
    for (std::size_t i = 0; i < indices.size(); ++i) sum += weights[i] * q[indices[i]];
    return sum;
  }
};

/// Two points of D coordinates each, q(a), ..., q(a+D-1); b < 0: the second one is fixed at `anchor`.
struct Pair {
  Index a = 0, b = -1;
  int dimension = 3;
  std::vector<double> anchor;

  /// |x_a - x_b|^2
  template <class S>
  S squared_distance(const S* q) const {
    S sum = S(0.0);
    for (int i = 0; i < dimension; ++i) {
      const S d = b < 0 ? q[a + i] - anchor[static_cast<std::size_t>(i)] : q[a + i] - q[b + i];
      sum += d * d;
    }
    return sum;
  }
};

/// What a system may have beside U, a diagonal mass and constraints at most quadratic.
struct Features {
  enum Feature : unsigned {
    invariants,  ///< U2 at most quadratic, and V_k(pi_k) with quadratic pi_k
    rest,        ///< the same with U2 of higher degree, or not polynomial
    force,       ///< Q(q,v,t): damping, a drive, or both
    friction,    ///< R(q,v,lambda), not linear in the multipliers
    time,        ///< in U, in g, or in both
    mass,        ///< M(q)
    repeats,     ///< rows of g that are zero where others are
    contact,     ///< obstacles, open at the start and within reach
    curved,      ///< g not polynomial
    count
  };
  unsigned bits = 0;
  bool has(Feature feature) const { return (bits >> feature & 1) != 0; }
  Features& add(Feature feature) { return bits |= 1U << feature, *this; }
  /// E.g. "force, mass"; "none"
  std::string text() const;
};

/// Of fifty numbers in a row 36 have the pairs of features, nine one of them, and five none.
Features features_of(std::uint64_t number);

/// A term of U, times k (1 + sway sin(rate t)), with x = combination(q) and r = the distance of a pair:
///
///     linear x       quadratic x^2/2       quartic x^4/4                well (x^2 - 1)^2/4
///     cosine -cos x  morse (1 - e^-x)^2    logarithm log(1 + x^2)       spring (r - offset)^2/2
///     attraction -(r^2 + 1/100)^(-1/2)     stretch (r^2 - offset^2)^2/4
struct PotentialTerm {
  enum class Kind { linear, quadratic, quartic, well, cosine, morse, logarithm, spring, attraction, stretch };
  Kind kind = Kind::linear;
  double k = 0, sway = 0;
  Combination x;
  Pair pair;

  template <class S>
  S operator()(const S* q) const {
    using std::cos, std::exp, std::log, std::sqrt;
    const S y = kind >= Kind::spring ? pair.squared_distance(q) : x(q);
    const auto square = [](const S& z) { return S(z * z); };
    switch (kind) {
      case Kind::linear:
        return y;
      case Kind::quadratic:
        return .5 * square(y);
      case Kind::quartic:
        return .25 * square(square(y));
      case Kind::well:
        return .25 * square(square(y) - 1.0);
      case Kind::cosine:
        return -cos(y);
      case Kind::morse:
        return square(1.0 - exp(-y));
      case Kind::logarithm:
        return log(1.0 + square(y));
      case Kind::spring:
        return .5 * square(sqrt(y) - x.offset);
      case Kind::attraction:
        return -1.0 / sqrt(y + .01);
      case Kind::stretch:
        break;
    }
    return .25 * square(y - x.offset * x.offset);
  }
};

/// V(pi) = k y^2/4 or k log(1 + y^2), y = pi - offset; pi is the squared distance of a pair, or the product of two
/// combinations.
struct InvariantTerm {
  bool of_pair = false, logarithm = false;
  double k = 0, offset = 0;
  Combination a, b;
  Pair pair;

  template <class S>
  S pi(const S* q) const {
    return of_pair ? pair.squared_distance(q) : S(a(q) * b(q));
  }
  template <class S>
  S V(const S& pi) const {
    using std::log;
    const S y = pi - offset;
    return logarithm ? S(k * log(1.0 + y * y)) : S(.25 * k * (y * y));
  }
};

/// A row of g, or of c, times `factor`:
///
///     linear x     quadratic  q_i q_j/2 + x     distance  r^2/2     trigonometric  a cos q_i + b sin q_j + x
///
/// all less constant + sway sin(rate t); the constant makes it zero at the start. And of g alone
///
///     repeat  (1 + x^2) g_i + a g_j,  i and j earlier ones
struct ConstraintTerm {
  enum class Kind { linear, quadratic, distance, trigonometric, repeat };
  Kind kind = Kind::linear;
  Index i = 0, j = 0;
  double a = 0, b = 0, constant = 0, sway = 0, factor = 1;
  Combination x;
  Pair pair;

  template <class S>
  S operator()(const S* q) const {
    using std::cos, std::sin;
    S value = kind == Kind::distance ? S(.5 * pair.squared_distance(q)) : x(q);
    if (kind == Kind::quadratic) value += .5 * (q[i] * q[j]);
    if (kind == Kind::trigonometric) value += a * cos(q[i]) + b * sin(q[j]);
    return factor * (value - constant);
  }
};

/// Of M(q): k (1 + sin x) w w^T, w in units of the square roots of the diagonal.
struct MassTerm {
  double k = 0;
  Combination x, w;
};

struct RandomTerms {
  Vector mass;  ///< diagonal
  std::vector<MassTerm> inertia;
  std::vector<PotentialTerm> potential;
  std::vector<InvariantTerm> invariants;
  std::vector<ConstraintTerm> constraints, obstacles;
  /// Q_j = -damping_j (1 + v_j^2) v_j + drive_j sin(rate t), R_j = -friction_j v_j sum_i (1 + lambda_i^2)^(1/2)
  Vector damping, drive, friction;
  double rate = 1, restitution = 0;
  bool turning = false;  ///< points in space, and nothing changes by rotations about the third axis but by Q and R

  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::sin;
    const Index n = mass.size();
    for (Index j = 0; j < n; ++j) m[j * (n + 1)] = S(mass[j]);
    for (const MassTerm& term : inertia) {
      const S size = term.k * (1.0 + sin(term.x(q)));
      for (std::size_t a = 0; a < term.w.indices.size(); ++a)
        for (std::size_t b = 0; b < term.w.indices.size(); ++b) {
          const Index i = term.w.indices[a], j = term.w.indices[b];
          m[i * n + j] += (term.w.weights[a] * term.w.weights[b] * std::sqrt(mass[i] * mass[j])) * size;
        }
    }
  }
  /// U2
  template <class S>
  S rest(const S& t, const S* q) const {
    using std::sin;
    S sum = S(0.0);
    for (const PotentialTerm& term : potential) {
      const S value = term.k * term(q);
      sum += term.sway == 0 ? value : S(value * (1.0 + term.sway * sin(rate * t)));
    }
    return sum;
  }
  template <class S>
  S U(const S& t, const S* q) const {
    S sum = rest(t, q);
    for (const InvariantTerm& term : invariants) sum += term.V(term.pi(q));
    return sum;
  }
  template <class S>
  void g(const S& t, const S* q, S* out) const {
    using std::sin;
    for (std::size_t r = 0; r < constraints.size(); ++r) {
      const ConstraintTerm& term = constraints[r];
      if (term.kind == ConstraintTerm::Kind::repeat) {
        const S x = term.x(q);
        out[r] = (1.0 + x * x) * out[term.i] + term.a * out[term.j];
      } else {
        out[r] = term(q);
        if (term.sway != 0) out[r] -= term.sway * sin(rate * t);
      }
    }
  }
};

/// Every part is there; which of them are used is said by describe().
class RandomModel : public AutodiffModel<Dynamic, Dynamic> {
 public:
  RandomModel(RandomTerms terms, const Vector& start)
      : AutodiffModel(terms.mass.size(), static_cast<Index>(terms.constraints.size())),
        terms_(std::move(terms)),
        start_(start) {}

  ModelTraits describe() const {
    ModelTraits traits;
    traits.name = "random";
    traits.restitutions = Vector::Constant(static_cast<Index>(terms_.obstacles.size()), terms_.restitution);
    traits.absent.constraints = terms_.constraints.empty();
    traits.absent.force = terms_.damping.size() == 0;
    traits.absent.friction = terms_.friction.size() == 0;
    traits.absent.mass_matrix = terms_.inertia.empty();
    traits.absent.symmetries = !terms_.turning;
    return traits;
  }
  /// M at the start.
  Matrix mass() const {
    Matrix matrix = Matrix::Zero(coordinates(), coordinates());
    mass_matrix(start_.data(), matrix.data());
    return matrix;
  }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    terms_.mass_matrix(q, m);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    return terms_.rest(t, q);
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    for (const InvariantTerm& term : terms_.invariants) *pi++ = term.pi(q);
  }
  template <class S>
  S invariant_potential(int k, const S& pi) const {
    return terms_.invariants[static_cast<std::size_t>(k)].V(pi);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    terms_.g(t, q, g);
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    for (const ConstraintTerm& term : terms_.obstacles) *c++ = term(q);
  }
  template <class S>
  void force(const S& t, const S*, const S* v, S* f) const {
    using std::sin;
    for (Index j = 0; j < coordinates(); ++j) {
      if (terms_.damping[j] != 0) f[j] -= terms_.damping[j] * (v[j] * (1.0 + v[j] * v[j]));
      if (terms_.drive[j] != 0) f[j] += terms_.drive[j] * sin(terms_.rate * t);
    }
  }
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* f) const {
    using std::sqrt;
    S size = S(0.0);
    for (std::size_t i = 0; i < terms_.constraints.size() + terms_.obstacles.size(); ++i)
      size += sqrt(1.0 + lambda[i] * lambda[i]);
    for (Index j = 0; j < coordinates(); ++j) f[j] = -terms_.friction[j] * (size * v[j]);
  }
  std::string symmetry_name(Index) const { return "angular momentum about the third axis"; }
  void symmetry_generator(Index, const double* q, double* xi) const {
    for (Index k = 0; k + 2 < coordinates(); k += 3) {
      xi[k] = -q[k + 1];
      xi[k + 1] = q[k];
    }
  }

 private:
  RandomTerms terms_;
  Vector start_;
};

/// Along the constraints, or in every direction, where K's stiffness is that of the multipliers.
enum class Directions { tangent, all };

/// The shortest period 2 pi/omega of small motions about (q, v), from the largest |omega^2| of the pencil (N^T K N,
/// N^T M N), K = Hess U + lambda . Hess g, the columns of N a basis of G's null space (tangent; G has full rank) or of
/// all directions, lambda the index-1 multipliers; or omega = |v|, a radian in a unit of length, where that is more. 1
/// where nothing moves. M is taken as constant.
double shortest_period(const System& system, double t, const Vector& q, const Vector& v, Directions directions);

/// A system, its start and the shortest period about it, along the constraints.
struct RandomProblem {
  RandomTerms terms;
  ProblemInstance instance;
  double period = 1;
  std::string text;  ///< e.g. "n 9, m 4, masses 1.2e-03 .. 5.0e+02, U polynomial, g distance; force, mass"
};

/// n <= 12, m < n, masses over six decades; the same for the same two numbers and features, on every machine with this
/// library. Draws again until the condition number of G M^-1/2 at the start, its rows scaled to length one and those
/// that repeat others left out, is at most 1e3.
RandomProblem random_problem(std::uint64_t seed, std::uint64_t number, const Features& features);

/// The same in a bowl, U + sum_j m_j (omega q_j)^2/8, with Q = -d m_j (1 + v_j^2) v_j, omega = 2 pi/period, d from
/// omega/10 to omega/2.
RandomProblem damped_problem(std::uint64_t seed, std::uint64_t number, const Features& features);

}  // namespace gnomon::campaign
