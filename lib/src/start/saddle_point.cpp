#include "start/saddle_point.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// A scaled saddle-point matrix whose inverse is larger than this is singular to working precision: the size of the
/// inverse is 1/sigma^2, sigma the smallest singular value of the scaled G, so this is sigma below 3e-7.
constexpr double largest_inverse = 1e13;
/// The same where solutions are refined three times, each time by the factor eps times this: a chain of 5e6 links has
/// 2e13.
constexpr double largest_refined_inverse = 1e14;

bool is_small(const System& system) {
  return system.parts().mass || system.n() + system.m() <= dense_saddle_point_limit;
}

Vector inverse_lengths(const Vector& lengths) {
  return lengths.unaryExpr([](double length) { return length > 0 ? 1 / length : 1.0; });
}

/// A = L^-1 G^T with columns scaled to length one.
Matrix weighted_transpose(const System& system, const MassRoot& root, const Vector& values, Vector& scale) {
  Matrix a = to_dense(system.constraint_pattern(), values).transpose();
  root.solve_lower(a);
  scale = inverse_lengths(a.colwise().norm().transpose());
  return a * scale.asDiagonal();
}

/// The same with L = diag(M)^1/2. The rank does not depend on the metric.
Sparse weighted_transpose(const System& system, const Vector& mass_scale, const Vector& values, Vector& scale) {
  const SparsityPattern& pattern = system.constraint_pattern();
  Vector squares = Vector::Zero(pattern.rows);
  Triplets entries;
  entries.reserve(pattern.indices.size());
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      const Index j = pattern.indices[k];
      const double value = values[k] * mass_scale[j];
      squares[i] += value * value;
      entries.emplace_back(static_cast<int>(j), static_cast<int>(i), value);
    }
  scale = inverse_lengths(squares.cwiseSqrt());
  Sparse a(pattern.cols, pattern.rows);
  a.setFromTriplets(entries.begin(), entries.end());
  return a * scale.asDiagonal();
}

/// A vector with no special direction, the same at every call.
Vector generic_vector(Index size) {
  Vector x(size);
  for (Index i = 0; i < size; ++i) x[i] = 1 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
  return x.normalized();
}

/// Growth rate of x -> map(x) after a few dozen power iterations: the norm of a symmetric map.
template <class Map>
double power_norm(Index size, Map map, int iterations = 40) {
  Vector x = generic_vector(size);
  double norm = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    map(x);
    norm = x.norm();
    if (!(norm > 0) || !std::isfinite(norm)) break;
    x /= norm;
  }
  return norm;
}

/// |R| |R^-1| in the 2-norm, to a few per cent, by power iteration with R^T R and its inverse; R upper triangular.
template <class Upper>
double condition_of(const Upper& r) {
  const auto upper = r.template triangularView<Eigen::Upper>();
  const double largest = power_norm(r.cols(), [&](Vector& x) {
    const Vector y = r * x;
    x = r.transpose() * y;
  });
  const double inverse = power_norm(r.cols(), [&](Vector& x) {
    x = r.transpose().template triangularView<Eigen::Lower>().solve(x);
    x = upper.solve(x);
  });
  return std::sqrt(largest * inverse);
}

/// Columns of a (unit or zero length) that lie in the span of the ones before them, by Gram-Schmidt, twice.
std::vector<Index> dependent_columns(const Matrix& a, double threshold) {
  Matrix basis(a.rows(), std::min(a.rows(), a.cols()));
  Index rank = 0;
  std::vector<Index> dependent;
  for (Index i = 0; i < a.cols(); ++i) {
    Vector rest = a.col(i);
    for (int pass = 0; pass < 2; ++pass)
      rest -= basis.leftCols(rank) * (basis.leftCols(rank).transpose() * rest).eval();
    if (rank < basis.cols() && rest.norm() > threshold)
      basis.col(rank++) = rest.normalized();
    else
      dependent.push_back(i);
  }
  return dependent;
}

