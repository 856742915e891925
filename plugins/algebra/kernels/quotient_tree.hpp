#pragma once
/// \file
/// The refined quotient tree of a graph (George, Liu, SIAM J. Numer. Anal. 15 (1978) 297-327): levels of a
/// breadth-first search, each cut into the sets that hang together through deeper levels. These blocks are the vertices
/// of a tree: an edge of the graph stays in a block or goes from a block to its parent.
///
/// Takes O(edges log) time and memory.

#include <algorithm>
#include <numeric>
#include <vector>

namespace gnomon::kernels {

class QuotientTree {
 public:
  using Ints = std::vector<int>;

  Ints block;   ///< of a vertex of the graph
  Ints parent;  ///< of a block, -1 at a root. Children have smaller numbers: an elimination order

  /// for_edges(f) calls f(a, b) and f(b, a) for every edge, the same ones each time, repeated or not. The search begins
  /// at `root`; what it does not reach becomes trees of its own.
  template <class ForEdges>
  void grow(int vertices, int root, const ForEdges& for_edges) {
    adjoin(vertices, for_edges);
    search(vertices, root);
    cut_levels(vertices);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  template <class F>
  void for_neighbours(int a, F f) const {
    for (int e = begin_[at(a)]; e < end_[at(a)]; ++e) f(neighbours_[at(e)]);
  }

  template <class ForEdges>
  void adjoin(int vertices, const ForEdges& for_edges) {
    begin_.assign(at(vertices) + 1, 0);
    for_edges([&](int a, int) { ++begin_[at(a) + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    neighbours_.resize(at(begin_.back()));
    end_.assign(begin_.begin(), begin_.end() - 1);
    for_edges([&](int a, int b) { neighbours_[at(end_[at(a)]++)] = b; });
    for (int a = 0; a < vertices; ++a) {
      const auto first = neighbours_.begin() + begin_[at(a)], last = neighbours_.begin() + end_[at(a)];
      std::sort(first, last);
      end_[at(a)] = static_cast<int>(std::unique(first, last) - neighbours_.begin());
    }
  }

  void search(int vertices, int root) {
    level_.assign(at(vertices), -1);
    queue_.clear();
    queue_.reserve(at(vertices));
    for (int k = 0; k < vertices; ++k) {
      const int start = (root + k) % vertices;
      if (level_[at(start)] >= 0) continue;
      level_[at(start)] = 0;
      std::size_t next = queue_.size();
      queue_.push_back(start);
      for (; next < queue_.size(); ++next) {
        const int a = queue_[next];
        for_neighbours(a, [&](int b) {
          if (level_[at(b)] >= 0) return;
          level_[at(b)] = level_[at(a)] + 1;
          queue_.push_back(b);
        });
      }
    }
  }

  /// Union of everything that hangs together at this level or deeper, from the deepest level upwards.
  void cut_levels(int vertices) {
    Ints set(at(vertices));
    std::iota(set.begin(), set.end(), 0);
    const auto find = [&](int a) {
      while (set[at(a)] != a) a = set[at(a)] = set[at(set[at(a)])];
      return a;
    };
    std::stable_sort(queue_.begin(), queue_.end(), [&](int a, int b) { return level_[at(a)] > level_[at(b)]; });
    block.assign(at(vertices), -1);
    Ints block_of_set(at(vertices), -1), block_level;
    for (std::size_t first = 0, last = 0; first < queue_.size(); first = last) {
      const int now = level_[at(queue_[first])];
      for (last = first; last < queue_.size() && level_[at(queue_[last])] == now; ++last) {
        const int a = queue_[last];
        for_neighbours(a, [&](int b) {
          if (level_[at(b)] >= now) set[at(find(a))] = find(b);
        });
      }
      for (std::size_t k = first; k < last; ++k) {
        int& id = block_of_set[at(find(queue_[k]))];
        // A set that had a block at a deeper level gets a new one, that block's parent, at this level.
        if (id < 0 || block_level[at(id)] != now) {
          id = static_cast<int>(block_level.size());
          block_level.push_back(now);
        }
        block[at(queue_[k])] = id;
      }
    }
    parent.assign(block_level.size(), -1);
    for (int a = 0; a < vertices; ++a)
      for_neighbours(a, [&](int b) {
        if (level_[at(b)] < level_[at(a)]) parent[at(block[at(a)])] = block[at(b)];
      });
  }

  Ints begin_, end_, neighbours_;  // of vertex a: neighbours_[begin_[a] .. end_[a])
  Ints level_, queue_;
};

}  // namespace gnomon::kernels
