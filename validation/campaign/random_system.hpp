#pragma once
/// \file
/// Mechanical systems drawn at random, of every kind that U and g can have, with a consistent start.

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

/// A term of U, with x = combination(q) and r = the distance of a pair:
///
///     linear k x        quadratic k x^2/2     quartic k x^4/4           well k (x^2 - 1)^2/4
///     cosine -k cos x   morse k (1 - e^-x)^2  logarithm k log(1 + x^2)  spring k (r - offset)^2/2
///     attraction -k (r^2 + 1/100)^(-1/2)      stretch k (r^2 - offset^2)^2/4
struct PotentialTerm {
  enum class Kind { linear, quadratic, quartic, well, cosine, morse, logarithm, spring, attraction, stretch };
  Kind kind = Kind::linear;
  double k = 0;
  Combination x;
  Pair pair;
};

/// A row of g:
///
///     linear x              quadratic  q_i q_j/2 + x - constant      distance (r^2 - constant)/2
///     trigonometric  a cos q_i + b sin q_j + x - constant
///
/// The constant makes it zero at the start.
struct ConstraintTerm {
  enum class Kind { linear, quadratic, distance, trigonometric };
  Kind kind = Kind::linear;
  Index i = 0, j = 0;
  double a = 0, b = 0, constant = 0;
  Combination x;
  Pair pair;
};

struct RandomTerms {
  Vector mass;
  std::vector<PotentialTerm> potential;
  std::vector<ConstraintTerm> constraints;

  template <class S>
  S U(const S* q) const {
    using std::cos, std::exp, std::log, std::sqrt;
    using Kind = PotentialTerm::Kind;
    S sum = S(0.0);
    for (const PotentialTerm& term : potential) {
      const double k = term.k;
      switch (term.kind) {
        case Kind::linear:
          sum += k * term.x(q);
          break;
        case Kind::quadratic: {
          const S x = term.x(q);
          sum += .5 * k * (x * x);
          break;
        }
        case Kind::quartic: {
          const S x = term.x(q);
          sum += .25 * k * (x * x) * (x * x);
          break;
        }
        case Kind::well: {
          const S x = term.x(q);
          const S y = x * x - 1.0;
          sum += .25 * k * (y * y);
          break;
        }
        case Kind::cosine:
          sum -= k * cos(term.x(q));
          break;
        case Kind::morse: {
          const S x = term.x(q);
          const S y = 1.0 - exp(-x);
          sum += k * (y * y);
          break;
        }
        case Kind::logarithm: {
          const S x = term.x(q);
          sum += k * log(1.0 + x * x);
          break;
        }
        case Kind::spring: {
          const S stretch = sqrt(term.pair.squared_distance(q)) - term.x.offset;
          sum += .5 * k * (stretch * stretch);
          break;
        }
        case Kind::attraction:
          sum -= k / sqrt(term.pair.squared_distance(q) + .01);
          break;
        case Kind::stretch: {
          const S stretch = term.pair.squared_distance(q) - term.x.offset * term.x.offset;
          sum += .25 * k * (stretch * stretch);
          break;
        }
      }
    }
    return sum;
  }
  template <class S>
  S row(const ConstraintTerm& term, const S* q) const {
    using std::cos, std::sin;
    using Kind = ConstraintTerm::Kind;
    switch (term.kind) {
      case Kind::linear:
        return term.x(q) - term.constant;
      case Kind::quadratic:
        return .5 * (q[term.i] * q[term.j]) + term.x(q) - term.constant;
      case Kind::distance:
        return .5 * (term.pair.squared_distance(q) - term.constant);
      case Kind::trigonometric:
        break;
    }
    return term.a * cos(q[term.i]) + term.b * sin(q[term.j]) + term.x(q) - term.constant;
  }
};

/// Without constraints.
class FreeModel : public AutodiffModel<Dynamic, Dynamic> {
 public:
  explicit FreeModel(RandomTerms terms)
      : AutodiffModel(terms.mass.size(), static_cast<Index>(terms.constraints.size())), terms_(std::move(terms)) {}
  Vector mass() const { return terms_.mass; }
  template <class S>
  S potential(const S* q) const {
    return terms_.U(q);
  }

 protected:
  RandomTerms terms_;
};

class ConstrainedModel : public FreeModel {
 public:
  using FreeModel::FreeModel;
  template <class S>
  void constraints(const S* q, S* g) const {
    for (std::size_t r = 0; r < terms_.constraints.size(); ++r) g[r] = terms_.row(terms_.constraints[r], q);
  }
};

/// One whose points are in space, with every term unchanged by rotations about the third axis.
template <class RandomModel>
class TurningModel : public RandomModel {
 public:
  using RandomModel::RandomModel;
  static constexpr Index n_symmetries = 1;
  std::string symmetry_name(Index) const { return "angular momentum about the third axis"; }
  void symmetry_generator(Index, const double* q, double* xi) const {
    for (Index k = 0; k + 2 < this->coordinates(); k += 3) {
      xi[k] = -q[k + 1];
      xi[k + 1] = q[k];
    }
  }
};

/// Along the constraints, or in every direction, where K's stiffness is that of the multipliers.
enum class Directions { tangent, all };

/// The shortest period 2 pi/omega of small motions about (q, v), from the largest |omega^2| of the pencil (N^T K N,
/// N^T M N), K = Hess U + lambda . Hess g, the columns of N a basis of G's null space (tangent) or of all directions,
/// lambda the index-1 multipliers; or omega = |v|, a radian in a unit of length, where that is more. 1 where nothing
/// moves. M is constant.
double shortest_period(const System& system, const Vector& q, const Vector& v, Directions directions);

/// A system, its start and the shortest period about it, along the constraints.
struct RandomProblem {
  RandomTerms terms;
  ProblemInstance instance;
  double period = 1;
  std::string text;  ///< e.g. "n 9, m 4, masses 1.2e-03 .. 5.0e+02, U polynomial, g distance"
};

/// n <= 12, m < n, masses over six decades; the same for the same two numbers, on every machine with this library.
/// Draws again until the condition number of G M^-1/2 at the start, its rows scaled to length one, is at most 1e3.
RandomProblem random_problem(std::uint64_t seed, std::uint64_t number);

}  // namespace gnomon::campaign
