#pragma once
/// \file
/// LU factors by KLU: Davis and Palamadai Natarajan, Algorithm 907, ACM Trans. Math. Softw. 37 (2010), by its own
/// interface.
///
/// Symbolic analysis once. The pivot order of one factorisation is kept by klu_refactor, which allocates nothing; every
/// solution is checked against the matrix, |f - J d| <= 1e-10 (|J| |d| + |f|) in the largest norms. Where the kept
/// order leaves more, as one with small pivots does, the solution is refined, d := d + (L U)^-1 (f - J d), and where
/// that is not enough the matrix is factorised anew. (klu_factor at each first set-up of a step, as KLU's manual has
/// it, would allocate in every step and change the order nearly never.) The matrix with which the order was found is
/// kept too: a checkpoint finds the order again with it.
///
/// Columns are ordered by AMD, or by COLAMD where that takes less than half of the operations: AMD expects pivots on
/// the diagonal, and where many constraints meet, in a net of rods that starts flat and at rest, most of them are
/// elsewhere. The factors by COLAMD have a bound that holds for every choice of pivots: large systems are ordered by it
/// alone.

#include <klu.h>

#include <limits>
#include <utility>
#include <vector>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

class KluFactors {
 public:
  KluFactors() { klu_defaults(&common_); }
  ~KluFactors() {
    klu_free_numeric(&numeric_, &common_);
    for (klu_symbolic*& symbolic : symbolic_) klu_free_symbolic(&symbolic, &common_);
  }
  KluFactors(const KluFactors&) = delete;
  KluFactors& operator=(const KluFactors&) = delete;

  /// Row-compressed J is column-compressed J^T: KLU factorises the transpose, and klu_tsolve solves with J. The pattern
  /// outlives this object. Throws Error(refused).
  void attach(const SparsityPattern& pattern) {
    if (pattern.nonzeros() > std::numeric_limits<int>::max())
      throw Error(ErrorCode::refused, "it has more than 2^31 nonzeros");
    pattern_ = &pattern;
    offsets_.assign(pattern.offsets.begin(), pattern.offsets.end());
    indices_.assign(pattern.indices.begin(), pattern.indices.end());
    analyse(amd);
    if (!symbolic_[amd] && common_.status == KLU_SINGULAR)
      throw Error(ErrorCode::refused, "its pattern is structurally singular");
    if (!symbolic_[amd]) throw Error(ErrorCode::refused, "KLU could not analyse it");
    right_.setZero(pattern.rows);
    rest_.setZero(pattern.rows);
    ordering_values_.setZero(pattern.nonzeros());
  }
  /// values stay as they are until the next factor. False where singular: see singular_row.
  bool factor(const ConstVectorRef& values) {
    values_ = values.data();
    norm_ = values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0;
    return (numeric_ && refactor()) || factor_anew();
  }
  Index singular_row() const { return singular_row_; }

  /// False where not finite, or where the factorisation that it needed anew failed.
  bool solve(VectorRef x) {
    right_ = x;
    back_substitute(x);
    if (good(x)) return true;
    if (!fresh_) {
      back_substitute(rest_);
      x -= rest_;
      if (good(x)) return true;
      if (!factor_anew()) return false;
      x = right_;
      back_substitute(x);
    }
    // Where even the best order leaves a residual the matrix is singular to working precision: Newton's method tests
    // the step.
    return x.allFinite();
  }
  /// KLU scales the rows before it pivots.
  double pivot_ratio() const {
    if (!numeric_) return 1;
    const Eigen::Map<const Vector> pivots(static_cast<const double*>(numeric_->Udiag), pattern_->rows);
    return pivots.cwiseAbs().minCoeff() / pivots.cwiseAbs().maxCoeff();
  }
  /// The pivot order, by the values that it was found with.
  void serialize(Archive& archive) {
    bool ordered = numeric_ != nullptr;
    archive(ordered);
    if (!ordered) {
      klu_free_numeric(&numeric_, &common_);
      return;
    }
    archive(ordering_values_);
    if (!archive.reading()) return;
    if (ordering_values_.size() != pattern_->nonzeros())
      throw Error(ErrorCode::bad_file, "the matrix that gave KLU its pivot order has another pattern");
    archive.require(ordering_values_.allFinite(), "the matrix that gave KLU its pivot order is not finite");
    values_ = ordering_values_.data();
    if (!factor_anew()) throw Error(ErrorCode::bad_file, "the matrix that gave KLU its pivot order is singular");
  }

