#include "gnomon/solve/body_condensation.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

/// Calls f with the number of a body's own constraints and of what it keeps of the coordinates they meet, known to the
/// compiler where they are common: a body in space and one in the plane, described by directors.
template <class Body, class F>
bool with_size(const Body& body, F f) {
  if (body.own == 6 && body.kept == 3) return f(std::integral_constant<int, 6>(), std::integral_constant<int, 3>());
  if (body.own == 3 && body.kept == 1) return f(std::integral_constant<int, 3>(), std::integral_constant<int, 1>());
  return f(body.own, body.kept);
}

template <class Size>
struct At {  // the size at compile time, or Eigen::Dynamic
  static constexpr int value = Eigen::Dynamic;
};
template <int N>
struct At<std::integral_constant<int, N>> {
  static constexpr int value = N;
};

template <int Rows, int Columns>
using MapOf = Eigen::Map<Eigen::Matrix<double, Rows, Columns>>;
template <int Rows, int Columns>
using ConstMapOf = Eigen::Map<const Eigen::Matrix<double, Rows, Columns>>;

}  // namespace

/// Gauss-Jordan elimination of B, row by row, on the columns of its open coordinates. Its columns of factors are kept,
/// 1/pivot in their row. With `search` the pivot of a row is its largest entry.
template <class Own, class Kept>
bool BodyCondensation::eliminate(const Body& body, Echelon& form, const double* values, Own own, Kept kept,
                                 bool search) {
  using Column = MapOf<At<Own>::value, 1>;
  double* const w = work_.data();
  std::fill_n(w, own * body.count, 0.0);
  const auto number = static_cast<std::size_t>(&body - bodies_.data());
  for (int k = number == 0 ? 0 : form.last[number - 1]; k < form.last[number]; ++k)
    w[form.entries[at(k)].to] = values[form.entries[at(k)].value];
  int* const pivots = form.pivots.data() + body.first_own;
  double* const factors = form.factors.data() + body.factors;
  int* const open = open_.data();
  int still = body.count;
  for (int c = 0; c < still; ++c) open[c] = c;
  for (int i = 0; i < own; ++i) {
    int best = 0;
    if (search) {
      for (int k = 1; k < still; ++k)
        if (std::abs(w[i + open[k] * own]) > std::abs(w[i + open[best] * own])) best = k;
      pivots[i] = open[best];
    } else {
      while (open[best] != pivots[i]) ++best;
    }
    std::copy(open + best + 1, open + still, open + best);
    --still;
    Column factor(factors + i * own, own);
    factor = Column(w + pivots[i] * own, own);
    const double inverse = 1 / factor[i];
    if (!(std::abs(inverse) < 1 / thresholds::rank)) {
      singular_row_ = own_[at(body.first_own + i)];
      std::fill_n(pivots, own, -1);
      return false;
    }
    largest_inverse_ = std::max(largest_inverse_, std::abs(inverse));
    factor[i] = 0;
    for (int k = 0; k < still; ++k) {
      Column other(w + open[k] * own, own);
      const double quotient = other[i] * inverse;
      if (quotient == 0) continue;
      other -= quotient * factor;
      other[i] = quotient;
    }
    factor[i] = inverse;
  }
  double* const basis = form.basis.data() + body.basis;
  std::fill_n(basis, body.count * kept, 0.0);
  double largest = 0;
  for (int s = 0; s < kept; ++s) {
    basis[open[s] * kept + s] = 1;
    for (int i = 0; i < own; ++i) {
      const double entry = w[i + open[s] * own];
      basis[pivots[i] * kept + s] = -entry;
      largest = std::max(largest, std::abs(entry));
    }
  }
  return largest < largest_basis;
}

/// The pivots of before are taken as long as they are good ones, so that what is left changes smoothly.
bool BodyCondensation::eliminate(const Body& body, Echelon& form, const double* values) {
  return with_size(body, [&](auto own, auto kept) {
    const int& first = form.pivots[at(body.first_own)];  // -1: none
    if (first >= 0 && eliminate(body, form, values, own, kept, false)) return true;
    eliminate(body, form, values, own, kept, true);
    return first >= 0;
  });
}

/// L^T K N of two bodies, or of one.
template <int Kept>
void BodyCondensation::couple(const Coupling& block, const double* values, double* left) {
  const Body &a = bodies_[at(block.row)], &b = bodies_[at(block.column)];
  const int width = Kept > 0 ? Kept : b.kept, height = Kept > 0 ? Kept : a.kept;
  double* const product = work_.data();
  std::fill_n(product, a.count * width, 0.0);
  for (int k = block.first; k < block.last; ++k) {
    const Entry& e = inner_[at(k)];
    const double *n = rows_.row(b, e.column), v = values[e.value];
    double* const sum = product + (e.row - a.first) * width;
    for (int s = 0; s < width; ++s) sum[s] += v * n[s];
  }
  const int* const to = places_.data() + block.to;
  for (int c = 0; c < a.count; ++c) {
    const double *l = columns_.row(a, a.first + c), *from = product + c * width;
    for (int s = 0; s < height; ++s) {
      if (l[s] == 0) continue;
      double* const sum = left + to[s];
      for (int t = 0; t < width; ++t) sum[t] += l[s] * from[t];
    }
  }
}

