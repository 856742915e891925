#pragma once
/// \file
/// ChunkedFunction: a Function whose tape would show only one branch. Every derivative comes from forward duals through
/// the author's own template, eight inputs at a time; patterns are dense.

#include <algorithm>
#include <memory>
#include <utility>

#include "gnomon/formula/seeds.hpp"
#include "gnomon/formula/workspace.hpp"

namespace gnomon {

/// F: operator()(const S& t, const std::array<const S*, 3>& x, S* out, S* scratch) const for every scalar S, which
/// finds zeros in out; Index scratch() const, the number of scratch values it needs.
template <class F>
class ChunkedFunction final : public Function {
 public:
  ChunkedFunction(F f, const std::array<Index, n_blocks>& block_sizes, Index outputs) : f_(std::move(f)) {
    outputs_ = outputs;
    sizes_ = block_sizes;
    for (std::size_t b = 0; b < n_blocks; ++b) patterns_[b] = SparsityPattern::dense(outputs, sizes_[b]);
    hessian_pattern_ = SparsityPattern::dense(sizes_[0], sizes_[0]);
    take<Dual<Second, width>>();
  }

  void value(double t, const Blocks& x, double* out) const override {
    const Memory<double> at = take<double>();
    set(at, t, x, seeds::none);
    evaluate(at);
    std::copy_n(at.out, outputs_, out);
  }
  void extended(double t, const Blocks& x, const Blocks& tail, long double* out) const override {
    std::copy_n(at_tail(t, x, tail), outputs_, out);
  }
  void compensated(double t, const Blocks& x, const Blocks& tail, double* out) const override {
    const long double* const f = at_tail(t, x, tail);
    for (Index i = 0; i < outputs_; ++i) out[i] = static_cast<double>(f[i]);
  }

  void jacobian(std::size_t block, double t, const Blocks& x, double* values) const override {
    rows<double>(block, t, x, values, seeds::none);
  }
  void jacobian_derivative(double t, const Blocks& x, const double* v, double* values) const override {
    rows<Dual1>(0, t, x, values, seeds::along(v));
  }
  void third(double t, const Blocks& x, const double* v, const double* w, double* values) const override {
    rows<Second>(0, t, x, values, seeds::along(v, w));
  }
  void rate_jacobian(double t, const Blocks& x, double* values) const override {
    rows<Dual1>(0, t, x, values, seeds::time);
  }
  void along(double t, const Blocks& x, const double* v, double* first, double* second) const override {
    const Memory<Second> at = take<Second>();
    set(at, t, x, seeds::curve(v));
    evaluate(at);
    for (Index i = 0; i < outputs_; ++i) {
      if (first != nullptr) first[i] = at.out[i].value.grad[0];
      if (second != nullptr) second[i] = at.out[i].grad[0].grad[0];
    }
  }

  void add_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values) const override {
    for (Index row = 0; row < sizes_[0]; ++row)
      weighted<Dual1>(
          0, t, x, mu,
          [&](Dual1& s, std::size_t block, Index j) {
            if (block == 0 && j == row) s.grad[0] = 1;
          },
          [&](Index j, double h) { values[places[row * sizes_[0] + j]] += h; });
  }
  void add_rate_hessian(double t, const Blocks& x, const double* mu, const Index* places,
                        double* values) const override {
    for (Index row = 0; row < sizes_[0]; ++row)
      weighted<Second>(
          0, t, x, mu,
          [&](Second& s, std::size_t block, Index j) {
            if (block == n_blocks) s.value.grad[0] = 1;
            if (block == 0 && j == row) s.grad[0].value = 1;
          },
          [&](Index j, double h) { values[places[row * sizes_[0] + j]] += h; });
  }
  void add_hessian_derivative(double t, const Blocks& x, const double* mu, const double* v, const Index* places,
                              double* values) const override {
    for (Index row = 0; row < sizes_[0]; ++row)
      weighted<Second>(
          0, t, x, mu,
          [&](Second& s, std::size_t block, Index j) {
            if (block != 0) return;
            s.value.grad[0] = v[j];
            if (j == row) s.grad[0].value = 1;
          },
          [&](Index j, double h) { values[places[row * sizes_[0] + j]] += h; });
  }

