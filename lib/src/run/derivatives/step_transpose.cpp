#include "run/derivatives/step_transpose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

namespace {

/// Parts of the sizes: a change in a quotient of two points, whose remainder goes with its square and whose rounding,
/// that of Extended, with its inverse; and one that shows what depends on an argument.
constexpr double small_change = 0x1p-20, seen_change = 0x1p-9;
constexpr Index few_unknowns = 60;

}  // namespace

void ColouredQuotients::set(Vector sizes, std::vector<bool> rows) {
  sizes_ = std::move(sizes);
  rows_ = std::move(rows);
  change_.setZero(sizes_.size());
}

bool ColouredQuotients::find_pattern(const Function& f, const Vector& beside) {
  const VectorOf<Extended> base = beside.cast<Extended>();
  change_ = base;
  if (!f(change_, down_)) return false;
  for (Index j = 0; j < columns(); ++j) {
    change_[j] += seen_change * sizes_[j];
    if (!f(change_, up_)) return false;
    change_[j] = base[j];
    for (Index i = 0; i < up_.size(); ++i)
      if (rows_[static_cast<std::size_t>(i)] && up_[i] != down_[i]) entries_.emplace_back(i, j);
  }
  set_pattern();
  return true;
}

void ColouredQuotients::set_pattern() {
  pattern_ = SparsityPattern::from_entries(static_cast<Index>(rows_.size()), columns(), entries_);
  colouring_ = colour_columns(pattern_);
  used_.assign(static_cast<std::size_t>(columns()), false);
  for (const auto& entry : entries_) used_[static_cast<std::size_t>(entry.second)] = true;
  values_.setZero(pattern_.nonzeros());
}

void ColouredQuotients::restrict(const std::vector<bool>& rows, Index columns) {
  const auto out = [&](const auto& entry) {
    return !rows[static_cast<std::size_t>(entry.first)] || entry.second >= columns;
  };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), out), entries_.end());
  set_pattern();
}

bool ColouredQuotients::depends(Index first_row, Index end_row, Index first) const {
  return std::any_of(entries_.begin(), entries_.end(), [=](const auto& entry) {
    return entry.first >= first_row && entry.first < end_row && entry.second >= first;
  });
}

bool ColouredQuotients::evaluate(const Function& f, bool extended) {
  const double change = extended ? small_change : seen_change;
  for (std::size_t colour = 0; colour < static_cast<std::size_t>(colouring_.colours); ++colour) {
    if (colouring_.entries[colour].empty()) continue;
    sum_.setZero(pattern_.rows);
    for (std::size_t k = 0; k < (extended ? 2 : n_points); ++k) {
      change_.setZero();
      for (const Index j : colouring_.columns[colour])
        if (used_[static_cast<std::size_t>(j)]) change_[j] = line_points[k] * change * sizes_[j];
      if (!f(change_, up_)) return false;
      sum_ += (k % 2 == 0 ? 1 : -1) * (extended ? 0.5L : sixth[k / 2]) * up_;
    }
    for (const Colouring::Entry& entry : colouring_.entries[colour]) {
      const Index j = pattern_.indices[static_cast<std::size_t>(entry.position)];
      values_[entry.position] = static_cast<double>(sum_[entry.row] / (change * static_cast<Extended>(sizes_[j])));
    }
  }
  return true;
}

void ColouredQuotients::add_transposed(const Vector& covector, double factor, VectorRef out) const {
  for (Index i = 0; i < pattern_.rows; ++i)
    for (Index k = pattern_.offsets[static_cast<std::size_t>(i)]; k < pattern_.offsets[static_cast<std::size_t>(i) + 1];
         ++k)
      out[pattern_.indices[static_cast<std::size_t>(k)]] += factor * values_[k] * covector[i];
}

Index StepTranspose::directions() const {
  Index sum = 0;
  for (const ColouredQuotients& group : groups_) sum += group.colours();
  return sum;
}

