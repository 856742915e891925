/// \file
/// sparse-qr: rank-revealing sparse QR, J P = Q [R; 0], of SuiteSparse's SPQR (Davis, ACM Trans. Math. Software 38
/// (2011) 8). Columns whose pivot is below a threshold are left out, and their unknowns stay as they are: a solution
/// wherever there is one, though not the one of least norm. For large singular systems.

#include <Eigen/SPQRSupport>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace {

using namespace gnomon;

class SparseQr final : public LinearAlgebra {
 public:
  explicit SparseQr(double threshold) : threshold_(threshold) {}
  void attach(const SparsityPattern& pattern, const std::vector<Block>&) override {
    if (pattern.nonzeros() > std::numeric_limits<int>::max())
      throw Error(ErrorCode::refused, "it has more than 2^31 nonzeros");
    pattern_ = &pattern;
    matrix_.resize(pattern.rows, pattern.cols);
    entries_.reserve(pattern.indices.size());
  }
  bool factor(const ConstVectorRef& values, Setup) override {
    entries_.clear();
    Vector squares = Vector::Zero(pattern_->cols);
    for (Index i = 0; i < pattern_->rows; ++i)
      for (Index k = pattern_->offsets[i]; k < pattern_->offsets[i + 1]; ++k) {
        entries_.emplace_back(static_cast<int>(i), static_cast<int>(pattern_->indices[k]), values[k]);
        squares[pattern_->indices[k]] += values[k] * values[k];
      }
    matrix_.setFromTriplets(entries_.begin(), entries_.end());
    qr_.setPivotThreshold(threshold_ * std::sqrt(squares.maxCoeff()));
    qr_.compute(matrix_);
    if (qr_.info() != Eigen::Success) return fail("SuiteSparse's SPQR failed");
    return qr_.rank() > 0 || fail("the matrix is zero");
  }
  bool solve(VectorRef x) override {
    right_ = x;
    x = qr_.solve(right_);
    return x.allFinite() || fail("the solution is not finite");
  }
  std::string summary() const override {
    return "rank " + std::to_string(qr_.rank()) + " of " + std::to_string(matrix_.rows());
  }

 private:
  double threshold_;
  const SparsityPattern* pattern_ = nullptr;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::SparseMatrix<double> matrix_;
  Vector right_;
  Eigen::SPQR<Eigen::SparseMatrix<double>> qr_;
};

}  // namespace

GNOMON_PLUGIN(algebra_sparse_qr) {
  registrar.add(std::make_unique<NamedFactory<AlgebraFactory>>(
      "sparse-qr", "rank-revealing sparse QR of SuiteSparse (SPQR), for large singular systems; allocates",
      [](const Options& options) { return std::make_unique<SparseQr>(options.real("threshold")); },
      [] {
        return OptionSpecs{OptionSpec::real("threshold", 1e-8, 1e-15, 1e-2, "",
                                            "pivots below this times the largest column are zero")};
      }));
}