  double size() const { return static_cast<double>(pattern_->rows); }
  /// After attach: an estimate, for pivots on the diagonal.
  double expected_nonzeros() const { return symbolic_[amd]->lnz + symbolic_[amd]->unz; }
  Index nonzeros() const { return numeric_ ? numeric_->lnz + numeric_->unz : 0; }

 private:
  /// Operations of a factorisation below which a better order is not worth its analysis.
  static constexpr double few_operations = 1e5;
  /// Operations, as AMD estimates them, above which its order is not tried: with other pivots they may be hundredfold.
  static constexpr double many_operations = 1e8;
  enum Order { amd = 0, colamd = 1 };  // the numbers of klu_common::ordering

  double* data() const { return const_cast<double*>(values_); }
  void analyse(Order order) {
    common_.ordering = order;
    symbolic_[order] = klu_analyze(static_cast<int>(pattern_->rows), offsets_.data(), indices_.data(), &common_);
  }
  klu_numeric* factored(Order order) {
    if (!symbolic_[order]) analyse(order);
    if (!symbolic_[order]) return nullptr;
    klu_numeric* numeric = klu_factor(offsets_.data(), indices_.data(), data(), symbolic_[order], &common_);
    if (common_.status != KLU_OK) klu_free_numeric(&numeric, &common_);
    return numeric;
  }
  double operations(Order order, klu_numeric* numeric) {
    klu_flops(symbolic_[order], numeric, &common_);
    return common_.flops;
  }
  bool refactor() {
    fresh_ = false;
    return klu_refactor(offsets_.data(), indices_.data(), data(), symbolic_[order_], numeric_, &common_) &&
           common_.status == KLU_OK;
  }
  /// The factors are those of klu_refactor even here: a function of the order and the values, whichever of the two a
  /// run that goes on from a checkpoint calls.
  bool factor_anew() {
    klu_free_numeric(&numeric_, &common_);
    order_ = symbolic_[amd]->est_flops > many_operations ? colamd : amd;
    numeric_ = factored(order_);
    if (numeric_ && order_ == amd) compare_orders();
    if (numeric_ && refactor()) {
      ordering_values_ = Eigen::Map<const Vector>(values_, pattern_->nonzeros());
      return fresh_ = true;
    }
    singular_row_ = common_.singular_col >= 0 && common_.singular_col < pattern_->rows ? common_.singular_col : 0;
    klu_free_numeric(&numeric_, &common_);
    return false;
  }
  /// A function of the matrix alone, as what a checkpoint brings back has to be.
  void compare_orders() {
    const double by_amd = operations(amd, numeric_);
    if (by_amd < few_operations) return;
    klu_numeric* other = factored(colamd);
    if (other && operations(colamd, other) < by_amd / 2) {
      std::swap(numeric_, other);
      order_ = colamd;
    }
    klu_free_numeric(&other, &common_);
  }
  void back_substitute(VectorRef x) {
    klu_tsolve(symbolic_[order_], numeric_, static_cast<int>(x.size()), 1, x.data(), &common_);
  }
  /// rest_ = J x - f is left.
  bool good(const ConstVectorRef& x) {
    multiply(*pattern_, Eigen::Map<const Vector>(values_, pattern_->nonzeros()), x, rest_);
    rest_ -= right_;
    return rest_.lpNorm<Eigen::Infinity>() <=
           thresholds::accepted_reused_order * (norm_ * x.lpNorm<Eigen::Infinity>() + right_.lpNorm<Eigen::Infinity>());
  }

  const SparsityPattern* pattern_ = nullptr;
  std::vector<int> offsets_, indices_;
  klu_common common_;
  klu_symbolic* symbolic_[2] = {nullptr, nullptr};
  Order order_ = amd;
  klu_numeric* numeric_ = nullptr;
  const double* values_ = nullptr;
  double norm_ = 0;
  Index singular_row_ = 0;
  bool fresh_ = false;
  Vector right_, rest_, ordering_values_;
};

}  // namespace gnomon::kernels
