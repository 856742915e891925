#include "gnomon/solve/symmetric_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/solve/band_order.hpp"

namespace gnomon {

namespace {

constexpr double threshold = 0.1;  // u
constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace

std::string Inertia::text() const {
  return "(" + std::to_string(positive) + ", " + std::to_string(negative) + ", " + std::to_string(zero) + ")";
}

SymmetricFactors::SymmetricFactors(const SparsityPattern& pattern)
    : pattern_(pattern),
      order_(static_cast<std::size_t>(pattern.rows)),
      places_(reverse_cuthill_mckee(pattern)),
      local_(static_cast<std::size_t>(pattern.rows), -1) {
  for (std::size_t i = 0; i < places_.size(); ++i) order_[static_cast<std::size_t>(places_[i])] = static_cast<Index>(i);
  front_.setZero(16, 16);
}

double SymmetricFactors::backward_error() const {
  return 8 * eps * static_cast<double>(largest_front_) * largest_entry_;
}

Inertia SymmetricFactors::factorise(const ConstVectorRef& values) {
  Inertia inertia;
  pivots_.clear();
  entries_.clear();
  largest_front_ = 0;
  largest_entry_ = values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0;
  tiny_ = eps * largest_entry_;
  for (const Index i : order_) {
    const Index at = enter(i), place = places_[static_cast<std::size_t>(i)];
    for (Index k = pattern_.offsets[i]; k < pattern_.offsets[i + 1]; ++k) {
      const Index j = pattern_.indices[k];
      if (places_[static_cast<std::size_t>(j)] < place) continue;
      const Index to = enter(j);
      front_(at, to) += values[k];
      if (to != at) front_(to, at) += values[k];
    }
    summed_[static_cast<std::size_t>(at)] = 1;
    eliminate(inertia);
  }
  inertia.zero = static_cast<Index>(unknowns_.size());
  while (!unknowns_.empty()) leave(static_cast<Index>(unknowns_.size()) - 1);
  return inertia;
}

/// Place of the unknown in the front.
Index SymmetricFactors::enter(Index unknown) {
  Index& at = local_[static_cast<std::size_t>(unknown)];
  if (at >= 0) return at;
  at = static_cast<Index>(unknowns_.size());
  unknowns_.push_back(unknown);
  summed_.push_back(0);
  if (front_.rows() <= at) {
    const Index before = front_.rows();
    front_.conservativeResize(2 * before, 2 * before);
    front_.rightCols(before).setZero();
    front_.bottomRows(before).setZero();
  }
  largest_front_ = std::max(largest_front_, at + 1);
  return at;
}

/// The last unknown of the front moves to this place.
void SymmetricFactors::leave(Index at) {
  const Index last = static_cast<Index>(unknowns_.size()) - 1;
  local_[static_cast<std::size_t>(unknowns_[static_cast<std::size_t>(at)])] = -1;
  if (at != last) {
    unknowns_[static_cast<std::size_t>(at)] = unknowns_.back();
    summed_[static_cast<std::size_t>(at)] = summed_.back();
    local_[static_cast<std::size_t>(unknowns_.back())] = at;
    front_.col(at).head(last + 1) = front_.col(last).head(last + 1);
    front_.row(at).head(last + 1) = front_.row(last).head(last + 1);
    front_(at, at) = front_(last, last);
  }
  front_.col(last).head(last + 1).setZero();
  front_.row(last).head(last + 1).setZero();
  unknowns_.pop_back();
  summed_.pop_back();
}

void SymmetricFactors::eliminate(Inertia& inertia) {
  for (Index p = 0; p < static_cast<Index>(unknowns_.size());)
    p = summed_[static_cast<std::size_t>(p)] && eliminate_at(p, inertia) ? 0 : p + 1;
}

/// The 1 x 1 pivot p where |a_pp| >= u max_j |a_pj|; else 2 x 2 with the summed q of largest |a_pq| where
/// |B^-1| (max_j |a_pj|, max_j |a_qj|) <= 1/u.
bool SymmetricFactors::eliminate_at(Index p, Inertia& inertia) {
  const Index size = static_cast<Index>(unknowns_.size());
  double beside = 0;
  Index q = -1;
  for (Index j = 0; j < size; ++j) {
    if (j == p) continue;
    const double entry = std::abs(front_(j, p));
    beside = std::max(beside, entry);
    if (summed_[static_cast<std::size_t>(j)] && (q < 0 || entry > std::abs(front_(q, p)))) q = j;
  }
  const double diagonal = std::abs(front_(p, p));
  if (diagonal > tiny_ && diagonal >= threshold * beside) {
    take(p, -1, inertia);
    return true;
  }
  if (q < 0 || !(std::abs(front_(q, p)) > tiny_)) return false;
  double of_p = 0, of_q = 0;
  for (Index j = 0; j < size; ++j) {
    if (j == p || j == q) continue;
    of_p = std::max(of_p, std::abs(front_(j, p)));
    of_q = std::max(of_q, std::abs(front_(j, q)));
  }
  const double across = std::abs(front_(q, p)), other = std::abs(front_(q, q));
  const double most = std::abs(front_(p, p) * front_(q, q) - across * across) / threshold;
  if (!(most > tiny_ * tiny_) || other * of_p + across * of_q > most || across * of_p + diagonal * of_q > most)
    return false;
  take(p, q, inertia);
  return true;
}

void SymmetricFactors::take(Index p, Index q, Inertia& inertia) {
  const Index size = static_cast<Index>(unknowns_.size());
  const auto unknown = [this](Index i) { return unknowns_[static_cast<std::size_t>(i)]; };
  Pivot pivot{unknown(p), -1, 0, 0, 0, entries_.size(), 0};
  if (q < 0) {
    pivot.a = 1 / front_(p, p);
    ++(pivot.a > 0 ? inertia.positive : inertia.negative);
  } else {
    pivot.second = unknown(q);
    const double determinant = front_(p, p) * front_(q, q) - front_(q, p) * front_(q, p);
    pivot.a = front_(q, q) / determinant;
    pivot.b = front_(p, p) / determinant;
    pivot.c = -front_(q, p) / determinant;
    if (determinant < 0)
      ++inertia.positive, ++inertia.negative;
    else
      (front_(p, p) > 0 ? inertia.positive : inertia.negative) += 2;
  }
  // L = F(., pivot) B^-1, F -= L B L^T
  for (Index i = 0; i < size; ++i) {
    if (i == p || i == q) continue;
    const double by_p = front_(i, p), by_q = q < 0 ? 0 : front_(i, q);
    if (by_p == 0 && by_q == 0) continue;
    entries_.push_back({unknown(i), pivot.a * by_p + pivot.c * by_q, pivot.c * by_p + pivot.b * by_q});
  }
  pivot.end = entries_.size();
  for (std::size_t k = pivot.begin; k < pivot.end; ++k) {
    const Entry& of_row = entries_[k];
    const Index i = local_[static_cast<std::size_t>(of_row.row)];
    for (std::size_t l = pivot.begin; l <= k; ++l) {
      const Index j = local_[static_cast<std::size_t>(entries_[l].row)];
      const double entry = front_(i, j) - of_row.first * front_(j, p) - (q < 0 ? 0 : of_row.second * front_(j, q));
      front_(i, j) = front_(j, i) = entry;
      largest_entry_ = std::max(largest_entry_, std::abs(entry));
    }
  }
  pivots_.push_back(pivot);
  leave(p);
  if (q >= 0) leave(local_[static_cast<std::size_t>(pivot.second)]);
}

void SymmetricFactors::solve(VectorRef x) const {
  for (const Pivot& d : pivots_)
    for (std::size_t k = d.begin; k < d.end; ++k)
      x[entries_[k].row] -= entries_[k].first * x[d.first] + (d.second < 0 ? 0 : entries_[k].second * x[d.second]);
  for (const Pivot& d : pivots_) {
    const double first = x[d.first], second = d.second < 0 ? 0 : x[d.second];
    x[d.first] = d.a * first + d.c * second;
    if (d.second >= 0) x[d.second] = d.c * first + d.b * second;
  }
  for (auto d = pivots_.rbegin(); d != pivots_.rend(); ++d)
    for (std::size_t k = d->begin; k < d->end; ++k) {
      x[d->first] -= entries_[k].first * x[entries_[k].row];
      if (d->second >= 0) x[d->second] -= entries_[k].second * x[entries_[k].row];
    }
}

}  // namespace gnomon
