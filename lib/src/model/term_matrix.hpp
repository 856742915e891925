#pragma once
/// \file
/// A square matrix assembled from the derivatives of a model's terms, and its LU factors. Private to the core.

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <memory>
#include <vector>

#include "gnomon/model/overdetermined.hpp"

namespace gnomon {

/// Up to this size the factors are dense and nothing is allocated after construction.
constexpr Index dense_term_matrix_limit = 100;

class TermMatrix {
 public:
  /// factor * d(term)/d(argument), its top left corner at (row, column)
  struct Part {
    Term term;
    Argument argument;
    Index row, column;
    double factor;
  };
  enum class Outcome {
    regular,
    suspicious,  ///< a pivot is small against its column: perhaps singular to working precision
    singular,
    not_finite
  };

  /// Rows are scaled by their largest entry in the first `leading` columns, each divided by the root of its diagonal.
  TermMatrix(const OverdeterminedSystem& system, Index size, Index leading, std::vector<Part> parts);

  /// Evaluates the parts at the point and factorises, unless the values are those of the last factorisation.
  Outcome factor(const OverdeterminedPoint& at);
  /// x = A^-1 b, after factor(); b and x are different vectors.
  void solve(const Vector& b, Vector& x);

 private:
  Outcome factor_dense();
  Outcome factor_sparse();

  const OverdeterminedSystem& system_;
  std::vector<Part> parts_;
  std::vector<BlockMap> maps_;
  std::vector<Vector> part_values_;
  SparsityPattern pattern_;
  Index leading_;
  Vector values_, factored_;                        // on the pattern, now and when last factorised
  Vector row_scale_, column_size_, scaled_, root_;  // root_: of the diagonal of the leading columns
  Outcome outcome_ = Outcome::singular;
  Matrix dense_;
  Eigen::PartialPivLU<Matrix> lu_;
  Eigen::SparseMatrix<double> sparse_;
  std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> sparse_lu_;
};

}  // namespace gnomon
