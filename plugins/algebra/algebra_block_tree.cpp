/// \file
/// block-tree: O(n) elimination for chains and trees of small blocks; kernels/tree_partition.hpp says how the blocks
/// are found, and refuses what is no such tree.
///
/// From the leaves to the root, with T the unknowns of the parent that node k touches,
///
///     | D_k  C_k |   | x_k |   | f_k |
///     | B_k   .  | * | x_T | = | f_T |      f_T -= B_k D_k^-1 f_k,    D_T -= B_k D_k^-1 C_k,
///
/// and back, x_k = D_k^-1 (f_k - C_k x_T). Pivoting stays inside the blocks; a block whose inverse has grown by more
/// than 1e12 is reported as singular.

#include <array>
#include <cmath>
#include <limits>

#include "algebra/kernels/small_blocks.hpp"
#include "algebra/kernels/tree_partition.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace {

using namespace gnomon;
using kernels::SmallBlock;
using kernels::TreePartition;

constexpr double largest_inverse = 1e12;

class BlockTree final : public LinearAlgebra {
 public:
  void use_bodies(const std::vector<int>& bodies) override { bodies_ = bodies; }
  void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) override {
    blocks_ = blocks;
    tree_ = std::make_unique<TreePartition>(pattern, bodies_);
    const std::size_t gone = tree_->eliminations.size();
    largest_ = 0;
    for (Vector* v : {&factor_, &inverse_, &defined_}) v->setZero(at(gone));
    coefficient_.setZero(at(tree_->terms.size()));
    unknown_.setZero(at(tree_->rows.size()));
    int schur = 0, update = 0, upper = 0, lower = 0;
    std::size_t entry = 0, fill = 0;
    begin_.reserve(tree_->nodes.size());
    std::array<std::vector<Begin>, most + 1> unused;  // by touched unknowns: places whose content was taken over
    for (const TreePartition::Node& node : tree_->nodes) {
      const int end = node.storage + node.size * (node.size + 2 * node.touched);
      // From here on slots count from the node's first.
      for (; entry < tree_->entries.size() && tree_->entries[entry].slot < end; ++entry)
        tree_->entries[entry].slot -= node.storage;
      for (; fill < tree_->fills.size() && tree_->fills[fill].slot < end; ++fill)
        tree_->fills[fill].slot -= node.storage;
      for_children(node, [&](std::size_t c, const TreePartition::Node& child) {
        unused[static_cast<std::size_t>(child.touched)].push_back(begin_[c]);
      });
      Begin begin{schur, update, upper, lower, static_cast<int>(entry), static_cast<int>(fill)};
      if (auto& free = unused[static_cast<std::size_t>(node.touched)]; !free.empty()) {
        begin.schur = free.back().schur;
        begin.update = free.back().update;
        free.pop_back();
      } else {
        schur += node.touched * node.touched;
        update += node.touched;
      }
      begin_.push_back(begin);
      upper += node.size * (node.size + node.touched);
      lower += node.size * node.touched;
    }
    schur_.setZero(schur);
    update_.setZero(update);
    upper_.setZero(upper);
    lower_.setZero(lower);
  }

  bool factor(const ConstVectorRef& values, Setup) override {
    const double* const v = values.data();
    const auto& eliminations = tree_->eliminations;
    largest_ = 0;
    for (std::size_t e = 0; e < eliminations.size(); ++e) {
      const TreePartition::Elimination& gone = eliminations[e];
      const double inverse = 1 / v[gone.pivot];
      if (!std::isfinite(inverse))
        return fail("row " + std::to_string(gone.r) + " does not define " + unknown_label(blocks_, gone.b));
      inverse_[at(e)] = inverse;
      largest_ = std::max(largest_, std::abs(inverse));
      factor_[at(e)] = v[gone.weight] * inverse;
      for (int k = gone.first; k < gone.last; ++k)
        coefficient_[k] = inverse * v[tree_->terms[static_cast<std::size_t>(k)].value];
    }
    std::size_t entry = 0, fill = 0;
    for (std::size_t k = 0; k < tree_->nodes.size(); ++k)
      if (!with_size(tree_->nodes[k], [&](auto block) { return eliminate(k, v, entry, fill, block); })) return false;
    return true;
  }

  bool solve(VectorRef x) override {
    const std::size_t count = tree_->nodes.size();
    std::size_t gone = 0;
    for (std::size_t k = 0; k < count; ++k)
      with_size(tree_->nodes[k], [&](auto block) { return forward(k, x, gone, block); });
    for (std::size_t k = count; k-- > 0;) with_size(tree_->nodes[k], [&](auto block) { return backward(k, x, block); });
    define(x);
    return all_finite(x) || fail("the solution is not finite: the matrix is singular");
  }

  /// The matrix is scaled, its entries of order one: what is largest of an inverse tells of the smallest pivot. (All
  /// blocks may hold the direction that a singular matrix leaves open: the ratio of their sizes says nothing.)
  double pivot_ratio() const override { return largest_ > 1 ? 1 / largest_ : 1; }

  double cost() const override {
    double sum = 20 * static_cast<double>(tree_->eliminations.size());
    for (const TreePartition::Node& node : tree_->nodes) {
      const double n = node.size, t = node.touched, factor = 2 * n * n * n + 2 * n * n * t + n * t * t;
      const bool known_size = with_size(node, [](auto block) { return is_fixed(block); });
      sum += (known_size ? 100 : 150) + (known_size ? .25 : .5) * factor + (known_size ? 2 : 4) * (n * n + 2 * n * t);
    }
    return sum;
  }

  std::string summary() const override {
    return std::to_string(tree_->nodes.size()) + " blocks of at most " + std::to_string(tree_->largest) +
           " unknowns, " + std::to_string(tree_->eliminations.size()) + " unknowns eliminated before";
  }

 private:
  static constexpr int most = TreePartition::largest_allowed;
  static Index at(std::size_t k) { return static_cast<Index>(k); }
  template <int N, int T>
  static bool is_fixed(SmallBlock<N, T>) {
    return N > 0;
  }

  /// Calls f with the kernels for the size of a node: chains in the plane and in space, with a second multiplier or an
  /// eight-fold block where they are closed, bodies and the joints of points between them, and any other.
  template <class F>
  static bool with_size(const TreePartition::Node& node, F f) {
    if (node.size == 4 && node.touched == 3) return f(SmallBlock<4, 3>{4, 3});
    if (node.size == 3 && node.touched == 2) return f(SmallBlock<3, 2>{3, 2});
    if (node.size == 7 && node.touched == 3) return f(SmallBlock<7, 3>{7, 3});
    if (node.size == 8 && node.touched == 6) return f(SmallBlock<8, 6>{8, 6});
    if (node.size == 6 && node.touched == 3) return f(SmallBlock<6, 3>{6, 3});
    if (node.size == 2 && node.touched == 3) return f(SmallBlock<2, 3>{2, 3});
    if (node.size == 3 && node.touched == 6) return f(SmallBlock<3, 6>{3, 6});
    return f(SmallBlock<0, 0>{node.size, node.touched});
  }

  /// Calls f(node index, its place in per-node lists) for the children of a node.
  template <class F>
  void for_children(const TreePartition::Node& node, F f) const {
    for (int c = node.child; c >= 0; c = tree_->nodes[static_cast<std::size_t>(c)].next)
      f(static_cast<std::size_t>(c), tree_->nodes[static_cast<std::size_t>(c)]);
  }
  const int* touches(const TreePartition::Node& node) const { return tree_->touches.data() + node.touch; }

  /// [D | C | B] of a node from the values, what elimination filled, and the Schur complements of its children; then
  /// D^-1 and D^-1 C to upper_, B D^-1 to lower_, B D^-1 C to schur_.
  template <int N, int T>
  bool eliminate(std::size_t k, const double* values, std::size_t& entry, std::size_t& fill, SmallBlock<N, T> block) {
    const TreePartition::Node& node = tree_->nodes[k];
    const int n = block.size(), t = block.touched();
    double work[N > 0 ? N * (N + 2 * T) : most * 3 * most];
    if constexpr (N > 0)
      Eigen::Map<Eigen::Matrix<double, N*(N + 2 * T), 1>>(work).setZero();  // cheaper than a call of memset
    else
      std::fill_n(work, n * (n + 2 * t), 0.0);
    const TreePartition::Entry *e = tree_->entries.data() + entry,
                               *e_end = tree_->entries.data() + begin_[k].entries_end;
    for (; e != e_end; ++e) work[e->slot] = values[e->value];
    entry = static_cast<std::size_t>(begin_[k].entries_end);
    const double* const factor = factor_.data();
    const TreePartition::Fill *f = tree_->fills.data() + fill, *f_end = tree_->fills.data() + begin_[k].fills_end;
    for (; f != f_end; ++f) work[f->slot] -= factor[f->elimination] * values[f->value];
    fill = static_cast<std::size_t>(begin_[k].fills_end);
    for_children(node, [&](std::size_t c, const TreePartition::Node& child) {
      const int* where = touches(child);
      const double* s = schur_.data() + begin_[c].schur;
      if (N > 0 && T > 0 && child.touched == T && where[T - 1] == T - 1) {  // ascending: the first T of this block
        for (int j = 0; j < T; ++j)
          for (int i = 0; i < T; ++i) work[i + j * N] -= s[i + j * T];
        return;
      }
      for (int j = 0; j < child.touched; ++j)
        for (int i = 0; i < child.touched; ++i) work[where[i] + where[j] * n] -= *s++;
    });

    double* const upper = upper_.data() + begin_[k].upper;
    const bool singular = block.invert(work, upper) >= 0;
    const double size = Eigen::Map<const Vector>(upper, n * n).cwiseAbs().sum();
    largest_ = std::max(largest_, size);
    if (singular || !(size < largest_inverse))
      return fail("the block of " + unknown_label(blocks_, tree_->columns[static_cast<std::size_t>(node.vertex)]) +
                  ", which block-tree eliminates by itself, is singular; klu pivots over the whole matrix");
    if (t > 0)
      block.couple(upper, work + n * n, work + n * (n + t), upper + n * n, lower_.data() + begin_[k].lower,
                   schur_.data() + begin_[k].schur);
    return true;
  }

  /// f of a node, without eliminated unknowns and without its children; then what its parent gets, B D^-1 f.
  template <int N, int T>
  bool forward(std::size_t k, const VectorRef& x, std::size_t& gone, SmallBlock<N, T> block) {
    const TreePartition::Node& node = tree_->nodes[k];
    const int n = block.size(), t = block.touched();
    double* f = unknown_.data() + node.vertex;
    const int* rows = tree_->rows.data() + node.vertex;
    for (int i = 0; i < n; ++i) f[i] = x[rows[i]];
    const auto& eliminations = tree_->eliminations;
    for (; gone < eliminations.size() && eliminations[gone].place < node.vertex + n; ++gone) {
      const double right = x[eliminations[gone].r];
      defined_[at(gone)] = right;
      f[eliminations[gone].place - node.vertex] -= factor_[at(gone)] * right;
    }
    for_children(node, [&](std::size_t c, const TreePartition::Node& child) {
      const int* where = touches(child);
      const double* const update = update_.data() + begin_[c].update;
      for (int i = 0; i < child.touched; ++i) f[where[i]] -= update[i];
    });
    if (t > 0) block.down(lower_.data() + begin_[k].lower, f, update_.data() + begin_[k].update);
    return true;
  }

  /// x = D^-1 f - (D^-1 C) x_T
  template <int N, int T>
  bool backward(std::size_t k, VectorRef& x, SmallBlock<N, T> block) {
    const TreePartition::Node& node = tree_->nodes[k];
    const int n = block.size(), t = block.touched();
    const double *inverse = upper_.data() + begin_[k].upper, *c = inverse + n * n;
    double* own = unknown_.data() + node.vertex;
    double out[N > 0 ? N : most];
    block.inner(inverse, own, out);
    if (t > 0) {
      const double* above = unknown_.data() + tree_->nodes[static_cast<std::size_t>(node.parent)].vertex;
      const int* where = touches(node);
      for (int j = 0; j < t; ++j)
        for (int i = 0; i < n; ++i) out[i] -= c[i + j * n] * above[where[j]];
    }
    const int* columns = tree_->columns.data() + node.vertex;
    for (int i = 0; i < n; ++i) x[columns[i]] = own[i] = out[i];
    return true;
  }

  /// The eliminated unknowns, from those that define them.
  void define(VectorRef& x) const {
    const auto& eliminations = tree_->eliminations;
    for (std::size_t e = 0; e < eliminations.size(); ++e) {
      double sum = inverse_[at(e)] * defined_[at(e)];
      for (int k = eliminations[e].first; k < eliminations[e].last; ++k)
        sum -= coefficient_[k] * x[tree_->terms[static_cast<std::size_t>(k)].column];
      x[eliminations[e].b] = sum;
    }
  }

  struct Begin {
    int schur, update, upper, lower;
    int entries_end, fills_end;  // of the partition's entries and fills
  };

  std::vector<Block> blocks_;
  std::vector<int> bodies_;
  std::unique_ptr<TreePartition> tree_;
  std::vector<Begin> begin_;  // per node, in the lists below
  Vector upper_, lower_;      // D^-1 and D^-1 C; B D^-1
  Vector schur_, update_;     // B D^-1 C and B D^-1 f, each until the parent has it: then its place is another node's
  double largest_ = 0;        // of sum_ij |(D^-1)_ij| of the blocks, and of 1/J_rb
  Vector factor_, inverse_;   // J_sb/J_rb and 1/J_rb per elimination
  Vector coefficient_;        // J_rc/J_rb per term
  Vector defined_, unknown_;  // f_r per elimination; f and then x per vertex
};

}  // namespace

GNOMON_PLUGIN(algebra_block_tree) {
  registrar.add(std::make_unique<NamedFactory<AlgebraFactory>>(
      "block-tree", "elimination of small blocks from the leaves of a tree to its root, O(n): chains and trees",
      [](const Options&) { return std::make_unique<BlockTree>(); }));
}
