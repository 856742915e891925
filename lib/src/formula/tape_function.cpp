#include "gnomon/formula/tape_function.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gnomon/formula/seeds.hpp"
#include "gnomon/formula/workspace.hpp"
#include "tape_sweeps.hpp"

namespace gnomon {

namespace {

using seeds::highest, seeds::Second;

constexpr int width = 4;  // colours that one sweep serves

SparsityPattern transposed(const SparsityPattern& a) {
  std::vector<std::pair<Index, Index>> entries;
  entries.reserve(a.indices.size());
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.offsets[i]; k < a.offsets[i + 1]; ++k) entries.emplace_back(a.indices[k], i);
  return SparsityPattern::from_entries(a.cols, a.rows, entries);
}

Index longest_row(const SparsityPattern& a) {
  Index longest = 0;
  for (Index i = 0; i < a.rows; ++i) longest = std::max(longest, a.offsets[i + 1] - a.offsets[i]);
  return longest;
}

/// f(node number, block, entry) for every entry of x.
template <class F>
void for_each_input(const Tape& tape, const F& f) {
  Index node = 1;
  for (std::size_t block = 0; block < Function::n_blocks; ++block)
    for (Index j = 0; j < tape.block_sizes[block]; ++j) f(node++, block, j);
}

template <class S>
void clear(S* adjoints, Index count) {
  std::uninitialized_fill_n(adjoints, count, S(0.0));
}

}  // namespace

TapeFunction::TapeFunction(Tape tape, ValuesOnly) : tape_(std::move(tape)) {
  prepare(Patterns::all);
}

TapeFunction::TapeFunction(Tape tape, Patterns patterns) : tape_(std::move(tape)) {
  prepare(patterns);
  using Widest = Dual<Dual1, width>;
  thread_workspace(static_cast<std::size_t>(2 * tape_.nodes()) * sizeof(Widest));
}

void TapeFunction::prepare(Patterns patterns) {
  outputs_ = static_cast<Index>(tape_.outputs.size());
  sizes_ = tape_.block_sizes;
  thread_workspace(static_cast<std::size_t>(2 * tape_.nodes()) * sizeof(long double));
  if (patterns == Patterns::none) return;
  for (std::size_t block = 0; block < n_blocks; ++block) {
    SparsityPattern& pattern = patterns_[block];
    pattern = tape_.dependences(block);
    Compression& c = compressions_[block];
    // The longest row is the least number of colours for columns, and the longest column for rows: the colouring that
    // cannot win is not made, as it may take the square of n operations.
    const SparsityPattern columns = transposed(pattern);
    const Index least_columns = longest_row(pattern), least_rows = longest_row(columns);
    c.by_rows = least_rows <= least_columns;
    if (c.by_rows) {
      c.rows = colour_columns(columns);
      if (c.rows.colours > least_columns) {
        c.columns = colour_columns(pattern);
        c.by_rows = c.rows.colours <= c.columns.colours;
      }
    } else {
      c.columns = colour_columns(pattern);
      if (c.columns.colours > least_rows) {
        c.rows = colour_columns(columns);
        c.by_rows = c.rows.colours <= c.columns.colours;
      }
    }
    for (Index i = 0; i < pattern.rows; ++i)
      c.row_of.insert(c.row_of.end(), static_cast<std::size_t>(pattern.offsets[i + 1] - pattern.offsets[i]), i);
  }
  if (patterns == Patterns::jacobian) return;
  hessian_pattern_ = tape_.interactions();
  hessian_colours_ = colour_columns(hessian_pattern_);
}

/// Work space of `arrays` arrays of one S a node, the first with the values at (t, x).
template <class S, class Seed>
S* TapeFunction::evaluate(double t, const Blocks& x, std::size_t arrays, const Seed& seed) const {
  S* const v = static_cast<S*>(thread_workspace(static_cast<std::size_t>(tape_.nodes()) * arrays * sizeof(S)));
  put(v, S(t));
  seed(v[0], n_blocks, Index(0));
  for_each_input(tape_, [&](Index node, std::size_t block, Index j) {
    put(v + node, S(x[block][j]));
    seed(v[node], block, j);
  });
  forward(tape_, v);
  return v;
}