/// All values [F_1 | ... | F_K | q | p | data], where the unknowns of one solve, or z0 in the last group, are changed.
bool StepTranspose::sweep(StepLine& step, Variant& beside, const State& start, double h, std::size_t group,
                          const VectorOf<Extended>& d, VectorOf<Extended>& out) {
  StepEquations& equations = beside.integrator.equations();
  const InUse in_use(beside);
  const std::size_t solves = offsets_.size() - 1;
  from_ = start;
  if (group == solves) {
    for (Index j = 0; j < n_; ++j) {
      from_.q.set_sum(j, start.q, d[j]);
      from_.p.set_sum(j, start.p, d[n_ + j]);
    }
    for (Index j = 0; j < n_data_; ++j) from_.scheme_data[j] += static_cast<double>(d[2 * n_ + j]);
    for (Index j = 0; j < n_border_; ++j) from_.border[j] += static_cast<double>(d[2 * n_ + n_data_ + j]);
  }
  out.resize(rows_);
  equations.begin(from_, h);
  for (std::size_t k = 0; k < solves; ++k) {
    const auto solve = static_cast<Index>(k);
    const StepLine::Solved& at = step.solved(k);
    const Index size = at.x.size();
    x_.resize(size);
    equations.predict(solve, x_);
    low_ = at.low;
    x_ = at.x;
    for (Index i = 0; k == group && i < size; ++i) {
      const Extended sum = (d[i] + at.low[i]) + at.x[i];
      x_[i] = static_cast<double>(sum);
      low_[i] = static_cast<double>(sum - x_[i]);
    }
    NonlinearEquations& system = equations.system(equations.system_of(solve));
    f_.resize(size);
    if (!at.extended || !system.extended_residual(x_, low_, f_)) return false;
    out.segment(offsets_[k], size) = f_.cast<Extended>();
    system.set_low(low_);
    if (equations.accept(solve, x_) != Next::advance) return false;
  }
  to_ = from_;
  equations.finish(to_);
  const auto whole = [](const Compensated& x) {
    return VectorOf<Extended>(x.value().cast<Extended>() + x.tail().cast<Extended>());
  };
  const Index end = offsets_.back();
  out.segment(end, n_) = whole(to_.q);
  out.segment(end + n_, n_) = whole(to_.p);
  out.tail(n_data_) = to_.scheme_data.head(n_data_).cast<Extended>();
  return true;
}

bool StepTranspose::set_patterns(StepLine& step, Variant& beside, const State& start, double h) {
  const std::size_t solves = step.solves();
  const std::vector<Index> before = std::exchange(offsets_, {0});
  for (std::size_t k = 0; k < solves; ++k) offsets_.push_back(offsets_.back() + step.solved(k).x.size());
  // Patterns that were found before are added to, unless they are those of other steps.
  const Index carried = beside.integrator.equations().carried_arguments(start);
  if (before != offsets_ || n_data_ != carried) groups_.clear();
  n_ = start.q.value().size();
  n_data_ = carried;
  n_border_ = start.border.size() > 0 ? n_ : 0;
  rows_ = offsets_.back() + 2 * n_ + n_data_;
  groups_.resize(solves + 1);
  for (std::size_t group = 0; group <= solves; ++group) {
    Vector sizes;
    std::vector<bool> rows(static_cast<std::size_t>(rows_), true);
    if (group < solves) {
      sizes = step.solved(group).scaled->columns();
      // Those of F_k by x_k are in its matrix, and those of earlier solves do not depend on it.
      std::fill(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(offsets_[group + 1]), false);
    } else {
      sizes.resize(2 * n_ + n_data_ + n_border_);
      sizes.head(2 * n_) = sizes_of(start, beside.integrator.system().mass());
      const auto data = start.scheme_data.head(n_data_);
      if (n_data_ > 0) sizes.segment(2 * n_, n_data_).setConstant(data.isZero(0) ? 1 : data.lpNorm<Eigen::Infinity>());
      sizes.tail(n_border_) = sizes.head(n_border_);
    }
    const Vector beside_it = sizes.binaryExpr(Vector::LinSpaced(sizes.size(), 1, 2), [](double size, double part) {
      return seen_change * size * (part - std::floor(part * 1.7));
    });
    groups_[group].set(sizes, rows);
    const auto f = [&](const VectorOf<Extended>& d, VectorOf<Extended>& out) {
      return sweep(step, beside, start, h, group, d, out);
    };
    if (!groups_[group].find_pattern(f, beside_it)) return false;
  }
  // Entries that are carried beside q and p, and that no step depends on, are left out.
  carried_ = groups_.back().depends(0, offsets_.back() + 2 * n_, 2 * n_);
  if (!carried_) {
    std::vector<bool> rows(static_cast<std::size_t>(rows_), true);
    std::fill(rows.end() - static_cast<std::ptrdiff_t>(n_data_), rows.end(), false);
    for (ColouredQuotients& group : groups_) group.restrict(rows, &group == &groups_.back() ? 2 * n_ : group.columns());
  }
  stale_ = false;
  transposed_.clear();
  transposed_.reserve(solves);  // algebra refers to the patterns
  const AlgebraTable& table = *beside.integrator.options().algebras;
  const std::vector<std::string> known = table.algebras();
  for (std::size_t k = 0; k < solves; ++k) {
    const SparsityPattern& pattern = step.solved(k).scaled->pattern();
    Transposed& one = transposed_.emplace_back();
    std::vector<std::pair<Index, Index>> entries;
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index at = pattern.offsets[static_cast<std::size_t>(i)];
           at < pattern.offsets[static_cast<std::size_t>(i) + 1]; ++at)
        entries.emplace_back(pattern.indices[static_cast<std::size_t>(at)], i);
    one.pattern = SparsityPattern::from_entries(pattern.cols, pattern.rows, entries);
    one.from.resize(entries.size());
    for (std::size_t at = 0; at < entries.size(); ++at)
      one.from[static_cast<std::size_t>(one.pattern.find(entries[at].first, entries[at].second))] =
          static_cast<Index>(at);
    one.values.resize(static_cast<Index>(entries.size()));
    const auto has = [&](const char* name) { return std::find(known.begin(), known.end(), name) != known.end(); };
    const char* const name = pattern.rows > few_unknowns && has("klu")         ? "klu"
                             : pattern.rows > few_unknowns && has("sparse-lu") ? "sparse-lu"
                                                                               : "dense";
    const AlgebraFactory& factory = table.algebra(name);
    one.algebra = factory.create(Options(std::string("algebra ") + name, factory.options(), {}));
    one.algebra->attach(one.pattern, {});
  }
  return true;
}