  void gradient(double t, const Blocks& x, const Results& out) const override {
    for (std::size_t b = 0; b < n_blocks; ++b)
      if (out[b] != nullptr) weighted<double>(b, t, x, nullptr, seeds::none, store(out[b]));
  }
  void third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u, const Results& out) const override {
    for (std::size_t b = 0; b < n_blocks; ++b)
      if (out[b] != nullptr) weighted<Second>(b, t, x, nullptr, seeds::along(w, u), store(out[b]));
  }
  void product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const override {
    for (std::size_t b = 0; b < n_blocks; ++b)
      if (out[b] != nullptr) weighted<Dual1>(b, t, x, mu, seeds::along(w), store(out[b]));
  }

 private:
  static constexpr int width = 8;
  using Second = seeds::Second;

  template <class S>
  struct Memory {
    S *t, *x, *out, *scratch;
  };
  Index inputs() const { return sizes_[0] + sizes_[1] + sizes_[2]; }
  template <class S>
  Memory<S> take() const {
    const auto count = static_cast<std::size_t>(1 + inputs() + outputs_ + f_.scratch());
    S* const t = static_cast<S*>(thread_workspace(count * sizeof(S)));
    std::uninitialized_fill_n(t, count, S(0.0));
    return {t, t + 1, t + 1 + inputs(), t + 1 + inputs() + outputs_};
  }
  template <class S, class Seed>
  void set(const Memory<S>& at, double t, const Blocks& x, const Seed& seed) const {
    *at.t = S(t);
    seed(*at.t, n_blocks, Index(0));
    S* to = at.x;
    for (std::size_t block = 0; block < n_blocks; ++block)
      for (Index j = 0; j < sizes_[block]; ++j, ++to) {
        *to = S(x[block][j]);
        seed(*to, block, j);
      }
  }
  template <class S>
  void evaluate(const Memory<S>& at) const {
    std::fill_n(at.out, outputs_, S(0.0));
    const std::array<const S*, n_blocks> x{at.x, at.x + sizes_[0], at.x + sizes_[0] + sizes_[1]};
    f_(*at.t, x, at.out, at.scratch);
  }
  const long double* at_tail(double t, const Blocks& x, const Blocks& tail) const {
    const Memory<long double> at = take<long double>();
    set(at, t, x, seeds::tail(tail));
    evaluate(at);
    return at.out;
  }

  /// use(j, slot, out) for every entry j of the block: its derivative of the highest coefficient is in grad[slot].
  template <class Inner, class Seed, class Use>
  void chunks(std::size_t block, double t, const Blocks& x, const Seed& seed, const Use& use) const {
    using S = Dual<Inner, width>;
    for (Index begin = 0; begin < sizes_[block]; begin += width) {
      const Memory<S> at = take<S>();
      set(at, t, x, [&](S& s, std::size_t b, Index j) {
        seed(s.value, b, j);
        if (b == block && j >= begin && j < begin + width) s.grad[static_cast<std::size_t>(j - begin)] = Inner(1.0);
      });
      evaluate(at);
      for (Index j = begin; j < std::min(begin + width, sizes_[block]); ++j)
        use(j, static_cast<std::size_t>(j - begin), at.out);
    }
  }
  template <class Inner, class Seed>
  void rows(std::size_t block, double t, const Blocks& x, double* values, const Seed& seed) const {
    chunks<Inner>(block, t, x, seed, [&](Index j, std::size_t slot, const Dual<Inner, width>* out) {
      for (Index i = 0; i < outputs_; ++i) values[i * sizes_[block] + j] = seeds::highest(out[i].grad[slot]);
    });
  }
  static auto store(double* out) {
    return [out](Index j, double value) { out[j] = value; };
  }
  /// use(j, sum_i mu_i of the same); mu = null: of output 0.
  template <class Inner, class Seed, class Use>
  void weighted(std::size_t block, double t, const Blocks& x, const double* mu, const Seed& seed,
                const Use& use) const {
    chunks<Inner>(block, t, x, seed, [&](Index j, std::size_t slot, const Dual<Inner, width>* out) {
      double sum = mu == nullptr ? seeds::highest(out[0].grad[slot]) : 0;
      for (Index i = 0; mu != nullptr && i < outputs_; ++i) sum += mu[i] * seeds::highest(out[i].grad[slot]);
      use(j, sum);
    });
  }

  F f_;
};

}  // namespace gnomon