ConstraintRank small_rank(const Matrix& a, const Eigen::ColPivHouseholderQR<Matrix>& qr, double threshold) {
  ConstraintRank result;
  result.rank = qr.rank();
  if (result.rank < a.cols()) {
    result.dependent = dependent_columns(a, threshold);
    // In a borderline case the pivoted factorisation sees a dependence that spreads over several columns.
    for (Index k = result.rank; k < a.cols() && result.dependent.empty(); ++k)
      result.dependent.push_back(qr.colsPermutation().indices()[k]);
  } else {
    const Matrix r = qr.matrixR().topRows(a.cols()).triangularView<Eigen::Upper>();
    result.condition = condition_of(r);
  }
  return result;
}

/// R of A = Q R by Givens rotations, row by row of A (George and Heath, Linear Algebra Appl. 34 (1980) 69-83): nothing
/// but R is stored, so the work stays proportional to the fill of the Cholesky factor of A^T A. Sparse Householder QR
/// of a tall A keeps every surplus row active and needs O(m^2) for a chain.
class GivensQr {
 public:
  GivensQr(const Sparse& a, double threshold) : rows_(static_cast<std::size_t>(a.cols())) {
    const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows = a;
    std::vector<Row> rows;
    for (Index i = 0; i < by_rows.outerSize(); ++i) {
      Row row;
      for (decltype(by_rows)::InnerIterator entry(by_rows, i); entry; ++entry)
        row.emplace_back(entry.col(), entry.value());
      if (!row.empty()) rows.push_back(std::move(row));
    }
    // In the order of their first column: a row then meets only what the elimination has reached.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& x, const Row& y) { return x.front().first < y.front().first; });
    for (Row& row : rows) rotate_in(std::move(row));
    // A column without a diagonal adds nothing to those before it; what is left of its row belongs further down.
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      if (!rows_[c].empty() && std::abs(rows_[c].front().second) > threshold) continue;
      dependent_.push_back(static_cast<Index>(c));
      Row rest = std::move(rows_[c]);
      rows_[c] = {{static_cast<Index>(c), 1.0}};
      if (!rest.empty()) rest.erase(rest.begin());
      rotate_in(std::move(rest));
    }
  }

  const std::vector<Index>& dependent() const { return dependent_; }
  Sparse r() const {
    Triplets entries;
    for (std::size_t c = 0; c < rows_.size(); ++c)
      for (const auto& [j, value] : rows_[c]) entries.emplace_back(static_cast<int>(c), static_cast<int>(j), value);
    Sparse matrix(static_cast<Index>(rows_.size()), static_cast<Index>(rows_.size()));
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

 private:
  using Row = std::vector<std::pair<Index, double>>;  // ascending columns, the first one is the diagonal

  void rotate_in(Row row) {
    while (!row.empty()) {
      Row& pivot = rows_[static_cast<std::size_t>(row.front().first)];
      if (pivot.empty()) {
        pivot = std::move(row);
        return;
      }
      const double a = pivot.front().second, b = row.front().second, r = std::hypot(a, b);
      const double cosine = r > 0 ? a / r : 1, sine = r > 0 ? b / r : 0;
      Row upper, lower;
      for (std::size_t i = 0, j = 0; i < pivot.size() || j < row.size();) {
        const Index at_i = i < pivot.size() ? pivot[i].first : std::numeric_limits<Index>::max();
        const Index at_j = j < row.size() ? row[j].first : std::numeric_limits<Index>::max();
        const Index column = std::min(at_i, at_j);
        const double x = at_i == column ? pivot[i++].second : 0, y = at_j == column ? row[j++].second : 0;
        upper.emplace_back(column, cosine * x + sine * y);
        lower.emplace_back(column, cosine * y - sine * x);
      }
      pivot = std::move(upper);
      row.assign(lower.begin() + 1, lower.end());
    }
  }

  std::vector<Row> rows_;
  std::vector<Index> dependent_;
};

/// Singular values of A beyond so many become zero: a smooth function of A, which one of the pivots of QR is not.
void leave_out_smallest(Matrix& a, Index rank) {
  const Eigen::BDCSVD<Matrix> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& sizes = svd.singularValues();
  for (Index k = rank; k < sizes.size(); ++k) a -= svd.matrixU().col(k) * sizes[k] * svd.matrixV().col(k).transpose();
}

