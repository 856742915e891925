#include "gnomon/solve/body_condensation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

template <class F>
void for_entries(const SparsityPattern& pattern, F f) {
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[static_cast<std::size_t>(i)]; k < pattern.offsets[static_cast<std::size_t>(i) + 1];
         ++k)
      f(static_cast<int>(i), static_cast<int>(pattern.indices[static_cast<std::size_t>(k)]), static_cast<int>(k));
}

}  // namespace

std::vector<int> body_of_coordinates(const SystemTraits& traits) {
  if (traits.blocks.empty()) return {};
  std::vector<int> body(at(static_cast<int>(traits.n)), -1);
  std::map<std::string, int> known;
  for (const Block& block : traits.blocks) {
    const std::string name = block.name.substr(0, block.name.find('.'));
    const int number = known.emplace(name, static_cast<int>(known.size())).first->second;
    std::fill_n(body.begin() + block.offset, block.size, number);
  }
  return body;
}

BodyCondensation::BodyCondensation(const SparsityPattern& pattern, std::vector<int> body)
    : body_(std::move(body)), index_(body_.size(), -1), kind_(body_.size(), plain) {
  find_bodies(pattern);
  if (bodies_.empty()) return;
  number_left();
  place_entries(pattern);
  int most = 0;
  for (const Body& b : bodies_) most = std::max(most, std::max(b.own, b.kept) * b.count);
  for (const Coupling& c : blocks_) most = std::max(most, bodies_[at(c.row)].count * bodies_[at(c.column)].kept);
  work_.setZero(most);
  open_.resize(at(most));
  for (Vector* v : {&particular_, &force_, &kept_force_}) v->setZero(static_cast<Index>(coordinates_.size()));
}

