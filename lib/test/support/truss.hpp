#pragma once
/// \file
/// A large sparse System: points in the plane joined by rods, under gravity.

#include <cmath>
#include <utility>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon::test {

/// Points x_i, q = (x_0, y_0, x_1, y_1, ...), rods (a, b) of length one, b = pivot for a joint fixed at the origin:
///     g_k = (|x_a - x_b|^2 - 1) / 2,    U = 9.81 sum_i y_i
class Truss final : public System {
 public:
  static constexpr Index pivot = -1;
  using Rod = std::pair<Index, Index>;

  Truss(Index points, std::vector<Rod> rods, Mass mass) : rods_(std::move(rods)), mass_(std::move(mass)) {
    traits_.name = "truss";
    traits_.n = 2 * points;
    traits_.m = static_cast<Index>(rods_.size());
    traits_.potential_degree = 1;
    traits_.constraint_degree = 2;
    std::vector<std::pair<Index, Index>> entries, second;
    for (Index i = 0; i < traits_.n; ++i) second.emplace_back(i, i);
    for (Index k = 0; k < traits_.m; ++k) {
      const auto [a, b] = rods_[static_cast<std::size_t>(k)];
      for (Index c = 0; c < 2; ++c) {
        entries.emplace_back(k, 2 * a + c);
        if (b == pivot) continue;
        entries.emplace_back(k, 2 * b + c);
        second.emplace_back(2 * a + c, 2 * b + c);
        second.emplace_back(2 * b + c, 2 * a + c);
      }
    }
    pattern_ = SparsityPattern::from_entries(traits_.m, traits_.n, entries);
    hessian_pattern_ = SparsityPattern::from_entries(traits_.n, traits_.n, second);
  }

  /// A chain of `links` rods hanging from the pivot, every point of mass one.
  static std::vector<Rod> chain(Index links) {
    std::vector<Rod> rods;
    for (Index i = 0; i < links; ++i) rods.emplace_back(i, i - 1);
    return rods;
  }

  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }
  double potential(double, const ConstVectorRef& q) const override {
    double u = 0;
    for (Index i = 1; i < q.size(); i += 2) u += 9.81 * q[i];
    return u;
  }
  void potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override {
    for (Index i = 0; i < q.size(); ++i) out[i] = i % 2 ? 9.81 : 0;
  }
  void potential_hessian_times(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef out) const override {
    out.setZero();
  }
  const SparsityPattern& constraint_pattern() const override { return pattern_; }
  void constraints(double, const ConstVectorRef& q, VectorRef out) const override {
    for (Index k = 0; k < traits_.m; ++k) {
      const double dx = across(k, 0, q), dy = across(k, 1, q);
      out[k] = 0.5 * (dx * dx + dy * dy - 1);
    }
  }
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override { gradient(q, values); }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override {
    Vector values(pattern_.nonzeros());
    gradient(w, values);  // G is linear in q
    multiply_transposed(pattern_, values, lambda, out);
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef& v,
                                      VectorRef values) const override {
    gradient(v, values);
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    for (Index k = 0; k < traits_.m; ++k)
      out[k] = across(k, 0, q) * across(k, 0, v) + across(k, 1, q) * across(k, 1, v);
  }
  void constraint_bias(double, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    for (Index k = 0; k < traits_.m; ++k) out[k] = std::pow(across(k, 0, v), 2) + std::pow(across(k, 1, v), 2);
  }
  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }
  void lagrangian_hessian(double, const ConstVectorRef&, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    values.setZero();
    for (Index k = 0; k < traits_.m; ++k) {
      const auto [a, b] = rods_[static_cast<std::size_t>(k)];
      for (Index c = 0; c < 2; ++c) {
        values[hessian_pattern_.find(2 * a + c, 2 * a + c)] += lambda[k];
        if (b == pivot) continue;
        values[hessian_pattern_.find(2 * b + c, 2 * b + c)] += lambda[k];
        values[hessian_pattern_.find(2 * a + c, 2 * b + c)] -= lambda[k];
        values[hessian_pattern_.find(2 * b + c, 2 * a + c)] -= lambda[k];
      }
    }
  }

 private:
  double across(Index k, Index c, const ConstVectorRef& x) const {
    const auto [a, b] = rods_[static_cast<std::size_t>(k)];
    return x[2 * a + c] - (b == pivot ? 0 : x[2 * b + c]);
  }
  void gradient(const ConstVectorRef& q, VectorRef values) const {
    for (Index k = 0; k < traits_.m; ++k)
      for (Index c = 0; c < 2; ++c) {
        const auto [a, b] = rods_[static_cast<std::size_t>(k)];
        values[pattern_.find(k, 2 * a + c)] = across(k, c, q);
        if (b != pivot) values[pattern_.find(k, 2 * b + c)] = -across(k, c, q);
      }
  }

  std::vector<Rod> rods_;
  Mass mass_;
  SystemTraits traits_;
  SparsityPattern pattern_, hessian_pattern_;
};

}  // namespace gnomon::test