/// The adjoints of all nodes, where those of the outputs are mu; null: one, of output 0.
template <class S, class Seed>
const S* TapeFunction::adjoints(double t, const Blocks& x, const double* mu, const Seed& seed) const {
  S* const v = evaluate<S>(t, x, 2, seed);
  S* const d = v + tape_.nodes();
  clear(d, tape_.nodes());
  if (mu == nullptr) d[tape_.outputs[0]] = S(1.0);
  for (std::size_t i = 0; mu != nullptr && i < tape_.outputs.size(); ++i) d[tape_.outputs[i]] += S(mu[i]);
  reverse(tape_, v, d);
  return d;
}

/// The highest coefficients of the adjoints of x.
template <class S>
void TapeFunction::store(const S* adjoints, const Results& out) const {
  for_each_input(tape_, [&](Index node, std::size_t block, Index j) {
    if (out[block] != nullptr) out[block][j] = highest(adjoints[node]);
  });
}

void TapeFunction::value(double t, const Blocks& x, double* out) const {
  const double* v = evaluate<double>(t, x, 1, seeds::none);
  for (const Tape::Node i : tape_.outputs) *out++ = v[i];
}

void TapeFunction::extended(double t, const Blocks& x, const Blocks& tail, long double* out) const {
  const long double* v = evaluate<long double>(t, x, 1, seeds::tail(tail));
  for (const Tape::Node i : tape_.outputs) *out++ = v[i];
}

void TapeFunction::compensated(double t, const Blocks& x, const Blocks& tail, double* out) const {
  const long double* v = evaluate<long double>(t, x, 1, seeds::tail(tail));
  for (const Tape::Node i : tape_.outputs) *out++ = static_cast<double>(v[i]);
}

/// The Jacobian of the highest coefficient at Inner numbers.
template <class Inner, class Value, class Seed>
void TapeFunction::compressed_rows(std::size_t block, double t, const Blocks& x, Value* values,
                                   const Seed& seed) const {
  const SparsityPattern& pattern = patterns_[block];
  const Compression& c = compressions_[block];
  const Index begin = tape_.block_begin(block);
  if (c.by_rows) {
    Inner* const v = evaluate<Inner>(t, x, 2, seed);
    Inner* const d = v + tape_.nodes();
    for (const auto& rows : c.rows.columns) {
      clear(d, tape_.nodes());
      for (const Index i : rows) d[tape_.outputs[static_cast<std::size_t>(i)]] += Inner(1.0);
      reverse(tape_, v, d);
      for (const Index i : rows)
        for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
          values[k] = highest(d[begin + pattern.indices[k]]);
    }
    return;
  }
  using S = Dual<Inner, width>;
  for (Index colour = 0; colour < c.columns.colours; colour += width) {
    const S* const v = evaluate<S>(t, x, 1, [&](S& s, std::size_t at, Index j) {
      seed(s.value, at, j);
      if (at != block) return;
      const Index place = c.columns.colour_of[static_cast<std::size_t>(j)] - colour;
      if (place >= 0 && place < width) s.grad[static_cast<std::size_t>(place)] = Inner(1.0);
    });
    for (Index k = 0; k < pattern.nonzeros(); ++k) {
      const Index place = c.columns.colour_of[static_cast<std::size_t>(pattern.indices[k])] - colour;
      if (place < 0 || place >= width) continue;
      const Index row = c.row_of[static_cast<std::size_t>(k)];
      values[k] = highest(v[tape_.outputs[static_cast<std::size_t>(row)]].grad[static_cast<std::size_t>(place)]);
    }
  }
}

void TapeFunction::jacobian(std::size_t block, double t, const Blocks& x, double* values) const {
  compressed_rows<double>(block, t, x, values, seeds::none);
}

