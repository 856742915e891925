#include "gnomon/start/border.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/gram_cholesky.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/start/consistency.hpp"
#include "model/bordered_system.hpp"
#include "start/saddle_point.hpp"

namespace gnomon {

namespace {

/// Rows in place of `dependent`, those in which the columns y_j of a basis are the unit matrix, for which the same span
/// has columns with fewer entries. In place of row d_j a row i makes
///
///     y_j <- y_j / y_ij,    y_c <- y_c - y_ic y_j,    c != j,
///
/// and the row that takes most entries away is taken, column after column, as long as there is one. A chain of closed
/// loops ends with columns that do not leave their loop: of two loops that meet, a row of the joint between them would
/// couple all that follow. Rows of velocities, from `positions` on, are exchanged among themselves.
std::vector<Index> sparser_rows(Matrix y, std::vector<Index> dependent, Index positions) {
  constexpr double least_pivot = 0.1;
  constexpr int most_sweeps = 20;
  const auto clean = [&y](Index j) {
    const double zero = thresholds::border_rounding * y.col(j).lpNorm<Eigen::Infinity>();
    y.col(j) = (y.col(j).array().abs() > zero).select(y.col(j), 0);
  };
  for (Index j = 0; j < y.cols(); ++j) clean(j);
  std::vector<Index> support, others;
  const auto find_others = [&](Index i, Index j) {
    others.clear();
    for (Index c = 0; c < y.cols(); ++c)
      if (c != j && y(i, c) != 0) others.push_back(c);
  };
  const auto exchange = [&](Index j) {
    support.clear();
    for (Index i = 0; i < y.rows(); ++i)
      if (y(i, j) != 0) support.push_back(i);
    const double large = least_pivot * y.col(j).lpNorm<Eigen::Infinity>();
    Index best = -1;
    long most = 0;
    const bool of_velocities = dependent[static_cast<std::size_t>(j)] >= positions;
    for (const Index i : support) {
      if (std::abs(y(i, j)) < large || (i < positions && of_velocities)) continue;
      find_others(i, j);
      long gone = 0;
      for (const Index c : others) {
        const double factor = y(i, c) / y(i, j);
        for (const Index r : support) {
          const double before = y(r, c), change = factor * y(r, j), after = before - change;
          const bool stays =
              std::abs(after) > thresholds::border_rounding * std::max(std::abs(before), std::abs(change));
          gone += static_cast<long>(before != 0) - static_cast<long>(stays);
        }
      }
      if (gone > most) {
        most = gone;
        best = i;
      }
    }
    if (best < 0) return false;
    find_others(best, j);
    y.col(j) /= y(best, j);
    for (const Index c : others) {
      y.col(c) -= y(best, c) * y.col(j);
      clean(c);
    }
    dependent[static_cast<std::size_t>(j)] = best;
    return true;
  };
  bool any = true;
  for (int sweep = 0; any && sweep < most_sweeps; ++sweep) {
    any = false;
    for (Index j = 0; j < y.cols(); ++j) any = exchange(j) || any;
  }
  return dependent;
}

/// The left null space of G near a position where B, m x k, makes (G, B) regular: with the rows of G M^-1/2 and of B
/// divided by D = diag(A_ii)^1/2,
///
///     K = D^-1 (A + B B^T) D^-1,    Y = D^-1 K^-1 D^-1 B,
///
/// for K (K^-1 D^-1 B) = D^-1 B and D^-1 A y = 0 of y in the span of Y: K D y = D^-1 B (B^T y).
class LeftNullSpace {
 public:
  LeftNullSpace(const System& system, const SparsityPattern& border)
      : system_(&system), m_(system.m()), border_(border) {
    const SparsityPattern& g = system.constraint_pattern();
    values_.setZero(g.nonzeros());
    length_.setOnes(m_);
    inverse_mass_ = system.mass().diagonal_entries().cwiseInverse();
    inverse_root_ = inverse_mass_.cwiseSqrt();
    basis_.setZero(m_, border.cols);
    row_.setZero(system.n());
    PatternBuilder wide(m_, g.cols + border.cols);
    wide.add(g, 0, 0);
    wide.add(border, 0, g.cols);
    const SparsityPattern pattern = wide.build();
    wide_.setZero(pattern.nonzeros());
    factors_ = GramCholesky(pattern, pattern);
  }

