#include "gnomon/start/border.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/start/consistency.hpp"
#include "model/bordered_system.hpp"
#include "start/left_null_space.hpp"
#include "start/saddle_point.hpp"

namespace gnomon {

struct Border::Impl final : public BorderedSystem::LeastNorm {
  std::shared_ptr<const System> given;
  std::shared_ptr<BorderedSystem> bordered;
  std::vector<Index> dependent;     // a row for each column of Y, which is the unit matrix in these
  LeftNullSpace null_space;         // with B in the rows of `dependent` only
  std::vector<NullVector> columns;  // of Y, from set_pattern() on
  Matrix basis;                     // D Y of the last renewal, zero outside the pattern
  Matrix border;                    // B of the same
  double independence = 0;          // of the columns of the same
  Matrix candidate, gram;
  Eigen::LDLT<Matrix> gram_factors;
  SparsityPattern pattern;                        // of Y
  Index positions;                                // how many constraints are of positions
  mutable std::optional<LeftNullSpace> at_point;  // of projection()
  mutable Matrix projected, overlap, solved;
  mutable Eigen::LDLT<Matrix> overlap_factors;
  double time = 0;
  Vector position;  // of take(), [q, t]

  Impl(std::shared_ptr<const System> system, std::vector<Index> rows)
      : given(std::move(system)),
        dependent(std::move(rows)),
        null_space(*given, units(given->m(), dependent)),
        positions(given->m() - given->parts().n_velocity_constraints()) {
    border.setZero(given->m(), static_cast<Index>(dependent.size()));
    basis = border;
  }
  /// B before any basis is known: A_ii^1/2 in the rows of `dependent`.
  void begin(double t, const Vector& q) {
    null_space.evaluate(t, q);
    for (Index j = 0; j < border.cols(); ++j) {
      const Index i = dependent[static_cast<std::size_t>(j)];
      border(i, j) = null_space.length()[i];
    }
  }
  bool of_velocities(Index j) const { return dependent[static_cast<std::size_t>(j)] >= positions; }
  /// The columns of Y with rows of both kinds.
  std::vector<Index> mixed() const {
    std::vector<Index> found;
    for (Index j = 0; j < pattern.cols; ++j)
      for (Index i = 0; i < positions && of_velocities(j); ++i)
        if (pattern.find(i, j) >= 0) {
          found.push_back(j);
          break;
        }
    return found;
  }
  void set_pattern(const SparsityPattern& of_basis) {
    pattern = of_basis;
    PatternBuilder of_border(pattern.rows, pattern.cols);
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index e = pattern.offsets[i]; e < pattern.offsets[i + 1]; ++e)
        if (i >= positions || !of_velocities(pattern.indices[e])) of_border.add(i, pattern.indices[e]);
    const SparsityPattern written = of_border.build();
    bordered = std::make_shared<BorderedSystem>(given, written);
    candidate = Matrix::Zero(border.rows(), border.cols());
    gram = Matrix::Identity(border.cols(), border.cols());
    gram_factors.compute(gram);  // takes its storage
    columns.clear();
    for (Index j = 0; j < pattern.cols; ++j) columns.emplace_back(given->constraint_pattern(), pattern, j);
    if (!given->parts().friction) return;
    at_point.emplace(*given, written);
    projected.setIdentity(given->m(), given->m());
    overlap.setZero(border.cols(), border.cols());
    bordered->set_least_norm(this);
  }

