#pragma once
/// \file
/// Consistent starts: rank of G, projection onto the constraints in the mass metric, index-1 accelerations.

#include <string>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon {

/// Gap of an obstacle, relative to the sizes of its terms, below which a contact touches: a start may be so deep
/// inside.
constexpr double touching_gap = 1e-10;

struct ConstraintRank {
  Index rank = 0;
  std::vector<Index> dependent;  ///< constraints that add nothing to the others; which of a dependent set is named
                                 ///< depends on the elimination order
  double condition = 0;          ///< of G M^-1/2 with rows scaled to length one (when of full rank)
};

/// Rank of G M^-1/2 at q, by a row-scaled rank-revealing QR with relative threshold 1e-10.
GNOMON_EXPORT ConstraintRank constraint_rank(const System& system, double t, const Vector& q);

/// Throws Error when the start is of the wrong size, not finite, a callback throws or returns NaN there, |g_i(q0)| or
/// |(G v0 + g_t)_i| exceeds `tolerance` times its scale, or G is rank deficient; the sentence names the constraint and
/// by how much. With allow_dependent a G of less than full rank is no error: the result says which constraints repeat
/// the others.
GNOMON_EXPORT ConstraintRank check_start(const System& system, double t, const Vector& q, const Vector& p,
                                         double tolerance = 1e-10, bool allow_dependent = false);

/// Moves q to g(q) = 0 (Newton in the mass metric: q -= M^-1 G^T (G M^-1 G^T)^-1 g) and then p to G M^-1 p + g_t = 0.
/// Throws Error(inconsistent_start) when the Newton iteration does not converge, and Error(rank_deficient) where G
/// loses rank, unless allow_dependent, when the pseudo-inverse takes the place of the inverse.
GNOMON_EXPORT void project_start(const System& system, double t, Vector& q, Vector& p, bool allow_dependent = false);

/// Index-1 accelerations and multipliers:
///     [M G^T; G 0] (a; lambda) = (Q - grad U; -bias),   bias = v^T (Hess g) v + 2 G_t v + g_tt
/// Throws Error(rank_deficient) when the matrix is singular, unless allow_dependent: then lambda is the one of least
/// norm in the scaling that makes the rows of G M^-1/2 unit vectors.
GNOMON_EXPORT void acceleration(const System& system, double t, const Vector& q, const Vector& v, Vector& a,
                                Vector& lambda, bool allow_dependent = false);

/// lambda <- the multipliers of least norm, in the same scaling (of large systems with diag(M) in the place of M), with
/// the same force G(q)^T lambda. It allocates.
GNOMON_EXPORT void least_norm(const System& system, double t, const Vector& q, VectorRef lambda);

/// Name of constraint i for messages: the declared one, or "g[i]".
GNOMON_EXPORT std::string constraint_name(const System& system, Index i);

}  // namespace gnomon