ConstraintRank large_rank(const Sparse& a, double threshold) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  const Sparse gram = a.transpose() * a;
  Eigen::AMDOrdering<int>()(gram, order);  // order.indices()[new column] = old column
  const GivensQr qr(Sparse(a * order), threshold);
  ConstraintRank result;
  for (const Index column : qr.dependent()) result.dependent.push_back(order.indices()[column]);
  std::sort(result.dependent.begin(), result.dependent.end());
  result.rank = a.cols() - static_cast<Index>(result.dependent.size());
  if (result.dependent.empty()) result.condition = condition_of(qr.r());
  return result;
}

}  // namespace

MassRoot::MassRoot(const System& system, const Vector& q) {
  if (!system.parts().mass && system.mass().is_diagonal()) {
    diagonal_ = system.mass().diagonal_entries().cwiseSqrt();
    return;
  }
  Matrix mass(system.n(), system.n());
  if (!system.parts().mass)
    mass = to_dense(system.mass().pattern(), system.mass().values());
  else
    system.parts().mass->mass_matrix(q, mass);
  factor_.compute(mass);
  if (factor_.info() != Eigen::Success)
    throw Error(ErrorCode::bad_value,
                "system " + system.traits().name + ": the mass matrix M(q) is not positive definite");
}

void MassRoot::solve_lower(Eigen::Ref<Matrix> x) const {
  if (diagonal_.size() > 0)
    x = diagonal_.cwiseInverse().asDiagonal() * x;
  else
    factor_.matrixL().solveInPlace(x);
}

void MassRoot::solve_lower_transposed(VectorRef x) const {
  if (diagonal_.size() > 0)
    x.array() /= diagonal_.array();
  else
    factor_.matrixU().solveInPlace(x);
}

ConstraintRank rank_of(const System& system, const Vector& q, const Vector& values, double threshold) {
  ConstraintRank result;
  result.condition = 1;
  if (system.m() == 0) return result;
  Vector scale;
  if (is_small(system)) {
    const Matrix a = weighted_transpose(system, MassRoot(system, q), values, scale);
    Eigen::ColPivHouseholderQR<Matrix> qr;
    qr.setThreshold(threshold);
    return small_rank(a, qr.compute(a), threshold);
  }
  const Vector mass_scale = system.mass().diagonal_entries().cwiseSqrt().cwiseInverse();
  return large_rank(weighted_transpose(system, mass_scale, values, scale), threshold);
}

void throw_rank_deficient(const System& system, const ConstraintRank& rank) {
  const std::string subject = "system " + system.traits().name + ": the constraint Jacobian G ";
  if (rank.dependent.empty())
    throw Error(ErrorCode::rank_deficient, subject + "is singular to working precision (its condition number is " +
                                               number_text(rank.condition) + ")");
  std::string names;
  constexpr std::size_t most = 10;
  for (std::size_t k = 0; k < std::min(rank.dependent.size(), most); ++k)
    names += (k ? ", " : "") + ("\"" + constraint_name(system, rank.dependent[k]) + "\"");
  if (rank.dependent.size() > most) names += " and " + std::to_string(rank.dependent.size() - most) + " more";
  throw Error(ErrorCode::rank_deficient, subject + "has rank " + std::to_string(rank.rank) + ", expected " +
                                             std::to_string(system.m()) +
                                             "; remove what repeats the other constraints: " + names);
}

