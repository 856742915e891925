/// \file
/// dense: the matrix in full, on Eigen.
///
///     rank=full        LU with partial pivoting
///     rank=revealing   complete orthogonal decomposition, J P = Q [T 0; 0 0] Z: singular directions, below a relative
///                      threshold, are left out, and the solution is the one of least norm (Golub, Van Loan, Matrix
///                      Computations, 5.4.7)

#include <Eigen/LU>
#include <Eigen/QR>
#include <memory>

#include "gnomon/base/finite.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace {

using namespace gnomon;

class Dense : public LinearAlgebra {
 public:
  void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) override {
    pattern_ = &pattern;
    blocks_ = blocks;
    matrix_.setZero(pattern.rows, pattern.cols);
    prepare(pattern.rows);
  }
  bool factor(const ConstVectorRef& values, Setup) override {
    matrix_.setZero();
    for (Index i = 0; i < pattern_->rows; ++i)
      for (Index k = pattern_->offsets[i]; k < pattern_->offsets[i + 1]; ++k)
        matrix_(i, pattern_->indices[k]) = values[k];
    return decompose();
  }

 protected:
  virtual void prepare(Index n) = 0;
  virtual bool decompose() = 0;

  const SparsityPattern* pattern_ = nullptr;
  std::vector<Block> blocks_;
  Matrix matrix_;
};

/// Size: that of the matrix, or Eigen::Dynamic.
template <int Size>
class DenseLuOf final : public Dense {
 public:
  bool solve(VectorRef x) override {
    Eigen::Map<Column> out(x.data(), x.size());
    permuted_.noalias() = lu_->permutationP() * out;  // in place it would allocate
    lu_->matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(permuted_);
    lu_->matrixLU().template triangularView<Eigen::Upper>().solveInPlace(permuted_);
    out = permuted_;
    return all_finite(x) || fail("the solution is not finite: the matrix is singular");
  }
  double cost() const override {
    const double n = static_cast<double>(matrix_.rows());
    return n * (150 + .1 * n * n);
  }
  double pivot_ratio() const override {
    if (!decomposed_) return 1;
    const auto pivots = lu_->matrixLU().diagonal().cwiseAbs();
    return pivots.minCoeff() / pivots.maxCoeff();
  }

 private:
  using Square = Eigen::Matrix<double, Size, Size>;
  using Column = Eigen::Matrix<double, Size, 1>;

  void prepare(Index n) override {
    lu_ = std::make_unique<Eigen::PartialPivLU<Square>>(n);
    decomposed_ = false;
    permuted_.setZero(n);
  }
  bool decompose() override {
    decomposed_ = true;
    lu_->compute(Eigen::Map<const Square>(matrix_.data(), matrix_.rows(), matrix_.cols()));
    const auto pivots = lu_->matrixLU().diagonal();
    for (Index j = 0; j < pivots.size(); ++j)
      if (!(std::abs(pivots[j]) > 0)) return fail("the column of " + unknown_label(blocks_, j) + " has no pivot");
    return true;
  }

  std::unique_ptr<Eigen::PartialPivLU<Square>> lu_;
  Column permuted_;
  bool decomposed_ = false;
};

/// LU with loops of fixed length for a point mass on one constraint, in the plane and in space, with its momentum (5
/// and 7 unknowns) and without (3 and 4); and with any length.
class DenseLu final : public LinearAlgebra {
 public:
  void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) override {
    if (pattern.rows == 3)
      lu_ = std::make_unique<DenseLuOf<3>>();
    else if (pattern.rows == 4)
      lu_ = std::make_unique<DenseLuOf<4>>();
    else if (pattern.rows == 5)
      lu_ = std::make_unique<DenseLuOf<5>>();
    else if (pattern.rows == 7)
      lu_ = std::make_unique<DenseLuOf<7>>();
    else
      lu_ = std::make_unique<DenseLuOf<Eigen::Dynamic>>();
    lu_->attach(pattern, blocks);
  }
  bool factor(const ConstVectorRef& values, Setup setup) override {
    return lu_->factor(values, setup) || fail(lu_->message());
  }
  bool solve(VectorRef x) override { return lu_->solve(x) || fail(lu_->message()); }
  double pivot_ratio() const override { return lu_->pivot_ratio(); }
  double cost() const override { return lu_->cost(); }

 private:
  std::unique_ptr<LinearAlgebra> lu_;
};

class DenseLeastNorm final : public Dense {
 public:
  explicit DenseLeastNorm(double threshold) : threshold_(threshold) {}
  bool solve(VectorRef x) override {
    right_ = x;
    x = qr_.solve(right_);
    return x.allFinite() || fail("the solution of least norm is not finite");
  }
  std::string summary() const override {
    return "rank " + std::to_string(qr_.rank()) + " of " + std::to_string(matrix_.rows());
  }

 private:
  void prepare(Index n) override {
    qr_ = Eigen::CompleteOrthogonalDecomposition<Matrix>(n, n);
    qr_.setThreshold(threshold_);
    right_.setZero(n);
  }
  bool decompose() override {
    qr_.compute(matrix_);
    return qr_.rank() > 0 || fail("the matrix is zero");
  }

  double threshold_;
  Vector right_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> qr_;
};

std::unique_ptr<LinearAlgebra> create_dense(const Options& options) {
  if (options.is("rank", "full")) return std::make_unique<DenseLu>();
  return std::make_unique<DenseLeastNorm>(options.real("threshold"));
}

}  // namespace

GNOMON_PLUGIN(algebra_dense) {
  registrar.add(std::make_unique<NamedFactory<AlgebraFactory>>(
      "dense", "dense LU on Eigen; rank=revealing: least-norm solution of singular systems (allocates a little)",
      create_dense, [] {
        return OptionSpecs{
            OptionSpec::choice("rank", {"full", "revealing"}, "revealing: the least-norm solution where singular"),
            OptionSpec::real("threshold", 1e-8, 1e-15, 1e-2, "",
                             "rank=revealing: pivots below this times the largest are zero")};
      }));
}