  /// D Y where null_space was evaluated, on the pattern, as candidate.
  bool find_columns() {
    for (NullVector& column : columns)
      if (!column.find(null_space, border)) return false;
    for (const NullVector& column : columns) column.write(candidate);
    return true;
  }
  /// The smallest pivot of X^T X, whose columns have length one: 0 where one is a combination of others.
  double independence_of(const Matrix& x) {
    gram.setZero();
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index e = pattern.offsets[i]; e < pattern.offsets[i + 1]; ++e)
        for (Index f = pattern.offsets[i]; f <= e; ++f)
          gram(pattern.indices[e], pattern.indices[f]) += x(i, pattern.indices[e]) * x(i, pattern.indices[f]);
    gram_factors.compute(gram);
    return gram_factors.vectorD().minCoeff();
  }
  /// There are positions where G loses no rank and two columns become one, since each is found in its own rows only.
  /// There the present B is kept. At q about 1 - misfit of its columns is left in the null space, and the square of
  /// that of its pivots; a tenth of what columns at right angles have is enough.
  bool is_outgrown(double t, const Vector& q, double allowed) {
    constexpr double independent = 0.1;
    const double by = misfit(t, q), left = std::max(0.0, 1 - by);
    return by > allowed && find_columns() &&
           independence_of(candidate) >= std::min(independent, left * left * independence);
  }

  /// Y and B at q, on the pattern.
  bool take(double t, const ConstVectorRef& q) {
    time = t;
    null_space.evaluate(t, q);
    if (!find_columns()) return false;
    basis.swap(candidate);
    independence = independence_of(basis);
    border = null_space.length().asDiagonal() * basis;
    for (Index j = 0; j < border.cols(); ++j)
      if (of_velocities(j)) border.col(j).head(positions).setZero();
    write();
    set_position(t, q, position);
    return true;
  }
  void write() {
    const SparsityPattern& written = bordered->border_pattern();
    values_.resize(written.nonzeros());
    for (Index i = 0; i < written.rows; ++i)
      for (Index e = written.offsets[i]; e < written.offsets[i + 1]; ++e) values_[e] = border(i, written.indices[e]);
    bordered->set_border(values_);
  }
  double misfit(double t, const Vector& q) {
    null_space.evaluate(t, q);
    double largest = 0;
    for (Index j = 0; j < basis.cols(); ++j) largest = std::max(largest, null_space.misfit(basis.col(j)));
    return largest;
  }

  /// P = 1 - D^-1 X (X^T X)^-1 X^T D, X = D Y at q
  const Matrix& projection(const ConstVectorRef& q) const override {
    at_point->evaluate(time, q);
    if (!at_point->find(border)) throw CannotEvaluate("constraints that repeat others no longer do");
    const Matrix& x = at_point->basis();
    overlap.noalias() = x.transpose() * x;
    overlap_factors.compute(overlap);
    solved = x.transpose();
    overlap_factors.solveInPlace(solved);
    projected.setIdentity();
    projected.noalias() -= x * solved;
    const Vector& length = at_point->length();
    for (Index j = 0; j < projected.cols(); ++j) projected.col(j).array() *= length[j] / length.array();
    return projected;
  }

 private:
  static SparsityPattern units(Index m, const std::vector<Index>& rows) {
    PatternBuilder pattern(m, static_cast<Index>(rows.size()));
    for (std::size_t j = 0; j < rows.size(); ++j) pattern.add(rows[j], static_cast<Index>(j));
    return pattern.build();
  }

  Vector values_;
};

