#include "algebra/kernels/klu_factors.hpp"

#include <limits>
#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon::kernels {

namespace {

constexpr double accepted_residual = 1e-10;
/// Operations of a factorisation below which a better order is not worth its analysis.
constexpr double few_operations = 1e5;
/// Operations, as AMD estimates them, above which its order is not tried: with other pivots they may be hundredfold.
constexpr double many_operations = 1e8;

}  // namespace

KluFactors::~KluFactors() {
  klu_free_numeric(&numeric_, &common_);
  for (klu_symbolic*& symbolic : symbolic_) klu_free_symbolic(&symbolic, &common_);
}

void KluFactors::attach(const SparsityPattern& pattern) {
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

bool KluFactors::factor(const ConstVectorRef& values) {
  values_ = values.data();
  norm_ = values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0;
  return (numeric_ && refactor()) || factor_anew();
}

bool KluFactors::solve(VectorRef x) {
  right_ = x;
  back_substitute(x);
  if (good(x)) return true;
  if (!fresh_) {
    if (!factor_anew()) return false;
    x = right_;
    back_substitute(x);
  }
  // Where even the best order leaves a residual the matrix is singular to working precision: Newton's method tests the
  // step.
  return x.allFinite();
}

double KluFactors::pivot_ratio() const {
  if (!numeric_) return 1;
  const Eigen::Map<const Vector> pivots(static_cast<const double*>(numeric_->Udiag), pattern_->rows);
  return pivots.cwiseAbs().minCoeff() / pivots.cwiseAbs().maxCoeff();
}

void KluFactors::serialize(Archive& archive) {
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

void KluFactors::analyse(Order order) {
  common_.ordering = order;
  symbolic_[order] = klu_analyze(static_cast<int>(pattern_->rows), offsets_.data(), indices_.data(), &common_);
}

klu_numeric* KluFactors::factored(Order order) {
  if (!symbolic_[order]) analyse(order);
  if (!symbolic_[order]) return nullptr;
  klu_numeric* numeric = klu_factor(offsets_.data(), indices_.data(), data(), symbolic_[order], &common_);
  if (common_.status != KLU_OK) klu_free_numeric(&numeric, &common_);
  return numeric;
}

double KluFactors::operations(Order order, klu_numeric* numeric) {
  klu_flops(symbolic_[order], numeric, &common_);
  return common_.flops;
}

bool KluFactors::refactor() {
  fresh_ = false;
  return klu_refactor(offsets_.data(), indices_.data(), data(), symbolic_[order_], numeric_, &common_) &&
         common_.status == KLU_OK;
}

bool KluFactors::factor_anew() {
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

void KluFactors::compare_orders() {
  const double by_amd = operations(amd, numeric_);
  if (by_amd < few_operations) return;
  klu_numeric* other = factored(colamd);
  if (other && operations(colamd, other) < by_amd / 2) {
    std::swap(numeric_, other);
    order_ = colamd;
  }
  klu_free_numeric(&other, &common_);
}

void KluFactors::back_substitute(VectorRef x) {
  klu_tsolve(symbolic_[order_], numeric_, static_cast<int>(x.size()), 1, x.data(), &common_);
}

bool KluFactors::good(const ConstVectorRef& x) {
  multiply(*pattern_, Eigen::Map<const Vector>(values_, pattern_->nonzeros()), x, rest_);
  rest_ -= right_;
  return rest_.lpNorm<Eigen::Infinity>() <=
         accepted_residual * (norm_ * x.lpNorm<Eigen::Infinity>() + right_.lpNorm<Eigen::Infinity>());
}

}  // namespace gnomon::kernels
