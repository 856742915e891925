/// \file
/// sparse-lu: supernodal sparse LU of Eigen with COLAMD, the pattern analysed once. Every factorisation pivots freely
/// and allocates: the check on algebra that keeps a pivot order.

#include <Eigen/OrderingMethods>
#include <Eigen/SparseLU>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace {

using namespace gnomon;

class SparseLu final : public LinearAlgebra {
 public:
  void attach(const SparsityPattern& pattern, const std::vector<Block>&) override {
    if (pattern.nonzeros() > std::numeric_limits<int>::max())
      throw Error(ErrorCode::refused, "it has more than 2^31 nonzeros");
    const Index n = pattern.rows;
    matrix_.resize(n, n);
    // Entry k of the row-compressed pattern goes to place_[k] of the column-compressed matrix.
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(pattern.indices.size());
    for (Index i = 0; i < n; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        entries.emplace_back(static_cast<int>(i), static_cast<int>(pattern.indices[k]), static_cast<double>(k));
    matrix_.setFromTriplets(entries.begin(), entries.end());
    place_.resize(pattern.indices.size());
    for (Index k = 0; k < matrix_.nonZeros(); ++k) place_[static_cast<std::size_t>(matrix_.valuePtr()[k])] = k;
    lu_.analyzePattern(matrix_);
  }
  bool factor(const ConstVectorRef& values, Setup) override {
    for (std::size_t k = 0; k < place_.size(); ++k) matrix_.valuePtr()[place_[k]] = values[static_cast<Index>(k)];
    lu_.factorize(matrix_);
    return lu_.info() == Eigen::Success || fail("Eigen's SparseLU: " + lu_.lastErrorMessage());
  }
  bool solve(VectorRef x) override {
    x = lu_.solve(x).eval();
    return x.allFinite() || fail("the solution is not finite: the matrix is singular");
  }

 private:
  Eigen::SparseMatrix<double> matrix_;
  std::vector<Index> place_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> lu_;
};

}  // namespace

GNOMON_PLUGIN(algebra_sparse_lu) {
  registrar.add(
      std::make_unique<NamedFactory<AlgebraFactory>>("sparse-lu", "supernodal sparse LU of Eigen (COLAMD); allocates",
                                                     [](const Options&) { return std::make_unique<SparseLu>(); }));
}