/// The multipliers that one body has alone, and the coordinates that they meet.
void BodyCondensation::find_bodies(const SparsityPattern& pattern) {
  std::vector<char> multiplier(body_.size(), 1);
  for_entries(pattern, [&](int i, int j, int) {
    if (i == j) multiplier[at(i)] = 0;
  });
  enum : int { none = -1, several = -2 };
  const auto meet = [](int& known, int body) { known = known == none || known == body ? body : several; };
  std::vector<int> by_row(body_.size(), none), by_column(body_.size(), none);
  for_entries(pattern, [&](int i, int j, int) {
    meet(by_row[at(i)], multiplier[at(j)] || body_[at(j)] < 0 ? several : body_[at(j)]);
    meet(by_column[at(j)], multiplier[at(i)] || body_[at(i)] < 0 ? several : body_[at(i)]);
  });
  const int bodies = body_.empty() ? 0 : *std::max_element(body_.begin(), body_.end()) + 1;
  std::vector<int> owner(body_.size(), none);
  for (std::size_t i = 0; i < body_.size(); ++i)
    if (multiplier[i] && by_row[i] == by_column[i] && by_row[i] >= 0) owner[i] = by_row[i];
  if (std::all_of(owner.begin(), owner.end(), [](int b) { return b < 0; })) return;
  std::vector<std::vector<int>> own(at(bodies)), met(own.size()), met_by_columns(own.size());
  for (std::size_t i = 0; i < owner.size(); ++i)
    if (owner[i] >= 0) own[at(owner[i])].push_back(static_cast<int>(i));
  for_entries(pattern, [&](int i, int j, int) {
    if (owner[at(i)] >= 0) met[at(owner[at(i)])].push_back(j);
    if (owner[at(j)] >= 0) met_by_columns[at(owner[at(j)])].push_back(i);
  });
  for (std::size_t b = 0; b < own.size(); ++b) {
    for (auto* list : {&met[b], &met_by_columns[b]}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    if (own[b].empty() || own[b].size() > met[b].size() || own[b].size() > most_own || met[b] != met_by_columns[b])
      continue;
    Body next;
    next.first = static_cast<int>(coordinates_.size());
    next.count = static_cast<int>(met[b].size());
    next.first_own = static_cast<int>(own_.size());
    next.own = static_cast<int>(own[b].size());
    next.kept = next.count - next.own;
    for (const int i : met[b]) add(i, coordinate, coordinates_);
    for (const int i : own[b]) add(i, owned, own_);
    bodies_.push_back(next);
  }
}

void BodyCondensation::add(int unknown, Kind kind, std::vector<int>& list) {
  kind_[at(unknown)] = kind;
  index_[at(unknown)] = static_cast<int>(list.size());
  body_[at(unknown)] = static_cast<int>(bodies_.size());
  list.push_back(unknown);
}

/// What a body keeps is where its first coordinate was.
void BodyCondensation::number_left() {
  for (int i = 0; i < static_cast<int>(kind_.size()); ++i) {
    if (kind_[at(i)] == plain) {
      index_[at(i)] = static_cast<int>(unknowns_.size());
      unknowns_.push_back(i);
      plain_.push_back(i);
    } else if (kind_[at(i)] == coordinate) {
      Body& body = bodies_[at(body_[at(i)])];
      if (coordinates_[at(body.first)] != i) continue;
      body.slot = static_cast<int>(unknowns_.size());
      for (int s = 0; s < body.kept; ++s) unknowns_.push_back(coordinates_[at(body.first + s)]);
    }
  }
  int basis = 0, factors = 0;
  for (Body& body : bodies_) {
    body.basis = basis;
    body.factors = factors;
    basis += body.count * body.kept;
    factors += body.own * body.own;
  }
  for (Echelon* form : {&rows_, &columns_}) {
    form->basis.setZero(basis);
    form->factors.setZero(factors);
    form->pivots.assign(own_.size(), -1);
  }
}

void BodyCondensation::place_entries(const SparsityPattern& pattern) {
  const auto first_slot = [&](int i) {
    return kind_[at(i)] == coordinate ? bodies_[at(body_[at(i)])].slot : index_[at(i)];
  };
  const auto slots = [&](int i) { return kind_[at(i)] == coordinate ? bodies_[at(body_[at(i)])].kept : 1; };
  const auto stays = [&](int i, int j) { return kind_[at(i)] != owned && kind_[at(j)] != owned; };
  // One entry of the matrix for each pair of what stays together.
  std::vector<std::pair<std::pair<int, int>, std::pair<int, int>>> pairs;
  for_entries(pattern, [&](int i, int j, int) {
    if (stays(i, j)) pairs.push_back({{first_slot(i), first_slot(j)}, {slots(i), slots(j)}});
  });
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<std::pair<Index, Index>> entries;
  for (const auto& [first, size] : pairs)
    for (int a = 0; a < size.first; ++a)
      for (int b = 0; b < size.second; ++b) entries.emplace_back(first.first + a, first.second + b);
  const auto size = static_cast<Index>(unknowns_.size());
  left_ = SparsityPattern::from_entries(size, size, entries);

  const auto place = [&](int row, int column) { return static_cast<int>(left_.find(row, column)); };
  const auto body = [&](int i) -> const Body& { return bodies_[at(body_[at(i)])]; };
  const auto places = [&](int i, int j) {
    const int first = static_cast<int>(places_.size());
    for (int a = 0; a < slots(i); ++a) places_.push_back(place(first_slot(i) + a, first_slot(j)));
    return first;
  };
  using Own = std::pair<int, Plain>;  // by the number of its body
  std::vector<Own> of_rows, of_columns;
  const auto own_entry = [&](int constraint, int met, int k) {
    const Body& b = body(constraint);
    const int row = index_[at(constraint)] - b.first_own, column = index_[at(met)] - b.first;
    return Own{body_[at(constraint)], {row + column * b.own, k}};
  };
  for_entries(pattern, [&](int i, int j, int k) {
    const Kind row = kind_[at(i)], column = kind_[at(j)];
    if (row == plain && column == plain)
      plain_entries_.push_back({place(index_[at(i)], index_[at(j)]), k});
    else if (row == plain)
      below_.push_back({index_[at(i)], index_[at(j)], k, place(first_slot(i), first_slot(j))});
    else if (row == owned)
      of_rows.push_back(own_entry(i, j, k));
    else if (column == owned)
      of_columns.push_back(own_entry(j, i, k));
    else
      (column == plain ? right_ : inner_).push_back({index_[at(i)], index_[at(j)], k, 0});
  });
  for (auto [form, own] : {std::pair{&rows_, &of_rows}, {&columns_, &of_columns}}) {
    std::stable_sort(own->begin(), own->end(), [](const Own& a, const Own& b) { return a.first < b.first; });
    form->last.assign(bodies_.size(), 0);
    for (const auto& [number, entry] : *own) {
      form->entries.push_back(entry);
      form->last[at(number)] = static_cast<int>(form->entries.size());
    }
  }
  // By body and column: one list of places for each.
  const auto body_of = [&](int c) { return body_[at(coordinates_[at(c)])]; };
  std::stable_sort(right_.begin(), right_.end(), [&](const Entry& a, const Entry& b) {
    return std::pair(body_of(a.row), a.column) < std::pair(body_of(b.row), b.column);
  });
  for (std::size_t k = 0; k < right_.size(); ++k) {
    Entry& e = right_[k];
    const bool same = k > 0 && right_[k - 1].column == e.column && body_of(right_[k - 1].row) == body_of(e.row);
    e.to = same ? right_[k - 1].to : places(coordinates_[at(e.row)], unknowns_[at(e.column)]);
  }
  std::stable_sort(inner_.begin(), inner_.end(), [&](const Entry& a, const Entry& b) {
    return std::pair(body_of(a.row), body_of(a.column)) < std::pair(body_of(b.row), body_of(b.column));
  });
  for (int k = 0; k < static_cast<int>(inner_.size()); ++k) {
    const Entry& e = inner_[at(k)];
    const int a = body_of(e.row), b = body_of(e.column);
    if (blocks_.empty() || blocks_.back().row != a || blocks_.back().column != b)
      blocks_.push_back({a, b, k, k, places(coordinates_[at(e.row)], coordinates_[at(e.column)])});
    blocks_.back().last = k + 1;
  }
}

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
    // What a body keeps of its rows goes with what it keeps of its columns.
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
