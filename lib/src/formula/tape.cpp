#include "gnomon/formula/tape.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

constexpr int largest_degree = 1000;  // beyond it a polynomial is as good as none

using Degree = Tape::Degree;

Degree any_function(bool of_x, bool timed) {
  if (of_x) return {Tape::not_polynomial, timed ? largest_degree : -1};
  return {0, timed ? 0 : -1};
}
Degree sum(const Degree& a, const Degree& b) {
  const int timed = std::max(a.timed, b.timed);
  if (!a.polynomial() || !b.polynomial()) return any_function(true, timed >= 0);
  return {std::max(a.total, b.total), timed};
}
Degree product(const Degree& a, const Degree& b) {
  const bool timed = a.timed >= 0 || b.timed >= 0;
  if (!a.polynomial() || !b.polynomial() || a.total + b.total > largest_degree) return any_function(true, timed);
  // A monomial of the product has a timed coefficient where one of the factors' has.
  return {a.total + b.total, std::max(a.timed >= 0 ? a.timed + b.total : -1, b.timed >= 0 ? b.timed + a.total : -1)};
}

}  // namespace

Index Tape::block_begin(std::size_t block) const {
  Index begin = 1;
  for (std::size_t b = 0; b < block; ++b) begin += block_sizes[b];
  return begin;
}

std::vector<Tape::Degree> Tape::degrees() const {
  std::vector<Degree> at(static_cast<std::size_t>(nodes()));
  at[0] = {0, 0};
  for (Index k = 1; k < first_constant(); ++k) at[static_cast<std::size_t>(k)] = {1, -1};
  auto next = static_cast<std::size_t>(first_step());
  auto choice = switches.begin();
  for (const Step& step : steps) {
    const Degree &a = at[static_cast<std::size_t>(step.a)], &b = at[static_cast<std::size_t>(step.b)];
    const bool timed = a.timed >= 0 || b.timed >= 0;
    Degree& d = at[next++];
    switch (step.operation) {
      case Operation::add:
      case Operation::subtract:
        d = sum(a, b);
        break;
      case Operation::select:
        // A polynomial on each side.
        d = sum(a, b);
        if (d.polynomial() && at[static_cast<std::size_t>(choice->node)].timed >= 0) d.timed = d.total;
        ++choice;
        break;
      case Operation::negate:
        d = a;
        break;
      case Operation::multiply:
        d = product(a, b);
        break;
      case Operation::divide:
        d = b.total == 0 ? product(a, b) : any_function(true, timed);
        break;
      case Operation::power: {
        const Index place = step.b - first_constant();
        const bool constant = place >= 0 && place < static_cast<Index>(constants.size());
        const long double r = constant ? constants[static_cast<std::size_t>(place)] : -1;
        if (r >= 0 && r <= largest_degree && r == std::floor(r)) {
          d = {0, -1};
          for (int i = 0; i < static_cast<int>(r); ++i) d = product(d, a);
        } else {
          d = any_function(a.total != 0 || b.total != 0, timed);
        }
        break;
      }
      default:
        d = any_function(a.total != 0 || b.total != 0, timed);
    }
  }
  std::vector<Degree> result;
  result.reserve(outputs.size());
  for (const Node i : outputs) result.push_back(at[static_cast<std::size_t>(i)]);
  return result;
}

Tape::Degree Tape::degree() const {
  Degree largest;
  for (const Degree& d : degrees()) largest = sum(largest, d);
  return largest;
}

/// Depth-first search for the inputs that a node depends on.
struct Tape::Reach {
  explicit Reach(const Tape& tape)
      : tape_(tape),
        seen_(static_cast<std::size_t>(tape.nodes()), 0),
        first_step_(static_cast<Node>(tape.first_step())) {}

  /// The inputs (node numbers >= 1) that `from` depends on, ascending. Valid until the next call.
  const std::vector<Node>& inputs_of(Node from) {
    ++stamp_;
    found_.clear();
    visit(from);
    while (!open_.empty()) {
      const Node k = open_.back();
      open_.pop_back();
      const Step& step = tape_.steps[static_cast<std::size_t>(k - first_step_)];
      visit(step.a);
      visit(step.b);
    }
    std::sort(found_.begin(), found_.end());
    return found_;
  }

