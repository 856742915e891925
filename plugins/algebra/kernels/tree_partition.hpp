#pragma once
/// \file
/// What block-tree knows before it sees a value. From the pattern alone:
///
///  1. Elimination. A column with two entries (r, b), (s, b) leaves the matrix by row r, which becomes the definition
///     of unknown b: dp in terms of dq where the mass matrix couples few coordinates. Row s takes over the rest of r.
///  2. Bodies. What is left pairs row and column into vertices. Multipliers are the vertices without a diagonal entry;
///     coordinates of a body that is known, or that meet the same multipliers, are one body, and a multiplier that
///     meets a single body belongs to it, since alone its block would be singular (the rod of a chain to its anchor).
///  3. Tree. The refined quotient tree of the graph of bodies and multipliers (quotient_tree.hpp): a multiplier goes
///     with the body behind it as seen from the root, and elimination from the leaves to the root fills nothing outside
///     the blocks.
///
/// All of it takes O(nonzeros log) time and memory.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "algebra/kernels/quotient_tree.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/sparsity.hpp"

namespace gnomon::kernels {

class TreePartition {
 public:
  /// Blocks above this size are refused: dense work on them is no longer small.
  static constexpr int largest_allowed = 32;

  /// Row r defines unknown b: x_b = (f_r - sum_k J_rc(k) x_c(k)) / J_rb; f_s -= J_sb/J_rb f_r.
  struct Elimination {
    int r, s, b;
    int pivot, weight;  ///< positions of J_rb and J_sb among the values
    int first, last;    ///< its terms
    int place;          ///< of row s in `rows`
  };
  struct Term {
    int value, column;  ///< position of J_rc among the values, c
  };
  /// slot = values[value]; other slots are zero
  struct Entry {
    int slot, value;
  };
  /// slot -= J_sb/J_rb J_rc
  struct Fill {
    int slot, elimination, value;
  };
  /// In elimination order, children before parents. Storage is [D | C | B], column by column: size x size, size x
  /// touched and touched x size, coupling it with the unknowns of its parent that it touches.
  struct Node {
    int parent;
    int size, touched;
    int vertex;   ///< of its first vertex
    int touch;    ///< first of its places in `touches`
    int storage;  ///< of its first slot
    int next;     ///< the next child of the same parent, -1 at the last one
    int child;    ///< its first child, -1 at a leaf
  };

  std::vector<Elimination> eliminations;  ///< ordered as their rows s are in `rows`
  std::vector<Term> terms;
  std::vector<Fill> fills;  ///< by slot
  std::vector<Node> nodes;
  std::vector<int> rows, columns;  ///< per vertex, in the order of the nodes
  std::vector<int> touches;        ///< index within the parent
  std::vector<Entry> entries;      ///< by slot
  int largest = 0;

  /// known: the body of each unknown, -1 where it is not known, or nothing at all. Throws Error(refused) where blocks
  /// become too large.
  explicit TreePartition(const SparsityPattern& pattern, const std::vector<int>& known = {})
      : pattern_(&pattern), known_(&known), n_(static_cast<int>(pattern.rows)) {
    find_eliminations();
    number_vertices();
    find_bodies();
    grow_tree();
    order_nodes();
    place_entries();
    pattern_ = nullptr;
    known_ = nullptr;
    for (auto* scratch : {&row_vertex_, &column_vertex_, &row_of_, &column_of_, &body_, &new_place_})
      std::vector<int>().swap(*scratch);
    std::vector<char>().swap(multiplier_);
    tree_ = QuotientTree();
  }

 private:
  using Ints = std::vector<int>;
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  template <class F>
  void for_row(int i, F f) const {
    for (Index k = pattern_->offsets[i]; k < pattern_->offsets[i + 1]; ++k)
      f(static_cast<int>(pattern_->indices[k]), static_cast<int>(k));
  }
  /// f(row, column) for every entry of the reduced matrix, those that elimination fills included.
  template <class F>
  void for_reduced(F f) const {
    for (int i = 0; i < n_; ++i)
      if (row_vertex_[at(i)] >= 0)
        for_row(i, [&](int j, int) {
          if (column_vertex_[at(j)] >= 0) f(row_vertex_[at(i)], column_vertex_[at(j)]);
        });
    for (const Elimination& e : eliminations)
      for (int k = e.first; k < e.last; ++k) f(row_vertex_[at(e.s)], column_vertex_[at(terms[at(k)].column)]);
  }