SaddlePoint::SaddlePoint(const System& system, double t, const Vector& q, double threshold,
                         const PositionMetric* metric, bool moves, Index rank_there)
    : n_(system.n()), m_(system.m()), rank_(m_) {
  Vector values(system.constraint_pattern().nonzeros());
  if (m_ > 0) system.constraint_jacobian(t, q, values);
  if (!values.allFinite())
    throw Error(ErrorCode::not_finite, "system " + system.traits().name + ": the constraint Jacobian G is not finite");
  if (moves) velocity_rows(system, values).setZero();

  const auto exceeds = [rank_there](Index rank, double by_threshold) {
    return rank_there > 0 && rank > rank_there && by_threshold < thresholds::loosest_rank;
  };
  Vector weights;
  if (metric) {
    weights = metric->weights;
    for (Index j = 0; j < n_; ++j)
      if (metric->held[static_cast<std::size_t>(j)]) weights[j] = std::numeric_limits<double>::infinity();
  }
  if (is_small(system)) {
    root_ = metric ? std::make_unique<MassRoot>(weights) : std::make_unique<MassRoot>(system, q);
    if (m_ == 0) return;
    Matrix a = weighted_transpose(system, *root_, values, row_scale_);
    qr_.setThreshold(threshold);
    qr_.compute(a);
    if (exceeds(qr_.rank(), threshold)) {
      leave_out_smallest(a, rank_there);
      qr_.compute(a);
    }
    if (qr_.rank() == m_) return;
    cod_.setThreshold(threshold);
    cod_.compute(a);
    rank_ = cod_.rank();
    weighted_ = a;
    return;
  }

  if (!metric) weights = system.mass().diagonal_entries();
  diagonal_ = metric || system.mass().is_diagonal();
  mass_scale_ = weights.cwiseSqrt().cwiseInverse();
  const Sparse a = weighted_transpose(system, mass_scale_, values, row_scale_);
  ConstraintRank rank;
  const auto keep = [&] {
    kept_.clear();
    for (Index i = 0; i < m_; ++i)
      if (!std::binary_search(rank.dependent.begin(), rank.dependent.end(), i)) kept_.push_back(i);
    return factorise(system, a);
  };
  // What has full rank by far is spared the search.
  if (threshold > thresholds::rank || exceeds(m_, threshold) || !keep()) {
    rank = large_rank(a, threshold);
    for (; exceeds(rank.rank, threshold); rank = large_rank(a, threshold)) threshold *= 10;
    if (!keep()) {
      rank.dependent.clear();
      rank.condition = std::numeric_limits<double>::infinity();
      throw_rank_deficient(system, rank);
    }
  }
  rank_ = static_cast<Index>(kept_.size());
  find_null_space(a, rank.dependent);
}

/// Of the matrix with those columns of A that are kept. False where it is singular.
bool SaddlePoint::factorise(const System& system, const Sparse& a) {
  if (diagonal_) return triangularise(a);
  Triplets entries;
  const SparsityPattern& mass = system.mass().pattern();
  for (Index i = 0; i < n_; ++i)
    for (Index k = mass.offsets[i]; k < mass.offsets[i + 1]; ++k) {
      const Index j = mass.indices[k];
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j),
                           system.mass().values()[k] * mass_scale_[i] * mass_scale_[j]);
    }
  const auto size = n_ + static_cast<Index>(kept_.size());
  for (Index k = n_; k < size; ++k)
    for (Sparse::InnerIterator entry(a, kept_[static_cast<std::size_t>(k - n_)]); entry; ++entry) {
      entries.emplace_back(static_cast<int>(entry.row()), static_cast<int>(k), entry.value());
      entries.emplace_back(static_cast<int>(k), static_cast<int>(entry.row()), entry.value());
    }
  matrix_.resize(size, size);
  matrix_.setFromTriplets(entries.begin(), entries.end());
  lu_ = std::make_unique<Lu>(matrix_);
  // An inverse of that size shows in a few iterations; the norm itself is not asked for.
  const auto inverse = [this](Vector& x) { x = lu_->solve(x).eval(); };
  return lu_->info() == Eigen::Success && power_norm(size, inverse, 6) < largest_inverse;
}

/// The same for a diagonal mass.
bool SaddlePoint::triangularise(const Sparse& a) {
  const auto count = static_cast<Index>(kept_.size());
  if (count == m_) {
    kept_columns_ = a;
  } else {
    kept_columns_.resize(n_, count);
    for (Index k = 0; k < count; ++k) kept_columns_.col(k) = a.col(kept_[static_cast<std::size_t>(k)]);
  }
  Eigen::AMDOrdering<int>()(Sparse(kept_columns_.transpose() * kept_columns_), order_);
  const GivensQr qr(Sparse(kept_columns_ * order_), thresholds::rank);
  if (!qr.dependent().empty()) return false;
  triangle_ = qr.r();
  return power_norm(
             n_ + count, [this](Vector& x) { x = solved_by_triangle(x); }, 6) < largest_refined_inverse;
}