bool BodyCondensation::factor(const double* values, Vector& left) {
  values_ = values;
  largest_inverse_ = 1;
  for (const Body& body : bodies_) {
    if (!eliminate(body, rows_, values)) return false;
    // The first time columns take the pivots of rows, so that the rows and the columns that are kept are the same ones.
    if (columns_.pivots[at(body.first_own)] < 0)
      std::copy_n(rows_.pivots.begin() + body.first_own, body.own, columns_.pivots.begin() + body.first_own);
    if (!eliminate(body, columns_, values)) return false;
  }
  left.setZero();
  double* const to = left.data();
  for (const Plain& e : plain_entries_) to[e.to] = values[e.value];
  for (const Entry& e : right_) {
    const Body& body = owner(e.row);
    const double *l = columns_.row(body, e.row), v = values[e.value];
    for (int s = 0; s < body.kept; ++s) to[places_[at(e.to + s)]] += v * l[s];
  }
  for (const Entry& e : below_) {
    const Body& body = owner(e.column);
    const double *n = rows_.row(body, e.column), v = values[e.value];
    for (int s = 0; s < body.kept; ++s) to[e.to + s] += v * n[s];
  }
  for (const Coupling& block : blocks_) {
    const int a = bodies_[at(block.row)].kept, b = bodies_[at(block.column)].kept;
    if (a == 3 && b == 3)
      couple<3>(block, values, to);
    else if (a == 1 && b == 1)
      couple<1>(block, values, to);
    else
      couple<0>(block, values, to);
  }
  return true;
}

void BodyCondensation::reduce(const ConstVectorRef& f, VectorRef left) {
  for (int i = 0; i < static_cast<int>(coordinates_.size()); ++i) kept_force_[i] = force_[i] = f[coordinates_[at(i)]];
  particular_.setZero();
  for (const Body& body : bodies_)
    with_size(body, [&](auto own, auto) {
      constexpr int size = At<decltype(own)>::value;
      MapOf<size, 1> x(work_.data(), own);
      for (int i = 0; i < own; ++i) x[i] = f[own_[at(body.first_own + i)]];
      for (int i = 0; i < own; ++i) {
        const ConstMapOf<size, 1> factor(rows_.factors.data() + body.factors + i * own, own);
        const double quotient = x[i] * factor[i];
        x -= quotient * factor;
        x[i] = quotient;
      }
      for (int i = 0; i < own; ++i) particular_[body.first + rows_.pivots[at(body.first_own + i)]] = x[i];
      return true;
    });
  for (const int i : plain_) left[index_[at(i)]] = f[i];
  for (const Entry& e : inner_) force_[e.row] -= values_[e.value] * particular_[e.column];
  for (const Entry& e : below_) left[e.row] -= values_[e.value] * particular_[e.column];
  for (const Body& body : bodies_)
    with_size(body, [&](auto, auto kept) {
      constexpr int size = At<decltype(kept)>::value;
      MapOf<size, 1> sum(left.data() + body.slot, kept);
      const ConstMapOf<size, Eigen::Dynamic> l(columns_.row(body, body.first), kept, body.count);
      sum.noalias() = l.lazyProduct(force_.segment(body.first, body.count));
      return true;
    });
}

void BodyCondensation::expand(const ConstVectorRef& left, VectorRef x) {
  for (const int i : plain_) x[i] = left[index_[at(i)]];
  for (const Body& body : bodies_)
    for (int c = body.first; c < body.first + body.count; ++c) {
      const double* const n = rows_.row(body, c);
      double sum = particular_[c];
      for (int s = 0; s < body.kept; ++s) sum += n[s] * left[body.slot + s];
      x[coordinates_[at(c)]] = particular_[c] = sum;
    }
  for (const Entry& e : inner_) kept_force_[e.row] -= values_[e.value] * particular_[e.column];
  for (const Entry& e : right_) kept_force_[e.row] -= values_[e.value] * left[e.column];
  for (const Body& body : bodies_)
    with_size(body, [&](auto own, auto) {
      constexpr int size = At<decltype(own)>::value;
      MapOf<size, 1> y(work_.data(), own);
      for (int i = 0; i < own; ++i) y[i] = kept_force_[body.first + columns_.pivots[at(body.first_own + i)]];
      for (int i = own - 1; i >= 0; --i) {
        const ConstMapOf<size, 1> factor(columns_.factors.data() + body.factors + i * own, own);
        const double inverse = factor[i], other = factor.dot(y) - inverse * y[i];
        y[i] = inverse * (y[i] - other);
      }
      for (int i = 0; i < own; ++i) x[own_[at(body.first_own + i)]] = y[i];
      return true;
    });
}

void BodyCondensation::serialize(Archive& archive) {
  archive(rows_.pivots, columns_.pivots);
  for (const Echelon* form : {&rows_, &columns_}) {
    archive.require(form->pivots.size() == own_.size(), "the pivots of bodies are not as many as their constraints");
    for (const Body& body : bodies_) {
      const auto first = form->pivots.begin() + body.first_own;
      std::vector<int> sorted(first, first + body.own);
      std::sort(sorted.begin(), sorted.end());
      const bool each_another = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
      archive.require((sorted.front() == -1 && sorted.back() == -1) ||
                          (each_another && sorted.front() >= 0 && sorted.back() < body.count),
                      "the pivots of a body are not coordinates of it");
    }
  }
}

double BodyCondensation::products() const {
  double sum = static_cast<double>(plain_entries_.size());
  for (const Body& b : bodies_) sum += 1.0 * b.own * b.own * (2 * b.count - b.own) + 1.0 * b.count * b.kept * b.kept;
  for (const Entry& e : right_) sum += owner(e.row).kept;
  for (const Entry& e : below_) sum += owner(e.column).kept;
  for (const Coupling& c : blocks_) sum += 1.0 * (c.last - c.first) * bodies_[at(c.column)].kept;
  return sum;
}

double BodyCondensation::solve_products() const {
  double sum = static_cast<double>(unknowns_.size() + 2 * inner_.size() + right_.size() + below_.size());
  for (const Body& b : bodies_) sum += 2.0 * b.own * b.own + 2.0 * b.count * b.kept;
  return sum;
}

}  // namespace gnomon