  // 1

  void find_eliminations() {
    Ints count(at(n_), 0), first(at(n_), -1), second(at(n_), -1), first_at(at(n_)), second_at(at(n_));
    for (int i = 0; i < n_; ++i)
      for_row(i, [&](int j, int k) {
        const int c = count[at(j)]++;
        if (c == 0) first[at(j)] = i, first_at[at(j)] = k;
        if (c == 1) second[at(j)] = i, second_at[at(j)] = k;
      });
    constexpr int longest = 8;
    enum : char { open, used, kept };
    std::vector<char> row(at(n_), open), column(at(n_), open);
    const auto length = [&](int i) { return static_cast<int>(pattern_->offsets[i + 1] - pattern_->offsets[i]); };
    // From the end: momenta come after positions, and it is they that should go.
    for (int b = n_ - 1; b >= 0; --b) {
      if (count[at(b)] != 2 || column[at(b)] != open) continue;
      // Only where b has a diagonal: what is left can then be paired, row by row, with what is left of the columns.
      if (first[at(b)] != b && second[at(b)] != b) continue;
      Elimination e{first[at(b)], second[at(b)], b, first_at[at(b)], second_at[at(b)], 0, 0, 0};
      if (length(e.s) < length(e.r)) std::swap(e.r, e.s), std::swap(e.pivot, e.weight);
      if (row[at(e.r)] != open || row[at(e.s)] == used || length(e.r) > longest || length(e.r) < 2) continue;
      bool possible = true;
      for_row(e.r, [&](int c, int) { possible = possible && (c == b || column[at(c)] != used); });
      if (!possible) continue;
      row[at(e.r)] = used;
      row[at(e.s)] = kept;
      column[at(b)] = used;
      e.first = static_cast<int>(terms.size());
      for_row(e.r, [&](int c, int k) {
        if (c == b) return;
        column[at(c)] = kept;
        terms.push_back({k, c});
      });
      e.last = static_cast<int>(terms.size());
      eliminations.push_back(e);
    }
  }

  /// Row i goes with column i; where row r and column b left, row b goes with column r.
  void number_vertices() {
    row_vertex_.assign(at(n_), 0);
    column_vertex_.assign(at(n_), 0);
    Ints partner(at(n_));
    std::iota(partner.begin(), partner.end(), 0);
    for (const Elimination& e : eliminations) {
      row_vertex_[at(e.r)] = column_vertex_[at(e.b)] = -1;
      partner[at(e.b)] = e.r;
    }
    for (int i = 0; i < n_; ++i) {
      if (row_vertex_[at(i)] < 0) continue;
      // Eliminations may share indices in a chain: follow it to a column that is still there.
      int j = partner[at(i)];
      while (column_vertex_[at(j)] < 0) j = partner[at(j)];
      row_vertex_[at(i)] = column_vertex_[at(j)] = static_cast<int>(row_of_.size());
      row_of_.push_back(i);
      column_of_.push_back(j);
    }
  }

  // 2