/// right = (f, c)
Vector SaddlePoint::solved_by_triangle(const Vector& right) const {
  constexpr int refinements = 3;
  const auto upper = triangle_.triangularView<Eigen::Upper>();
  Vector solution = Vector::Zero(right.size()), defect = right;
  for (int pass = 0; pass <= refinements; ++pass) {
    if (pass > 0) {
      defect.head(n_) = right.head(n_) - solution.head(n_) - kept_columns_ * solution.tail(right.size() - n_);
      defect.tail(right.size() - n_) = right.tail(right.size() - n_) - kept_columns_.transpose() * solution.head(n_);
    }
    Vector y = kept_columns_.transpose() * defect.head(n_) - defect.tail(right.size() - n_);
    y = (order_.transpose() * y).eval();
    y = triangle_.transpose().triangularView<Eigen::Lower>().solve(y).eval();
    y = upper.solve(y).eval();
    y = (order_ * y).eval();
    solution.head(n_) += defect.head(n_) - kept_columns_ * y;
    solution.tail(right.size() - n_) += y;
  }
  return solution;
}

/// Column d of A that depends on those that are kept is A_kept w, and e_d - w is in the null space.
void SaddlePoint::find_null_space(const Sparse& a, const std::vector<Index>& dependent) {
  const auto count = static_cast<Index>(dependent.size());
  null_space_.resize(m_, count);
  if (count == 0) return;
  Matrix basis(m_, count);
  Vector y(m_);
  for (Index k = 0; k < count; ++k) {
    const Index d = dependent[static_cast<std::size_t>(k)];
    spread(solved(Vector(a.col(d)), Vector::Zero(m_)), y);
    basis.col(k) = -y;
    basis(d, k) = 1;
  }
  null_space_ = Eigen::HouseholderQR<Matrix>(basis).householderQ() * Matrix::Identity(m_, count);
}

/// What the factors make of the scaled right side, with one step of refinement.
Vector SaddlePoint::solved(const Vector& f, const Vector& c) const {
  Vector right(n_ + static_cast<Index>(kept_.size()));
  right.head(n_) = f;
  for (std::size_t k = 0; k < kept_.size(); ++k) right[n_ + static_cast<Index>(k)] = c[kept_[k]];
  if (!lu_) return solved_by_triangle(right);
  Vector solution = lu_->solve(right);
  const Vector defect = right - matrix_ * solution;
  solution += lu_->solve(defect);
  return solution;
}

/// The multipliers of a solution, zero for those that are not kept.
void SaddlePoint::spread(const Vector& solution, Vector& y) const {
  y.setZero(m_);
  for (std::size_t k = 0; k < kept_.size(); ++k) y[kept_[k]] = solution[n_ + static_cast<Index>(k)];
}

void SaddlePoint::solve(const Vector& f, const Vector& c, Vector& x, Vector& y) const {
  if (root_) {
    x = f;
    root_->solve_lower(x);
    y.resize(m_);
    if (weighted_.size() > 0) {
      // A^+ f and A^T+ c, A = L^-1 G^T S: x = A^T+ c + f - A A^+ f, S y = A^+ (f - x)
      const Vector y_free = cod_.solve(x), x_fixed = cod_.transpose().solve(c.cwiseProduct(row_scale_));
      y = (y_free - cod_.solve(x_fixed)).cwiseProduct(row_scale_);
      x += x_fixed - weighted_ * y_free;
    } else if (m_ > 0) {
      const auto r = qr_.matrixR().topLeftCorner(m_, m_).triangularView<Eigen::Upper>();
      const Vector permuted = qr_.colsPermutation().transpose() * c.cwiseProduct(row_scale_);
      const Vector rc = r.transpose().solve(permuted);
      Vector rotated = qr_.householderQ().adjoint() * x;
      const Vector rest = r.solve(rotated.head(m_) - rc);
      y = (qr_.colsPermutation() * rest).cwiseProduct(row_scale_);
      rotated.head(m_) = rc;
      x = qr_.householderQ() * rotated;
    }
    root_->solve_lower_transposed(x);
    return;
  }
  // The range of A^T is what is orthogonal to the null space of A: c counts there, and y has its least norm there.
  Vector reached = c.cwiseProduct(row_scale_);
  reached -= null_space_ * (null_space_.transpose() * reached).eval();
  const Vector solution = solved(f.cwiseProduct(mass_scale_), reached);
  x = solution.head(n_).cwiseProduct(mass_scale_);
  spread(solution, y);
  y -= null_space_ * (null_space_.transpose() * y).eval();
  y.array() *= row_scale_.array();
}

}  // namespace gnomon
