#pragma once
/// \file
/// Consistent starts: rank of G, projection onto the constraints, index-1 accelerations.

#include <string>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

struct ConstraintRank {
  Index rank = 0;
  std::vector<Index> dependent;  ///< constraints that add nothing to the others; which of a dependent set is named
                                 ///< depends on the elimination order
  std::vector<Index> open;       ///< of a run: those whose multipliers the motion does not determine, all that repeat
                                 ///< one another
  double condition = 0;          ///< of G M^-1/2 with rows scaled to length one (when of full rank)
};

/// Throws Error(bad_value) where a constraint or an obstacle depends on no coordinate: no motion keeps or breaks it.
GNOMON_EXPORT void require_dependence(const System& system);

/// Rank of G M^-1/2 at q, by a row-scaled rank-revealing QR with relative threshold 1e-10.
GNOMON_EXPORT ConstraintRank constraint_rank(const System& system, double t, const Vector& q);

/// Positions on the constraints beside q, which is on them, in some directions that they leave free: a thousandth of
/// the largest coordinate away. Empty where nothing is free to move. It allocates.
GNOMON_EXPORT std::vector<Vector> positions_beside(const System& system, double t, const Vector& q);

/// The rank that G has beside q too: larger than that at q where q is a singular position.
GNOMON_EXPORT Index rank_beside(const System& system, double t, const Vector& q);

/// Throws Error when the start is of the wrong size, not finite, a callback throws or returns NaN there, |g_i(q0)| or
/// |(G v0 + g_t)_i| exceeds `tolerance` times its scale; the sentence names the constraint and by how much. A G of less
/// than full rank is no error: the result says which constraints repeat the others.
GNOMON_EXPORT ConstraintRank check_start(const System& system, double t, const Vector& q, const Vector& p,
                                         double tolerance = thresholds::misfit);

/// The metric of moves of positions: sum_j weights_j dq_j^2 is least, and dq_j = 0 where held_j.
struct PositionMetric {
  Vector weights;          ///< above zero
  std::vector<bool> held;  ///< one a coordinate
};

/// Moves q to g(q) = 0 (Newton: q -= W^-1 G^T (G W^-1 G^T)^-1 g, W that of the metric, M without one). The
/// pseudo-inverse takes the place of the inverse where constraints repeat others, by the rank of G on the constraints.
/// Throws Error(inconsistent_start) when the Newton iteration does not converge.
GNOMON_EXPORT void project_positions(const System& system, double t, Vector& q, const PositionMetric* metric = nullptr);

/// Moves p to G M^-1 p + g_t = 0 in the mass metric.
GNOMON_EXPORT void project_momenta(const System& system, double t, const Vector& q, Vector& p);

/// Both, in the mass metric.
GNOMON_EXPORT void project_start(const System& system, double t, Vector& q, Vector& p);

/// The blocks of coordinates that differ by more than rounding, each with its largest change, the largest first: "crank
/// by 0.12 and rocker by 0.03", or "nothing". A block counts to the name before its first point.
GNOMON_EXPORT std::string moved_text(const System& system, const Vector& before, const Vector& after);
/// The same of a start, its positions and then its velocities: "crank by 0.12; velocities: rocker by 0.3".
GNOMON_EXPORT std::string moved_text(const System& system, const Vector& q_before, const Vector& v_before,
                                     const Vector& q_after, const Vector& v_after);

/// Index-1 accelerations and multipliers:
///     [M G^T; G 0] (a; lambda) = (Q - grad U; -bias),   bias = v^T (Hess g) v + 2 G_t v + g_tt
/// Where constraints repeat others lambda is the one of least sum_i A_ii lambda_i^2, A = G M^-1 G^T (of large systems
/// with diag(M) in the place of M). `rank`: of G on the constraints, which counts where q is beside them and G has a
/// larger one; 0: that of G. Throws Error(rank_deficient) where it is below that.
GNOMON_EXPORT void acceleration(const System& system, double t, const Vector& q, const Vector& v, Vector& a,
                                Vector& lambda, Index rank = 0);

/// Name of constraint i for messages: the declared one, or "g[i]".
GNOMON_EXPORT std::string constraint_name(const System& system, Index i);

}  // namespace gnomon