  /// A body for every coordinate, -1 - number for multipliers until they have one.
  void find_bodies() {
    const auto count = row_of_.size();
    multiplier_.assign(count, 1);
    for_reduced([&](int i, int j) {
      if (i == j) multiplier_[at(i)] = 0;
    });
    // Coordinates with the same sums over their multipliers' hashes have the same multipliers.
    std::vector<std::uint64_t> key(count, 0);
    const auto hash = [](int v) {
      std::uint64_t z = static_cast<std::uint64_t>(v) + 0x9e3779b97f4a7c15ULL;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      return z ^ (z >> 31);
    };
    for_reduced([&](int i, int j) {
      if (multiplier_[at(i)] && !multiplier_[at(j)]) key[at(j)] += hash(2 * i);
      if (!multiplier_[at(i)] && multiplier_[at(j)]) key[at(i)] += hash(2 * j + 1);
    });
    Ints order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[at(a)] < key[at(b)]; });
    Ints leader(count);
    for (std::size_t k = 0; k < count; ++k) {
      const int v = order[k];
      const bool same = k > 0 && !multiplier_[at(v)] && !multiplier_[at(order[k - 1])] && key[at(v)] != 0 &&
                        key[at(v)] == key[at(order[k - 1])];
      leader[at(v)] = same ? leader[at(order[k - 1])] : v;
    }
    if (!known_->empty()) {
      Ints first(count + known_->size(), -1);
      for (std::size_t v = 0; v < count; ++v)
        if (const int body = (*known_)[at(column_of_[v])]; body >= 0 && !multiplier_[v]) {
          if (first[at(body)] < 0) first[at(body)] = static_cast<int>(v);
          leader[v] = first[at(body)];
        }
    }
    // A multiplier that meets one body only belongs to it.
    Ints only(count, -1);
    const auto meet = [&](int multiplier, int leading) {
      int& known = only[at(multiplier)];
      if (known == -1) known = leading;
      if (known != leading) known = -2;
    };
    for_reduced([&](int i, int j) {
      if (multiplier_[at(i)]) meet(i, leader[at(j)]);
      if (multiplier_[at(j)]) meet(j, leader[at(i)]);
    });
    root_ = 0;
    for (std::size_t v = count; v-- > 0;)
      if (multiplier_[v] && only[v] >= 0 && !multiplier_[at(only[v])]) leader[v] = root_ = only[v];
    if (!known_->empty()) root_ = least_free(leader);
    body_.assign(count, -1);
    bodies_ = 0;
    for (std::size_t v = 0; v < count; ++v)
      if (leader[v] == static_cast<int>(v)) body_[v] = bodies_++;
    for (std::size_t v = 0; v < count; ++v) body_[v] = body_[at(leader[v])];
    if (count > 0) root_ = body_[at(root_)];
  }

  /// The first of the known bodies with the fewest coordinates beside multipliers of its own: as a leaf it might leave
  /// the multipliers of its joint without a regular block.
  int least_free(const Ints& leader) const {
    Ints freedom(leader.size(), 0), body(leader.size(), 0);
    for (std::size_t v = 0; v < leader.size(); ++v) {
      freedom[at(leader[v])] += multiplier_[v] ? -1 : 1;
      if (!multiplier_[v] && (*known_)[at(column_of_[v])] >= 0) body[at(leader[v])] = 1;
    }
    int least = -1;
    for (std::size_t v = 0; v < body.size(); ++v)
      if (body[v] && (least < 0 || freedom[v] < freedom[at(least)])) least = static_cast<int>(v);
    return std::max(least, 0);
  }

  // 3

  void grow_tree() {
    tree_.grow(bodies_, root_, [&](auto f) {
      for_reduced([&](int i, int j) {
        const int a = body_[at(i)], b = body_[at(j)];
        if (a != b) f(a, b), f(b, a);
      });
    });
  }

  /// The tree's numbering of its blocks is an elimination order already.
  void order_nodes() {
    const auto count = row_of_.size();
    nodes.resize(tree_.parent.size());
    Ints size(nodes.size(), 0);
    for (std::size_t v = 0; v < count; ++v) ++size[at(tree_.block[at(body_[v])])];
    int vertex = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      nodes[k] = {tree_.parent[k], size[k], 0, vertex, 0, 0, -1, -1};
      vertex += size[k];
      largest = std::max(largest, size[k]);
    }
    if (largest > largest_allowed)
      throw Error(ErrorCode::refused, "its graph is no tree of small blocks: of the " + std::to_string(nodes.size()) +
                                          " blocks of its quotient tree the largest has " + std::to_string(largest) +
                                          " unknowns, expected at most " + std::to_string(largest_allowed));
    for (std::size_t k = nodes.size(); k-- > 0;)
      if (nodes[k].parent >= 0) {
        Node& parent = nodes[at(nodes[k].parent)];
        nodes[k].next = parent.child;
        parent.child = static_cast<int>(k);
      }
    // Coordinates first: what a child touches in its parent is then a leading part of it.
    new_place_.assign(count, 0);
    rows.resize(count);
    columns.resize(count);
    Ints next(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) next[k] = nodes[k].vertex;
    for (const char kind : {0, 1})
      for (std::size_t v = 0; v < count; ++v) {
        if (multiplier_[v] != kind) continue;
        const int place = next[at(tree_.block[at(body_[v])])]++;
        new_place_[v] = place;
        rows[at(place)] = row_of_[v];
        columns[at(place)] = column_of_[v];
      }
  }

  int node_of(int v) const { return tree_.block[at(body_[at(v)])]; }
  int local(int v) const { return new_place_[at(v)] - nodes[at(node_of(v))].vertex; }

  void place_entries() {
    // Which unknowns of its parent a node touches, by rows or columns.
    std::vector<std::uint32_t> mask(nodes.size(), 0);
    for_reduced([&](int i, int j) {
      const int a = node_of(i), b = node_of(j);
      if (a == b) return;
      if (nodes[at(a)].parent == b)
        mask[at(a)] |= 1U << local(j);
      else
        mask[at(b)] |= 1U << local(i);
    });
    touches.reserve(nodes.size() * 4);
    int slots = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      Node& node = nodes[k];
      node.touch = static_cast<int>(touches.size());
      for (int i = 0; i < largest_allowed; ++i)
        if (mask[k] >> i & 1U) touches.push_back(i);
      node.touched = static_cast<int>(touches.size()) - node.touch;
      node.storage = slots;
      slots += node.size * (node.size + 2 * node.touched);
    }
    const auto slot = [&](int i, int j) {
      const int a = node_of(i), b = node_of(j);
      const Node& row = nodes[at(a)];
      if (a == b) return row.storage + local(j) * row.size + local(i);
      const auto place = [&](const Node& child, int index) {
        const auto first = touches.begin() + child.touch;
        return static_cast<int>(std::lower_bound(first, first + child.touched, index) - first);
      };
      if (row.parent == b) return row.storage + (row.size + place(row, local(j))) * row.size + local(i);
      const Node& child = nodes[at(b)];
      return child.storage + child.size * (child.size + child.touched) + local(j) * child.touched +
             place(child, local(i));
    };
    entries.reserve(at(pattern_->nonzeros()));
    for (int i = 0; i < n_; ++i)
      if (row_vertex_[at(i)] >= 0)
        for_row(i, [&](int j, int k) {
          if (column_vertex_[at(j)] >= 0) entries.push_back({slot(row_vertex_[at(i)], column_vertex_[at(j)]), k});
        });
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.slot < b.slot; });
    sort_eliminations();
    for (std::size_t e = 0; e < eliminations.size(); ++e)
      for (int k = eliminations[e].first; k < eliminations[e].last; ++k)
        fills.push_back({slot(row_vertex_[at(eliminations[e].s)], column_vertex_[at(terms[at(k)].column)]),
                         static_cast<int>(e), terms[at(k)].value});
    std::stable_sort(fills.begin(), fills.end(), [](const Fill& a, const Fill& b) { return a.slot < b.slot; });
  }

  void sort_eliminations() {
    for (Elimination& e : eliminations) e.place = new_place_[at(row_vertex_[at(e.s)])];
    std::stable_sort(eliminations.begin(), eliminations.end(),
                     [](const Elimination& a, const Elimination& b) { return a.place < b.place; });
    std::vector<Term> sorted;
    sorted.reserve(terms.size());
    for (Elimination& e : eliminations) {
      const int first = static_cast<int>(sorted.size());
      sorted.insert(sorted.end(), terms.begin() + e.first, terms.begin() + e.last);
      e.first = first;
      e.last = static_cast<int>(sorted.size());
    }
    terms.swap(sorted);
  }

  const SparsityPattern* pattern_;
  const std::vector<int>* known_;
  int n_, bodies_ = 0, root_ = 0;
  Ints row_vertex_, column_vertex_;  // vertex of a row or column, -1: eliminated
  Ints row_of_, column_of_;          // of a vertex
  std::vector<char> multiplier_;     // per vertex
  Ints body_, new_place_;            // body of a vertex, place of a vertex in the order of the nodes
  QuotientTree tree_;                // of the bodies
};

}  // namespace gnomon::kernels