Border::Border(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Border::~Border() = default;

std::shared_ptr<Border> Border::find(std::shared_ptr<const System> system, double t, const Vector& q) {
  const ConstraintRank rank = constraint_rank(*system, t, q);
  if (rank.rank == system->m()) return nullptr;
  const std::vector<Vector> others = positions_beside(*system, t, q);
  if (const Index there = rank_beside(*system, t, q); there > rank.rank)
    throw Error(ErrorCode::rank_deficient,
                "system " + system->name() + ": the start is a singular position: the constraint Jacobian G has rank " +
                    std::to_string(rank.rank) + " there and " + std::to_string(there) +
                    " beside it, and where the motion goes on is not determined; start beside it");
  auto impl = std::make_unique<Impl>(system, rank.dependent);
  impl->begin(t, q);
  if (!impl->null_space.find(impl->border)) throw_rank_deficient(*system, rank);
  const Index positions = impl->positions;
  if (positions < system->m()) impl->dependent = dependent_rows(impl->null_space.basis(), positions);
  if (!impl->null_space.reduce(impl->dependent)) throw_rank_deficient(*system, rank);
  impl = std::make_unique<Impl>(system, sparser_rows(impl->null_space.basis(), impl->dependent, positions));
  impl->begin(t, q);
  // The entries of Y that are not zero in any of these positions.
  Matrix largest = Matrix::Zero(system->m(), impl->border.cols());
  const auto look = [&](const Vector& at) {
    impl->null_space.evaluate(t, at);
    if (!impl->null_space.find(impl->border) || !impl->null_space.reduce(impl->dependent)) return false;
    largest = largest.cwiseMax(impl->null_space.basis().cwiseAbs());
    return true;
  };
  bool found = look(q);
  for (const Vector& other : others) found = look(other) && found;
  if (!found) throw_rank_deficient(*system, rank);
  PatternBuilder pattern(system->m(), largest.cols());
  for (Index j = 0; j < largest.cols(); ++j)
    for (Index i = 0; i < largest.rows(); ++i)
      if (largest(i, j) > thresholds::border_rounding * largest.col(j).maxCoeff()) pattern.add(i, j);
  impl->set_pattern(pattern.build());
  if (!impl->take(t, q)) throw_rank_deficient(*system, rank);
  return std::shared_ptr<Border>(new Border(std::move(impl)));
}

std::shared_ptr<const System> Border::system() const {
  return impl_->bordered;
}
Index Border::size() const {
  return impl_->border.cols();
}
std::vector<Index> Border::rows() const {
  const std::vector<Index>& offsets = impl_->pattern.offsets;
  std::vector<Index> all;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] < offsets[i + 1]) all.push_back(static_cast<Index>(i));
  return all;
}
std::vector<Index> Border::mixed() const {
  return impl_->mixed();
}
double Border::misfit(double t, const Vector& q) {
  return impl_->misfit(t, q);
}
bool Border::is_outgrown(double t, const Vector& q, double allowed) {
  return impl_->is_outgrown(t, q, allowed);
}
bool Border::take(const ConstVectorRef& position) {
  if (position == impl_->position) return true;
  const Index n = position.size() - 1;
  return impl_->take(position[n], position.head(n));
}
void Border::set_position(double t, const ConstVectorRef& q, Vector& position) {
  position.resize(q.size() + 1);
  position << q, t;
}
void Border::set_time(double t) {
  impl_->time = t;
}

std::shared_ptr<Border> Border::read(std::shared_ptr<const System> system, Archive& archive) {
  std::vector<long> rows, entries;
  archive(rows, entries);
  const auto m = static_cast<long>(system->m()), k = static_cast<long>(rows.size());
  const auto within = [](const std::vector<long>& all, long size) {
    return std::all_of(all.begin(), all.end(), [size](long i) { return i >= 0 && i < size; });
  };
  archive.require(k > 0 && k <= m && within(rows, m) && within(entries, m * k),
                  "its constraints that repeat others are none of this model");
  auto impl = std::make_unique<Impl>(system, std::vector<Index>(rows.begin(), rows.end()));
  PatternBuilder pattern(m, k);
  for (const long entry : entries) pattern.add(entry / k, entry % k);
  impl->set_pattern(pattern.build());
  std::shared_ptr<Border> border(new Border(std::move(impl)));
  archive(border->impl_->basis, border->impl_->border, border->impl_->position, border->impl_->time);
  const auto fits = [&](const Matrix& x) { return x.rows() == m && x.cols() == k && x.allFinite(); };
  archive.require(fits(border->impl_->basis) && fits(border->impl_->border) &&
                      border->impl_->position.size() == system->n() + 1 && border->impl_->position.allFinite(),
                  "its basis of the constraints that repeat others has another size");
  border->impl_->independence = border->impl_->independence_of(border->impl_->basis);
  border->impl_->write();
  return border;
}

void Border::write(Archive& archive) {
  std::vector<long> rows(impl_->dependent.begin(), impl_->dependent.end()), entries;
  const SparsityPattern& pattern = impl_->pattern;
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index e = pattern.offsets[i]; e < pattern.offsets[i + 1]; ++e)
      entries.push_back(i * pattern.cols + pattern.indices[e]);
  archive(rows, entries, impl_->basis, impl_->border, impl_->position, impl_->time);
}

ProblemInstance bordered(const ProblemInstance& instance, const Border& border) {
  ProblemInstance out = instance;
  out.model = border.system();
  const Index n = instance.q0.size(), k = border.size();
  out.q0 = out.p0 = Vector::Zero(n + k);
  out.q0.head(n) = instance.q0;
  out.p0.head(n) = instance.p0;
  return out;
}

}  // namespace gnomon
