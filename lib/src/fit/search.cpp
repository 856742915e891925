#include "fit/search.hpp"

#include <algorithm>
#include <cmath>

#include "fit/determined.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

/// Estimates of the errors of columns that change by a smaller part are final, and so many are made at most.
constexpr double final_change = 0x1p-10;
constexpr int most_estimates = 12;
/// The residuals of a column count as so many values at least.
constexpr double least_freedom = 0.5;
/// A part of what was measured: an error that is rounding.
constexpr double least_sigma = 0x1p-40;
/// A part of the tolerance of steps: how far apart their sizes put the numbers that are sought.
constexpr double part_of_tolerance = 0x1p-4;
/// A part of the size of a parameter: nearer it is at its bound.
constexpr double at_bound = 0x1p-40;

class Search {
 public:
  Search(FittedMotion& motion, const FitSetup& setup) : motion_(motion), setup_(setup), n_(size(motion.free())) {
    sizes_.resize(n_);
    found_.x.resize(n_);
    for (Index j = 0; j < n_; ++j) {
      sizes_[j] = free(j).size;
      found_.x[j] = free(j).began;
    }
    known_.resize(n_);
  }

  Found all() {
    const std::string name = setup_.problem->name();
    if (!look(found_.x, true))
      throw Error(ErrorCode::refused,
                  "the search begins where " + name + " has no motion with derivatives: " + motion_.why());
    const auto columns = columns_of(motion_, setup_.columns.size(), y_);
    found_.sigma.resize(static_cast<Index>(columns.size()));
    long unknown = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool given = setup_.columns[c].sigma > 0;
      if (!given && columns[c].count > 0) ++unknown;
      sigma(c) = given ? setup_.columns[c].sigma : columns[c].size > 0 ? columns[c].size : 1;
    }
    const bool one = unknown == static_cast<long>(columns.size()) && unknown == 1;
    for (int k = 0; k < most_estimates; ++k) {
      const bool stopped = !minimise();
      if (unknown == 0) break;
      const double change = estimate_sigma();
      if (stopped || one || change < final_change) break;
    }
    look(found_.x, true);
    found_.y = y_;
    found_.by = by_;
    return std::move(found_);
  }

 private:
  static Index size(const std::vector<Free>& free) { return static_cast<Index>(free.size()); }
  const Free& free(Index j) const { return motion_.free()[static_cast<std::size_t>(j)]; }
  double& sigma(std::size_t c) { return found_.sigma[static_cast<Index>(c)]; }

  /// y_, and with derivatives by_, at x; what is known from the last call is not computed again.
  bool look(const Vector& x, bool derivatives) {
    const bool same = has_y_ && x == known_;
    if (same && (has_by_ || !derivatives)) return true;
    known_ = x;
    has_by_ = false;
    has_y_ = motion_.evaluate(x, y_, derivatives ? &by_ : nullptr);
    has_by_ = has_y_ && derivatives;
    return has_y_;
  }
  Vector residuals() const {
    Vector r(y_.size());
    for (Index i = 0; i < r.size(); ++i) {
      const FittedMotion::Place& place = motion_.places()[static_cast<std::size_t>(i)];
      r[i] = (y_[i] - place.measured) / found_.sigma[static_cast<Index>(place.column)];
    }
    return r;
  }
  /// d residuals/du with x = sizes u
  Matrix scaled_jacobian() const {
    Matrix out = by_ * sizes_.asDiagonal();
    for (Index i = 0; i < out.rows(); ++i)
      out.row(i) /= found_.sigma[static_cast<Index>(motion_.places()[static_cast<std::size_t>(i)].column)];
    return out;
  }

  /// Parameters at their bounds whose sum of squares falls beyond them are held there, and the others go on. False: it
  /// was stopped.
  bool minimise() {
    found_.at_bound.assign(static_cast<std::size_t>(n_), 0);
    for (Index round = 0; round <= n_; ++round) {
      if (!minimise_others()) return false;
      if (!hold_at_bounds()) break;
    }
    return true;
  }

  bool minimise_others() {
    std::vector<Index> moves;
    for (Index j = 0; j < n_; ++j)
      if (found_.at_bound[static_cast<std::size_t>(j)] == 0) moves.push_back(j);
    const auto count = static_cast<Index>(moves.size());
    if (count == 0) return true;
    LeastSquaresProblem problem;
    problem.residuals = static_cast<Index>(motion_.places().size());
    problem.start.resize(count);
    problem.lower.resize(count);
    problem.upper.resize(count);
    for (Index k = 0; k < count; ++k) {
      const Index j = moves[static_cast<std::size_t>(k)];
      problem.start[k] = found_.x[j] / sizes_[j];
      problem.lower[k] = free(j).lower / sizes_[j];
      problem.upper[k] = free(j).upper / sizes_[j];
    }
    const auto numbers = [&](const Vector& u) {
      Vector x = found_.x;
      for (Index k = 0; k < count; ++k) {
        const Index j = moves[static_cast<std::size_t>(k)];
        x[j] = std::clamp(u[k] * sizes_[j], free(j).lower, free(j).upper);
      }
      return x;
    };
    problem.evaluate = [&](const Vector& u, Vector& r, Matrix* jacobian) {
      if (!look(numbers(u), jacobian != nullptr)) return false;
      r = residuals();
      if (!jacobian) return true;
      const Matrix all = scaled_jacobian();
      jacobian->resize(all.rows(), count);
      for (Index k = 0; k < count; ++k) jacobian->col(k) = all.col(moves[static_cast<std::size_t>(k)]);
      return true;
    };
    bool stopped = false;
    problem.stop = [&] { return stopped = setup_.stop && setup_.stop(); };
    problem.most_iterations = setup_.most_iterations;
    problem.precision = part_of_tolerance * setup_.tolerance;
    const LeastSquares& by = setup_.least_squares ? *setup_.least_squares : ceres_least_squares();
    const LeastSquaresSolution solution = by.minimise(problem);
    found_.x = numbers(solution.x);
    found_.converged = solution.converged && !stopped;
    found_.message = stopped ? "it was interrupted" : solution.message;
    found_.iterations += solution.iterations;
    return !stopped;
  }

  /// True: one more is held, or one is free again.
  bool hold_at_bounds() {
    if (!look(found_.x, true)) return false;
    const Vector slope = scaled_jacobian().transpose() * residuals();
    bool changed = false;
    for (Index j = 0; j < n_; ++j) {
      char& held = found_.at_bound[static_cast<std::size_t>(j)];
      const double near = at_bound * sizes_[j];
      const bool lowest = found_.x[j] - free(j).lower <= near, highest = free(j).upper - found_.x[j] <= near;
      const char now = lowest && slope[j] > 0 ? -1 : highest && slope[j] < 0 ? 1 : 0;
      changed = changed || now != held;
      held = now;
      if (now != 0) found_.x[j] = now < 0 ? free(j).lower : free(j).upper;
    }
    return changed;
  }

  /// From what is left, of each column; the largest change, as a part.
  double estimate_sigma() {
    if (!look(found_.x, true)) return 0;
    found_.y = y_;
    found_.by = by_;
    const Vector freedom = determine(motion_, found_).freedom;
    const auto columns = columns_of(motion_, setup_.columns.size(), y_);
    double change = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const OfColumn& of = columns[c];
      if (setup_.columns[c].sigma > 0 || of.count == 0) continue;
      const double least = least_sigma * (of.size > 0 ? of.size : 1);
      const double left = std::max(freedom[static_cast<Index>(c)], least_freedom);
      const double now = std::max(std::sqrt(of.sum_of_squares / left), least);
      change = std::max(change, std::abs(now - sigma(c)) / now);
      sigma(c) = now;
    }
    return change;
  }

  FittedMotion& motion_;
  const FitSetup& setup_;
  Index n_;
  Vector sizes_;
  Found found_;
  Vector known_, y_;  ///< where y_ and by_ are from
  Matrix by_;
  bool has_y_ = false, has_by_ = false;
};

}  // namespace

std::vector<OfColumn> columns_of(const FittedMotion& motion, std::size_t columns, const Vector& y) {
  std::vector<OfColumn> out(columns);
  std::vector<double> sum(columns), squares(columns);
  for (Index i = 0; i < y.size(); ++i) {
    const FittedMotion::Place& place = motion.places()[static_cast<std::size_t>(i)];
    OfColumn& of = out[place.column];
    const double off = y[i] - place.measured;
    of.sum_of_squares += off * off;
    ++of.count;
    sum[place.column] += place.measured;
  }
  for (const FittedMotion::Place& place : motion.places()) {
    const double off = place.measured - sum[place.column] / static_cast<double>(out[place.column].count);
    squares[place.column] += off * off;
  }
  for (std::size_t c = 0; c < columns; ++c)
    if (out[c].count > 0) out[c].size = std::sqrt(squares[c] / static_cast<double>(out[c].count));
  return out;
}

Found search(FittedMotion& motion, const FitSetup& setup) {
  return Search(motion, setup).all();
}

}  // namespace gnomon
