#include "gnomon/sundials/attached_algebra.hpp"

#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"

namespace gnomon {

namespace {

/// Writes a pattern with values into one kind of SUNMatrix, by its content: the library of that kind need not be
/// linked.
class Filler {
 public:
  void attach(SUNMatrix matrix, const SparsityPattern& pattern) {
    matrix_ = matrix;
    pattern_ = &pattern;
    switch (SUNMatGetID(matrix)) {
      case SUNMATRIX_DENSE:
        return check_size(SM_ROWS_D(matrix), SM_COLUMNS_D(matrix));
      case SUNMATRIX_BAND:
        check_size(SM_ROWS_B(matrix), SM_COLUMNS_B(matrix));
        return check_band();
      case SUNMATRIX_SPARSE:
        check_size(SM_ROWS_S(matrix), SM_COLUMNS_S(matrix));
        return check_room();
      default:
        throw Error(ErrorCode::refused, "its SUNMatrix is neither dense nor banded nor sparse");
    }
  }

  void fill(const double* values) const {
    switch (SUNMatGetID(matrix_)) {
      case SUNMATRIX_DENSE:
        std::fill(SM_DATA_D(matrix_), SM_DATA_D(matrix_) + SM_LDATA_D(matrix_), 0.0);
        for_entries([&](Index i, Index j, Index k) { SM_ELEMENT_D(matrix_, i, j) = values[k]; });
        break;
      case SUNMATRIX_BAND:
        std::fill(SM_DATA_B(matrix_), SM_DATA_B(matrix_) + SM_LDATA_B(matrix_), 0.0);
        for_entries([&](Index i, Index j, Index k) { SM_ELEMENT_B(matrix_, i, j) = values[k]; });
        break;
      default:
        fill_sparse(values);
    }
  }

 private:
  [[noreturn]] static void refuse(const std::string& has, const std::string& needs) {
    throw Error(ErrorCode::refused, "its SUNMatrix has " + has + ", expected " + needs);
  }

  void check_size(sunindextype rows, sunindextype columns) const {
    const auto text = [](Index r, Index c) { return std::to_string(r) + " x " + std::to_string(c); };
    if (rows != pattern_->rows || columns != pattern_->cols)
      refuse(text(rows, columns) + " entries", text(pattern_->rows, pattern_->cols));
  }
  void check_band() const {
    Index above = 0, below = 0;
    for_entries([&](Index i, Index j, Index) {
      above = std::max(above, j - i);
      below = std::max(below, i - j);
    });
    if (above > SM_UBAND_B(matrix_) || below > SM_LBAND_B(matrix_))
      refuse("upper and lower bandwidths " + std::to_string(SM_UBAND_B(matrix_)) + " and " +
                 std::to_string(SM_LBAND_B(matrix_)),
             "at least " + std::to_string(above) + " and " + std::to_string(below));
  }
  void check_room() {
    if (SM_NNZ_S(matrix_) < pattern_->nonzeros())
      refuse("room for " + std::to_string(SM_NNZ_S(matrix_)) + " nonzeros",
             "at least " + std::to_string(pattern_->nonzeros()));
    if (SM_SPARSETYPE_S(matrix_) != CSC_MAT) return;
    // Entry k of the rows goes to places_[k] of the columns.
    begin_.assign(static_cast<std::size_t>(pattern_->cols) + 1, 0);
    for_entries([&](Index, Index j, Index) { ++begin_[static_cast<std::size_t>(j) + 1]; });
    for (std::size_t j = 1; j < begin_.size(); ++j) begin_[j] += begin_[j - 1];
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    places_.resize(pattern_->indices.size());
    for_entries(
        [&](Index, Index j, Index k) { places_[static_cast<std::size_t>(k)] = next[static_cast<std::size_t>(j)]++; });
  }

  /// SUNMatZero_Sparse clears the index arrays: they are written with the values.
  void fill_sparse(const double* values) const {
    sunindextype* offsets = SM_INDEXPTRS_S(matrix_);
    sunindextype* indices = SM_INDEXVALS_S(matrix_);
    double* data = SM_DATA_S(matrix_);
    if (SM_SPARSETYPE_S(matrix_) == CSC_MAT) {
      std::copy(begin_.begin(), begin_.end(), offsets);
      for_entries([&](Index i, Index, Index k) {
        const Index at = places_[static_cast<std::size_t>(k)];
        indices[at] = i;
        data[at] = values[k];
      });
    } else {
      std::copy(pattern_->offsets.begin(), pattern_->offsets.end(), offsets);
      std::copy(pattern_->indices.begin(), pattern_->indices.end(), indices);
      std::copy(values, values + pattern_->nonzeros(), data);
    }
  }