 private:
  void visit(Node k) {
    auto& mark = seen_[static_cast<std::size_t>(k)];
    if (mark == stamp_) return;
    mark = stamp_;
    if (k >= first_step_)
      open_.push_back(k);
    else if (k >= 1 && k < static_cast<Node>(tape_.first_constant()))
      found_.push_back(k);
  }

  const Tape& tape_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  Node first_step_;
  std::vector<Node> open_, found_;
};

SparsityPattern Tape::dependences(std::size_t block) const {
  const Index begin = block_begin(block), end = begin + block_sizes[block];
  SparsityPattern pattern;
  pattern.rows = static_cast<Index>(outputs.size());
  pattern.cols = block_sizes[block];
  pattern.offsets.assign(1, 0);
  Reach reach(*this);
  for (const Node i : outputs) {
    for (const Node k : reach.inputs_of(i))
      if (k >= begin && k < end) pattern.indices.push_back(k - begin);
    pattern.offsets.push_back(pattern.nonzeros());
  }
  return pattern;
}

namespace {

/// A symmetric set of pairs: bits for few rows, a sorted list for many.
class PairSet {
 public:
  explicit PairSet(Index n) : n_(n), words_((n + 63) / 64) {
    if (dense()) bits_.assign(static_cast<std::size_t>(n * words_), 0);
  }
  /// All pairs of one of `a` with one of `b`, both ways.
  void add(const std::vector<Index>& a, const std::vector<Index>& b) {
    if (dense() && static_cast<Index>(a.size() + b.size()) > words_) {
      add_rows(a, b);
      add_rows(b, a);
      return;
    }
    for (const Index i : a)
      for (const Index j : b) {
        add(i, j);
        add(j, i);
      }
  }
  SparsityPattern build() {
    if (dense()) {
      for (Index i = 0; i < n_; ++i)
        for (Index j = 0; j < n_; ++j)
          if (bits_[word(i, j)] >> (j % 64) & 1) pairs_.emplace_back(i, j);
    }
    return SparsityPattern::from_entries(n_, n_, pairs_);
  }

 private:
  bool dense() const { return n_ <= 8192; }
  std::size_t word(Index i, Index j) const { return static_cast<std::size_t>(i * words_ + j / 64); }
  void add_rows(const std::vector<Index>& rows, const std::vector<Index>& columns) {
    std::vector<std::uint64_t> mask(static_cast<std::size_t>(words_), 0);
    for (const Index j : columns) mask[static_cast<std::size_t>(j / 64)] |= std::uint64_t(1) << (j % 64);
    for (const Index i : rows)
      for (Index k = 0; k < words_; ++k) bits_[word(i, 64 * k)] |= mask[static_cast<std::size_t>(k)];
  }
  void add(Index i, Index j) {
    if (dense()) {
      bits_[word(i, j)] |= std::uint64_t(1) << (j % 64);
      return;
    }
    pairs_.emplace_back(i, j);
    if (pairs_.size() < limit_) return;
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    limit_ = 2 * pairs_.size() + (1u << 20);
    if (pairs_.size() > (std::size_t(1) << 28))
      throw Error(ErrorCode::refused, "a Hessian of " + std::to_string(n_) + " rows has more than " +
                                          std::to_string(std::size_t(1) << 28) +
                                          " entries; write the model so that its terms depend on few coordinates each");
  }

  Index n_, words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::pair<Index, Index>> pairs_;
  std::size_t limit_ = std::size_t(1) << 22;
};

}  // namespace

SparsityPattern Tape::interactions() const {
  const Node begin = static_cast<Node>(block_begin(0)), end = begin + static_cast<Node>(block_sizes[0]);
  Reach reach(*this);
  std::unordered_map<Node, std::vector<Index>> known;
  const auto block_inputs = [&](Node k) -> const std::vector<Index>& {
    const auto found = known.find(k);
    if (found != known.end()) return found->second;
    std::vector<Index> list;
    for (const Node i : reach.inputs_of(k))
      if (i >= begin && i < end) list.push_back(i - begin);
    return known.emplace(k, std::move(list)).first->second;
  };
  PairSet pairs(block_sizes[0]);
  for (const Step& step : steps) {
    switch (step.operation) {
      case Operation::input:
      case Operation::constant:
      case Operation::add:
      case Operation::subtract:
      case Operation::negate:
      case Operation::select:
        break;
      case Operation::multiply:
        pairs.add(block_inputs(step.a), block_inputs(step.b));
        break;
      case Operation::divide:
        pairs.add(block_inputs(step.a), block_inputs(step.b));
        pairs.add(block_inputs(step.b), block_inputs(step.b));
        break;
      default:
        pairs.add(block_inputs(step.a), block_inputs(step.a));
        if (step.a == step.b) break;
        pairs.add(block_inputs(step.a), block_inputs(step.b));
        pairs.add(block_inputs(step.b), block_inputs(step.b));
    }
  }
  return pairs.build();
}