bool TapeFunction::extended_jacobian(double t, const Blocks& x, const Blocks& tail, long double* values) const {
  if (patterns_[0].rows > 0) {
    compressed_rows<long double>(0, t, x, values, seeds::tail(tail));
    return true;
  }
  if (outputs_ != 1) return false;
  // Without patterns: the gradient by all inputs, one reverse sweep.
  const long double* const d = adjoints<long double>(t, x, nullptr, seeds::tail(tail));
  for_each_input(tape_, [&](Index node, std::size_t, Index) { *values++ = d[node]; });
  return true;
}

void TapeFunction::jacobian_derivative(double t, const Blocks& x, const double* v, double* values) const {
  compressed_rows<Dual1>(0, t, x, values, seeds::along(v));
}

void TapeFunction::extended_jacobian_derivative(double t, const Blocks& x, const double* v, long double* values) const {
  compressed_rows<Dual<long double, 1>>(0, t, x, values, seeds::along(v));
}

void TapeFunction::third(double t, const Blocks& x, const double* v, const double* w, double* values) const {
  compressed_rows<Second>(0, t, x, values, seeds::along(v, w));
}

void TapeFunction::rate_jacobian(double t, const Blocks& x, double* values) const {
  if (!tape_.uses_time) {
    std::fill_n(values, patterns_[0].nonzeros(), 0.0);
    return;
  }
  compressed_rows<Dual1>(0, t, x, values, seeds::time);
}

void TapeFunction::along(double t, const Blocks& x, const double* v, double* first, double* second) const {
  const Second* const at = evaluate<Second>(t, x, 1, seeds::curve(v));
  for (const Tape::Node i : tape_.outputs) {
    if (first != nullptr) *first++ = at[i].value.grad[0];
    if (second != nullptr) *second++ = at[i].grad[0].grad[0];
  }
}

/// Adds sum_i mu_i Hess f_i at Inner numbers, of the highest coefficient.
template <class Inner, class Seed>
void TapeFunction::compressed_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values,
                                      const Seed& seed) const {
  using S = Dual<Inner, width>;
  const SparsityPattern& pattern = hessian_pattern_;
  const auto& colour_of = hessian_colours_.colour_of;
  for (Index colour = 0; colour < hessian_colours_.colours; colour += width) {
    const auto place_of = [&](Index j) { return colour_of[static_cast<std::size_t>(j)] - colour; };
    const S* const d = adjoints<S>(t, x, mu, [&](S& s, std::size_t block, Index j) {
      seed(s.value, block, j);
      if (block != 0) return;
      const Index place = place_of(j);
      if (place >= 0 && place < width) s.grad[static_cast<std::size_t>(place)] = Inner(1.0);
    });
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
        const Index place = place_of(pattern.indices[k]);
        if (place >= 0 && place < width) values[places[k]] += highest(d[1 + i].grad[static_cast<std::size_t>(place)]);
      }
  }
}

void TapeFunction::add_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values) const {
  compressed_hessian<double>(t, x, mu, places, values, seeds::none);
}

void TapeFunction::add_rate_hessian(double t, const Blocks& x, const double* mu, const Index* places,
                                    double* values) const {
  if (tape_.uses_time) compressed_hessian<Dual1>(t, x, mu, places, values, seeds::time);
}

void TapeFunction::add_hessian_derivative(double t, const Blocks& x, const double* mu, const double* v,
                                          const Index* places, double* values) const {
  compressed_hessian<Dual1>(t, x, mu, places, values, seeds::along(v));
}

void TapeFunction::gradient(double t, const Blocks& x, const Results& out) const {
  store(adjoints<double>(t, x, nullptr, seeds::none), out);
}

void TapeFunction::third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u,
                                 const Results& out) const {
  store(adjoints<Second>(t, x, nullptr, seeds::along(w, u)), out);
}

void TapeFunction::product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const {
  store(adjoints<Dual1>(t, x, mu, seeds::along(w)), out);
}

}  // namespace gnomon