  /// G on its pattern and A_ii, with diag(M) for M.
  void evaluate(double t, const ConstVectorRef& q) {
    system_->constraint_jacobian(t, q, values_);
    row_lengths(system_->constraint_pattern(), values_, system_->mass().diagonal_entries(), length_);
  }
  /// D, after evaluate()
  const Vector& length() const { return length_; }
  /// An entry of D^-1 G M^-1/2 by its position in the pattern of G and its row, after evaluate()
  double scaled(Index row, Index e) const {
    return values_[e] * inverse_root_[system_->constraint_pattern().indices[e]] / length_[row];
  }
  /// D Y for B = border; false where (G, B) has lost rank. After evaluate().
  bool find(const Matrix& border) {
    const SparsityPattern& g = system_->constraint_pattern();
    Index next = 0;
    for (Index i = 0; i < m_; ++i) {
      for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e) wide_[next++] = scaled(i, e);
      for (Index e = border_.offsets[i]; e < border_.offsets[i + 1]; ++e)
        wide_[next++] = border(i, border_.indices[e]) / length_[i];
    }
    if (!factors_.factorise(wide_, wide_)) return false;
    basis_ = length_.cwiseInverse().asDiagonal() * border;
    for (Index j = 0; j < basis_.cols(); ++j) factors_.solve(basis_.col(j));
    return basis_.allFinite();
  }
  /// D Y, after find(), m x k.
  const Matrix& basis() const { return basis_; }
  /// Other columns of the same span, the unit matrix in the rows `dependent`. False where there are none.
  bool reduce(const std::vector<Index>& dependent) {
    for (Index j = 0; j < basis_.cols(); ++j) {
      const Index row = dependent[static_cast<std::size_t>(j)];
      Index largest = j;
      for (Index c = j; c < basis_.cols(); ++c)
        if (std::abs(basis_(row, c)) > std::abs(basis_(row, largest))) largest = c;
      if (!(std::abs(basis_(row, largest)) > thresholds::rank)) return false;
      if (largest != j) basis_.col(j).swap(basis_.col(largest));
      basis_.col(j) /= basis_(row, j);
      for (Index c = 0; c < basis_.cols(); ++c) {
        const double factor = basis_(row, c);
        if (c != j && factor != 0) basis_.col(c) -= factor * basis_.col(j);
      }
    }
    return basis_.allFinite();
  }
  /// |M^-1/2 G^T y| / |D y|, y = D^-1 times the scaled column
  double misfit(const ConstVectorRef& scaled) {
    row_.setZero();
    const SparsityPattern& g = system_->constraint_pattern();
    double size = 0;
    for (Index i = 0; i < m_; ++i) {
      if (scaled[i] == 0) continue;
      const double y = scaled[i] / length_[i];
      size += scaled[i] * scaled[i];
      for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e) row_[g.indices[e]] += y * values_[e];
    }
    return std::sqrt(row_.cwiseAbs2().dot(inverse_mass_) / size);
  }

 private:
  const System* system_;
  Index m_;
  SparsityPattern border_;
  Vector values_, length_, inverse_mass_, inverse_root_, row_, wide_;
  Matrix basis_;
  GramCholesky factors_;
};

/// One column of Y whose entries lie in known rows, among which there is no other: as above, of these rows alone.
class NullVector {
 public:
  /// of: a column of `pattern`, that of Y
  NullVector(const SparsityPattern& g, const SparsityPattern& pattern, Index of) : g_(&g), of_(of) {
    for (Index i = 0; i < pattern.rows; ++i)
      if (pattern.find(i, of) >= 0) rows_.push_back(i);
    std::vector<Index> columns;
    for (const Index i : rows_)
      columns.insert(columns.end(), g.indices.begin() + g.offsets[i], g.indices.begin() + g.offsets[i + 1]);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const auto size = static_cast<Index>(rows_.size()), last = static_cast<Index>(columns.size());
    PatternBuilder builder(size, last + 1);
    for (Index r = 0; r < size; ++r) {
      const Index i = rows_[static_cast<std::size_t>(r)];
      for (Index e = g.offsets[i]; e < g.offsets[i + 1]; ++e)
        builder.add(r, std::lower_bound(columns.begin(), columns.end(), g.indices[e]) - columns.begin());
      builder.add(r, last);
    }
    const SparsityPattern wide = builder.build();
    wide_.setZero(wide.nonzeros());
    y_.setZero(size);
    factors_ = GramCholesky(wide, wide);
  }