/// A node x on the way to the output is c + y: nodes are looked at once, those on the way from the last to the first,
/// then all c and y from the first to the last.
long double Tape::take_constant() {
  constexpr Node none = -1;
  const Index first = first_step();
  const auto constant_at = [&](Node node) { return node >= first_constant() && node < first; };
  const auto value = [&](Node node) { return constants[static_cast<std::size_t>(node - first_constant())]; };
  const auto passes = [&](const Step& step) {
    return step.operation == Operation::add || step.operation == Operation::subtract ||
           step.operation == Operation::negate ||
           (step.operation == Operation::multiply && (constant_at(step.a) || constant_at(step.b))) ||
           (step.operation == Operation::divide && constant_at(step.b));
  };
  std::vector<bool> on_way(static_cast<std::size_t>(nodes()), false);
  on_way[static_cast<std::size_t>(outputs[0])] = true;
  const std::vector<Step> given = steps;
  for (auto k = static_cast<Index>(given.size()); k-- > 0;) {
    const Step& step = given[static_cast<std::size_t>(k)];
    if (!on_way[static_cast<std::size_t>(first + k)] || !passes(step)) continue;
    on_way[static_cast<std::size_t>(step.a)] = true;
    if (step.operation != Operation::negate) on_way[static_cast<std::size_t>(step.b)] = true;
  }
  struct Split {
    long double c = 0;
    Node y = none;  ///< or none: zero
  };
  std::vector<Split> split(static_cast<std::size_t>(nodes()));
  const auto put = [&](Operation operation, Node a, Node b) {
    steps.push_back({operation, a, b});
    return static_cast<Node>(nodes() - 1);
  };
  for (Index node = 0; node < static_cast<Index>(split.size()); ++node) {
    if (!on_way[static_cast<std::size_t>(node)]) continue;
    Split& out = split[static_cast<std::size_t>(node)];
    out.y = static_cast<Node>(node);
    if (constant_at(out.y)) out = {value(out.y), none};
    if (node < first || !passes(given[static_cast<std::size_t>(node - first)])) continue;
    const auto [operation, na, nb] = given[static_cast<std::size_t>(node - first)];
    const Split& a = split[static_cast<std::size_t>(na)];
    const Split b = operation == Operation::negate ? Split() : split[static_cast<std::size_t>(nb)];
    if (a.y == na && (b.y == nb || operation == Operation::negate)) continue;  // no constant in it
    switch (operation) {
      case Operation::add:
        out = {a.c + b.c, a.y == none ? b.y : b.y == none ? a.y : put(operation, a.y, b.y)};
        break;
      case Operation::subtract:
        out = {a.c - b.c, b.y == none   ? a.y
                          : a.y == none ? put(Operation::negate, b.y, b.y)
                                        : put(operation, a.y, b.y)};
        break;
      case Operation::negate:
        out = {-a.c, a.y == none ? none : put(operation, a.y, a.y)};
        break;
      case Operation::multiply:
        if (constant_at(na))
          out = {value(na) * b.c, b.y == none ? none : put(operation, na, b.y)};
        else
          out = {value(nb) * a.c, a.y == none ? none : put(operation, a.y, nb)};
        break;
      default:
        out = {a.c / value(nb), a.y == none ? none : put(operation, a.y, nb)};
    }
  }
  const Split& all = split[static_cast<std::size_t>(outputs[0])];
  if (all.y == none) return 0;  // a constant by itself stays
  outputs[0] = all.y;
  return all.c;
}

}  // namespace gnomon
