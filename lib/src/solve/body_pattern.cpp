// BodyCondensation before it sees a value: it finds the bodies, the pattern that they leave and the places of entries.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "gnomon/solve/body_condensation.hpp"

namespace gnomon {

namespace {

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
  std::vector<int> body(static_cast<std::size_t>(traits.n), -1);
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

/// The unknowns that a body keeps take the place of its first coordinate.
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

}  // namespace gnomon
