#include "gnomon/model/mass.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

struct Mass::Factor {
  Eigen::LLT<Matrix> dense;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> sparse;
  bool is_dense = true;
  std::vector<int> cycles;  // of the sparse factor's ordering P: one member of each

  /// out = M^-1 p. Eigen's own solve allocates for its last line, x = P^-1 x in place.
  void solve_sparse(const ConstVectorRef& p, VectorRef out) const {
    const auto& order = sparse.permutationP().indices();
    for (Index i = 0; i < p.size(); ++i) out[order[i]] = p[i];
    sparse.matrixL().solveInPlace(out);
    sparse.matrixU().solveInPlace(out);
    for (const int first : cycles) {
      const double kept = out[first];
      int i = first;
      for (; order[i] != first; i = order[i]) out[i] = out[order[i]];
      out[i] = kept;
    }
  }
};

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::bad_value, "mass matrix: " + why);
}

void check_entries(const Vector& values) {
  if (!values.allFinite()) refuse("an entry is not finite");
}

}  // namespace

Mass Mass::diagonal(const Vector& entries) {
  check_entries(entries);
  for (Index i = 0; i < entries.size(); ++i)
    if (!(entries[i] > 0))
      refuse("diagonal entry " + std::to_string(i) + " = " + number_text(entries[i]) + " is not positive");
  Mass mass;
  mass.pattern_ = SparsityPattern::diagonal(entries.size());
  mass.values_ = mass.diagonal_ = entries;
  return mass;
}

Mass Mass::dense(const Matrix& matrix) {
  const Index n = matrix.rows();
  if (matrix.cols() != n) refuse("it is not square");
  Mass mass;
  mass.pattern_ = SparsityPattern::dense(n, n);
  mass.values_.resize(n * n);
  for (Index i = 0; i < n; ++i) mass.values_.segment(i * n, n) = matrix.row(i).transpose();
  check_entries(mass.values_);
  if (!matrix.isApprox(matrix.transpose(), thresholds::asymmetry)) refuse("it is not symmetric");
  mass.diagonal_ = matrix.diagonal();
  auto factor = std::make_shared<Factor>();
  factor->dense.compute(matrix);
  if (factor->dense.info() != Eigen::Success) refuse("it is not positive definite");
  mass.factor_ = std::move(factor);
  return mass;
}

Mass Mass::sparse(const SparsityPattern& pattern, const Vector& values) {
  const Index n = pattern.rows;
  if (pattern.cols != n || values.size() != pattern.nonzeros()) refuse("pattern and values do not fit");
  check_entries(values);
  Mass mass;
  mass.pattern_ = pattern;
  mass.values_ = values;
  mass.diagonal_ = Vector::Zero(n);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      const Index j = pattern.indices[k];
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), values[k]);
      if (i == j) mass.diagonal_[i] = values[k];
      const Index mirror = pattern.find(j, i);
      if (mirror < 0 || std::abs(values[mirror] - values[k]) > thresholds::asymmetry * std::abs(values[k]))
        refuse("it is not symmetric");
    }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  auto factor = std::make_shared<Factor>();
  factor->is_dense = false;
  factor->sparse.compute(matrix);
  if (factor->sparse.info() != Eigen::Success) refuse("it is not positive definite");
  const auto& order = factor->sparse.permutationP().indices();
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  for (int first = 0; first < n; ++first) {
    if (seen[static_cast<std::size_t>(first)]) continue;
    factor->cycles.push_back(first);
    for (int i = first; !seen[static_cast<std::size_t>(i)]; i = order[i]) seen[static_cast<std::size_t>(i)] = true;
  }
  mass.factor_ = std::move(factor);
  return mass;
}

void Mass::apply(const ConstVectorRef& v, VectorRef out) const {
  if (is_diagonal())
    out = diagonal_.cwiseProduct(v);
  else
    multiply(pattern_, values_, v, out);
}

void Mass::solve(const ConstVectorRef& p, VectorRef out) const {
  if (is_diagonal()) {
    out = p.cwiseQuotient(diagonal_);
  } else if (factor_->is_dense) {
    out = p;
    factor_->dense.solveInPlace(out);
  } else {
    factor_->solve_sparse(p, out);
  }
}

}  // namespace gnomon
