#pragma once
/// \file
/// The linear algebra of consistent starts: the saddle-point matrix of the mass and the constraints, and the rank of G.
/// Private to the core.

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <memory>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

/// Above this size of [M G^T; G 0] the sparse factorisations take over. A mass M(q) is always treated as dense.
constexpr Index dense_saddle_point_limit = 1000;

/// M(q) = L L^T.
class MassRoot {
 public:
  /// Throws Error(bad_value) when M(q) is not positive definite.
  MassRoot(const System& system, const Vector& q);
  /// Of a diagonal matrix; infinite entries hold.
  explicit MassRoot(const Vector& weights) : diagonal_(weights.cwiseSqrt()) {}
  void solve_lower(Eigen::Ref<Matrix> x) const;    ///< x = L^-1 x
  void solve_lower_transposed(VectorRef x) const;  ///< x = L^-T x

 private:
  Vector diagonal_;  // L of a diagonal matrix
  Eigen::LLT<Matrix> factor_;
};

/// (M x + G^T y, G x) = (f, c), factorised once; where G has less than full rank x and y have least norm, y
/// in the scaling of row_scale_, and of c counts what G can reach.
///
/// Small systems: with A = L^-1 G^T = Q R, the null-space form
///     L^T x = (I - Q Q^T) L^-1 f + Q R^-T c,    y = R^-1 (Q^T L^-1 f - R^-T c),
/// whose error grows with the condition of A where that of the assembled matrix, or of G M^-1 G^T, grows with its
/// square. Large systems: with A of unit columns, M of unit diagonal; rows of G that repeat others are left out, and
/// what they could carry is a null vector each, of length m. A diagonal M: R alone is kept, and
///     R^T R y = A^T f - c,    x = f - A y,
/// the seminormal equations, are refined three times with the residuals of the whole system, each of which takes a
/// factor eps cond(A)^2 off the error (Bjorck, Linear Algebra Appl. 88/89 (1987) 31-48). Another M: sparse LU of the
/// matrix, one step of refinement.
class SaddlePoint {
 public:
  /// Throws Error(rank_deficient) where the matrix is singular to working precision and no constraint repeats others.
  /// Singular values of G below `threshold` of the largest, rows scaled to length one, count as zero.
  /// With a metric, its weights take the place of M. `moves`: of positions, which constraints of velocities leave free.
  /// rank: what that of G is on the constraints, where q is beside them: as many singular values count, unless 0.
  SaddlePoint(const System& system, double t, const Vector& q, double threshold = thresholds::rank,
              const PositionMetric* metric = nullptr, bool moves = false, Index rank = 0);
  void solve(const Vector& f, const Vector& c, Vector& x, Vector& y) const;
  Index rank() const { return rank_; }

 private:
  using Lu = Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>>;

  bool factorise(const System& system, const Eigen::SparseMatrix<double>& a);
  bool triangularise(const Eigen::SparseMatrix<double>& a);
  Vector solved_by_triangle(const Vector& right) const;
  void find_null_space(const Eigen::SparseMatrix<double>& a, const std::vector<Index>& dependent);
  Vector solved(const Vector& f, const Vector& c) const;
  void spread(const Vector& solution, Vector& y) const;

  Index n_, m_, rank_;
  Vector row_scale_;  // of G
  std::unique_ptr<MassRoot> root_;
  Eigen::ColPivHouseholderQR<Matrix> qr_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> cod_;  // of A,
  Matrix weighted_;                                     // where its rank is less than m
  bool diagonal_ = true;                                // M, or the metric
  Vector mass_scale_;                                   // M_ii^-1/2
  Eigen::SparseMatrix<double> matrix_;                  // scaled
  std::unique_ptr<Lu> lu_;
  Eigen::SparseMatrix<double> kept_columns_, triangle_;  // of a diagonal mass: A and its R, in the order
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order_;
  std::vector<Index> kept_;  // rows of G that are not left out
  Matrix null_space_;        // of the scaled G^T, orthonormal
};

/// See constraint_rank; values are those of G at q on the constraint pattern.
ConstraintRank rank_of(const System& system, const Vector& q, const Vector& values,
                       double threshold = thresholds::rank);

/// Throws the Error(rank_deficient) that names rank.dependent.
[[noreturn]] void throw_rank_deficient(const System& system, const ConstraintRank& rank);

}  // namespace gnomon