  /// For this column of B = border; false where (G, B) has lost rank. After at.evaluate(). With one row of what this
  /// finds in the place of B it is found again, so that it does not depend on B.
  bool find(const LeftNullSpace& at, const Matrix& border) {
    Index r = 0;
    for (const Index i : rows_) y_[r++] = border(i, of_) / at.length()[i];
    if (!solve(at)) return false;
    const double large = large_part * y_.lpNorm<Eigen::Infinity>();
    r = 0;
    while (std::abs(y_[r]) < large) ++r;
    y_ = Vector::Unit(y_.size(), r);
    return solve(at);
  }
  /// The column of D Y, of length one, after find().
  void write(Matrix& basis) const {
    Index r = 0;
    for (const Index i : rows_) basis(i, of_) = y_[r++];
  }

 private:
  static constexpr double large_part = 0.37;  // entries of equal size do not compete

  /// y <- D Y, of length one, from D^-1 B
  bool solve(const LeftNullSpace& at) {
    Index next = 0, r = 0;
    for (const Index i : rows_) {
      for (Index e = g_->offsets[i]; e < g_->offsets[i + 1]; ++e) wide_[next++] = at.scaled(i, e);
      wide_[next++] = y_[r++];
    }
    if (!factors_.factorise(wide_, wide_)) return false;
    factors_.solve(y_);
    y_.normalize();
    return y_.allFinite();
  }

  const SparsityPattern* g_;
  Index of_;
  std::vector<Index> rows_;
  Vector wide_, y_;
  GramCholesky factors_;
};

/// Rows in which columns of the same span are the unit matrix: as many of velocities, from `positions` on, as there
/// are, so that the other columns are of positions alone.
std::vector<Index> dependent_rows(Matrix y, Index positions) {
  std::vector<Index> rows(static_cast<std::size_t>(y.cols()), -1);
  const double size = y.cwiseAbs().maxCoeff();
  for (const bool of_velocities : {true, false}) {
    const Index first = of_velocities ? positions : 0, count = of_velocities ? y.rows() - positions : positions;
    for (bool more = true; more;) {
      more = false;
      Index row = -1, column = -1;
      double largest = thresholds::rank * size;
      for (Index c = 0; c < y.cols(); ++c)
        for (Index i = first; rows[static_cast<std::size_t>(c)] < 0 && i < first + count; ++i)
          if (std::abs(y(i, c)) > largest) {
            largest = std::abs(y(i, c));
            row = i;
            column = c;
            more = true;
          }
      if (!more) break;
      rows[static_cast<std::size_t>(column)] = row;
      y.col(column) /= y(row, column);
      for (Index c = 0; c < y.cols(); ++c)
        if (c != column) y.col(c) -= y(row, c) * Vector(y.col(column));
    }
    if (of_velocities)
      for (Index c = 0; c < y.cols(); ++c)
        if (rows[static_cast<std::size_t>(c)] < 0) y.col(c).tail(y.rows() - positions).setZero();
  }
  return rows;
}

}  // namespace

struct Border::Impl final : public BorderedSystem::LeastNorm {
  std::shared_ptr<const System> given;
  std::shared_ptr<BorderedSystem> bordered;
  std::vector<Index> dependent;                   // a row for each column of Y, which is the unit matrix in these
  LeftNullSpace null_space;                       // with B in the rows of `dependent` only
  std::vector<NullVector> columns;                // of Y, from set_pattern() on
  Matrix basis;                                   // D Y of the last renewal, zero outside the pattern
  Matrix border;                                  // B of the same
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
    columns.clear();
    for (Index j = 0; j < pattern.cols; ++j) columns.emplace_back(given->constraint_pattern(), pattern, j);
    if (!given->parts().friction) return;
    at_point.emplace(*given, written);
    projected.setIdentity(given->m(), given->m());
    overlap.setZero(border.cols(), border.cols());
    bordered->set_least_norm(this);
  }

  /// Y and B at q, on the pattern.
  bool take(double t, const ConstVectorRef& q) {
    time = t;
    null_space.evaluate(t, q);
    for (NullVector& column : columns)
      if (!column.find(null_space, border)) return false;
    for (const NullVector& column : columns) column.write(basis);
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