  template <class F>
  void for_entries(F f) const {
    for (Index i = 0; i < pattern_->rows; ++i)
      for (Index k = pattern_->offsets[static_cast<std::size_t>(i)];
           k < pattern_->offsets[static_cast<std::size_t>(i) + 1]; ++k)
        f(i, pattern_->indices[static_cast<std::size_t>(k)], k);
  }

  SUNMatrix matrix_ = nullptr;
  const SparsityPattern* pattern_ = nullptr;
  std::vector<Index> begin_, places_;  // of compressed columns
};

class SunAlgebra final : public LinearAlgebra {
 public:
  SunAlgebra(SunPairCreator create, SunPair given, std::shared_ptr<bool> in_use)
      : create_(std::move(create)), pair_(given), in_use_(std::move(in_use)) {}
  ~SunAlgebra() override {
    if (!attached_) return;
    if (in_use_) {
      *in_use_ = false;
      return;
    }
    if (pair_.solver != nullptr) SUNLinSolFree(pair_.solver);
    if (pair_.matrix != nullptr) SUNMatDestroy(pair_.matrix);
  }

  void attach(const SparsityPattern& pattern, const std::vector<Block>&) override {
    x_ = serial_vector(pattern.rows, context_);
    b_ = serial_vector(pattern.rows, context_);
    if (in_use_ && *in_use_)
      throw Error(ErrorCode::refused,
                  "its pair of SUNMatrix and SUNLinearSolver serves another system of equations already, expected a "
                  "function that makes one pair for each");
    if (create_) pair_ = create_(x_.get(), pattern, context_);
    attached_ = true;
    if (in_use_) *in_use_ = true;
    if (pair_.matrix == nullptr || pair_.solver == nullptr)
      throw Error(ErrorCode::refused, "its SUNMatrix or its SUNLinearSolver is null");
    filler_.attach(pair_.matrix, pattern);
    if (pair_.solver->ops->initialize != nullptr && SUNLinSolInitialize(pair_.solver) != 0)
      throw Error(ErrorCode::refused, "SUNLinSolInitialize of its SUNLinearSolver failed");
    iterative_ = SUNLinSolGetType(pair_.solver) != SUNLINEARSOLVER_DIRECT;
  }

  bool factor(const ConstVectorRef& values, Setup) override {
    filler_.fill(values.data());
    const int flag = SUNLinSolSetup(pair_.solver, pair_.matrix);
    return flag == 0 || fail("SUNLinSolSetup returned " + std::to_string(flag));
  }

  bool solve(VectorRef x) override {
    Eigen::Map<Vector> right(N_VGetArrayPointer(b_.get()), x.size());
    right = x;
    N_VConst(0.0, x_.get());
    if (iterative_ && pair_.solver->ops->setzeroguess != nullptr) SUNLinSolSetZeroGuess(pair_.solver, SUNTRUE);
    const double tolerance = iterative_ ? thresholds::iterative_linear_residual * right.norm() : 0;
    const int flag = SUNLinSolSolve(pair_.solver, pair_.matrix, x_.get(), b_.get(), tolerance);
    if (flag != 0) return fail("SUNLinSolSolve returned " + std::to_string(flag));
    x = Eigen::Map<const Vector>(N_VGetArrayPointer(x_.get()), x.size());
    return x.allFinite() || fail("the solution is not finite: the matrix is singular");
  }

 private:
  SunContext context_;
  SunPairCreator create_;
  SunPair pair_;
  std::shared_ptr<bool> in_use_;
  bool attached_ = false, iterative_ = false;
  Filler filler_;
  SunOwner<N_Vector> x_, b_;
};

}  // namespace

AttachedAlgebra::AttachedAlgebra(std::string name, SunPairCreator create)
    : name_(std::move(name)), create_(std::move(create)) {}

AttachedAlgebra::AttachedAlgebra(std::string name, SUNMatrix matrix, SUNLinearSolver solver)
    : name_(std::move(name)), given_{matrix, solver}, in_use_(std::make_shared<bool>(false)) {}

std::unique_ptr<LinearAlgebra> AttachedAlgebra::create(const Options&) const {
  return std::make_unique<SunAlgebra>(create_, given_, in_use_);
}

}  // namespace gnomon