/// b <- F_x^-T b, refined until its corrections shrink no more. With Fs = R^-1 F of xs = C^-1 x the matrix at hand is
/// R^-1 F_x C.
bool StepTranspose::solve_transposed(StepLine::Solved& at, std::size_t solve, Vector& b) {
  Transposed& one = transposed_[solve];
  for (std::size_t k = 0; k < one.from.size(); ++k) one.values[static_cast<Index>(k)] = at.matrix[one.from[k]];
  b = b.cwiseProduct(at.scaled->columns());
  if (!one.algebra->factor(one.values, Setup::first)) return false;
  one.right = b;
  if (!one.algebra->solve(b)) return false;
  double last = std::numeric_limits<double>::infinity();
  constexpr int most_corrections = 10;
  for (int k = 0; k < most_corrections; ++k) {
    one.rest.resize(b.size());
    multiply(one.pattern, one.values, b, one.rest);
    one.rest = one.right - one.rest;
    if (!one.algebra->solve(one.rest)) return false;
    const double size = one.rest.lpNorm<Eigen::Infinity>();
    if (!(size < last)) break;
    b += one.rest;
    last = size;
    if (size <= thresholds::unit_of_rounding * b.lpNorm<Eigen::Infinity>()) break;
  }
  at.scaled->scale_rows(b);
  return true;
}

bool StepTranspose::pull_back(StepLine& step, Variant& beside, const State& start, double h, const StateChange& of_end,
                              StateChange& of_start) {
  try {
    failure_ = "its derivatives by its unknowns are not found";
    const bool fits = !stale_ && offsets_.size() == step.solves() + 1 &&
                      n_data_ == beside.integrator.equations().carried_arguments(start);
    if (!fits && !set_patterns(step, beside, start, h)) return false;
    const std::size_t solves = step.solves();
    Vector covector = Vector::Zero(rows_), along;
    const Index end = offsets_.back();
    covector.segment(end, n_) = of_end.q;
    covector.segment(end + n_, n_) = of_end.p;
    if (of_end.data.size() >= n_data_) covector.tail(n_data_) = of_end.data.head(n_data_);
    for (std::size_t group = solves + 1; group-- > 0;) {
      // By the unknowns of the last solve first, by z0 last.
      const std::size_t which = group == 0 ? solves : group - 1;
      ColouredQuotients& of = groups_[which];
      const auto f = [&](const VectorOf<Extended>& d, VectorOf<Extended>& out) {
        return sweep(step, beside, start, h, which, d, out);
      };
      if (!of.evaluate(f, by_two_points())) return false;
      along.setZero(of.columns());
      of.add_transposed(covector, 1, along);
      if (which == solves) break;
      if (!solve_transposed(step.solved(which), which, along)) return false;
      covector.segment(offsets_[which], along.size()) = -along;
    }
    of_start = StateChange::zero(start);
    of_start.q = along.head(n_);
    of_start.p = along.segment(n_, n_);
    of_start.data.head(n_data_) = along.segment(2 * n_, n_data_);
    of_start.border.head(n_border_) = along.tail(n_border_);
    of_start.lambda.setZero(start.lambda.size());
    failure_.clear();
    return true;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return false;
}

}  // namespace gnomon
