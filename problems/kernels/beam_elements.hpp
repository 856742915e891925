#pragma once
/// \file
/// The sums over the elements of a beam in Hermite cubics: energies, their derivatives, and slopes at the Gauss points.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "kernels/beam_unknowns.hpp"
#include "kernels/hermite_element.hpp"

namespace gnomon::problems {

struct BeamRule {
  std::string name;
  Index elements = 20, dimension = 2;
  double length = 1, stiffness = 1, density = 1, gravity = 0;  ///< L, EI, rho, g
  Index gauss = 2;                                             ///< points of |x'| = 1 an element
  double eps = 0;                                              ///< of a penalty in U; 0: constraints
  BeamEnd a, b;
};

class BeamElements : public BeamUnknowns {
 public:
  explicit BeamElements(BeamRule rule)
      : BeamUnknowns(rule.dimension, rule.elements + 1, rule.a, rule.b),
        rule_(std::move(rule)),
        l_(rule_.length / static_cast<double>(rule_.elements)),
        gauss_(rule_.gauss) {
    for (const double xi : gauss_.points) slope_.push_back(HermiteElement::slope(l_, xi));
    weights_.resize(n_points());
    for (Index i = 0; i < n_points(); ++i)
      weights_[i] = rule_.density * l_ * gauss_.weights[static_cast<std::size_t>(i % rule_.gauss)];
    PatternBuilder hessian(size(), size());
    const auto each_slot = [this](auto visit) {
      for (Index e = 0; e < rule_.elements; ++e)
        for (Index a = 0; a < 4; ++a)
          for (Index c = 0; c < dimension_; ++c)
            for (Index b = 0; b < 4; ++b)
              for (Index d = 0; d < dimension_; ++d)
                visit(c == d || has_penalty() ? index(at(e, a, c)) : -1, index(at(e, b, d)));
    };
    each_slot([&](Index j, Index k) {
      if (j >= 0 && k >= 0) hessian.add(j, k);
    });
    hessian_pattern_ = hessian.build();
    each_slot([&](Index j, Index k) { slots_.push_back(j >= 0 && k >= 0 ? hessian_pattern_.find(j, k) : -1); });
  }

 protected:
  using Row = HermiteElement::Row;
  using Triple = std::array<double, 3>;  // a vector; the third component is zero in the plane

  static double dot(const Triple& a, const Triple& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  static double excess(const Triple& p) { return dot(p, p) - 1; }
  static void add(VectorRef& values, Index slot, double value) {
    if (slot >= 0) values[slot] += value;
  }

  bool has_penalty() const { return rule_.eps > 0; }
  /// Constraints |x'| = 1.
  Index n_stretches() const { return has_penalty() ? 0 : n_points(); }
  Index n_points() const { return rule_.elements * rule_.gauss; }
  Index slot(Index e, Index a, Index c, Index b, Index d) const {
    return slots_[static_cast<std::size_t>((((e * 4 + a) * dimension_ + c) * 4 + b) * dimension_ + d)];
  }

  template <class Visit>
  void each_point(const Visit& visit) const {
    for (Index e = 0, i = 0; e < rule_.elements; ++e)
      for (const Row& b : slope_) visit(i++, e, b);
  }
  /// x'(s) where the shape functions have the slopes b, and its rate
  template <class Value>
  Triple slope_of(Index e, const Row& b, const Value& z) const {
    Triple p{0, 0, 0};
    for (Index c = 0; c < dimension_; ++c)
      p[c] = b[2] * (z(at(e, 2, c)) - z(at(e, 0, c))) + b[1] * z(at(e, 1, c)) + b[3] * z(at(e, 3, c));
    return p;
  }
  Triple slope(const ConstVectorRef& q, Index e, const Row& b) const {
    return slope_of(e, b, [&](Index z) { return value(q, z); });
  }
  Triple slope_rate(const ConstVectorRef& v, Index e, const Row& b) const {
    return slope_of(e, b, [&](Index z) { return rate(v, z); });
  }
  /// out += B^T f
  void add_row(Index e, const Row& b, const Triple& f, VectorRef& out) const {
    for (Index a = 0; a < 4; ++a)
      for (Index c = 0; c < dimension_; ++c) add(out, index(at(e, a, c)), b[a] * f[c]);
  }
  /// values of 2 B^T r, point by point, on slopes_
  template <class Vectors>
  void rows(const Vectors& r_of, VectorRef& values) const {
    Index k = 0;
    each_point([&](Index, Index e, const Row& b) {
      const Triple r = r_of(e, b);
      for (Index a = 0; a < 4; ++a)
        for (Index c = 0; c < dimension_; ++c)
          if (index(at(e, a, c)) >= 0) values[k++] = 2 * b[a] * r[c];
    });
  }

  template <class Real, class Value>
  Real energy(const Value& z) const {
    const Real bend = 2 * Real(rule_.stiffness) / l_, load = Real(rule_.density) * rule_.gravity;
    const Row n = HermiteElement::integral(l_);
    Real sum = 0;
    for (Index e = 0; e < rule_.elements; ++e) {
      for (Index c = 0; c < dimension_; ++c) {
        const Real chord = (z(at(e, 2, c)) - z(at(e, 0, c))) / Real(l_);
        const Real a = z(at(e, 1, c)) - chord, b = z(at(e, 3, c)) - chord;
        sum += bend * (a * a + a * b + b * b);
      }
      for (Index a = 0; a < 4; ++a) sum += load * n[a] * z(at(e, a, dimension_ - 1));
    }
    if (!has_penalty()) return sum;
    each_point([&](Index i, Index e, const Row& b) {
      Real g = -1;
      for (Index c = 0; c < dimension_; ++c) {
        const Real p = b[2] * (z(at(e, 2, c)) - z(at(e, 0, c))) + b[1] * z(at(e, 1, c)) + b[3] * z(at(e, 3, c));
        g += p * p;
      }
      sum += Real(weights_[i]) / (2 * Real(rule_.eps)) * g * g;
    });
    return sum;
  }
  /// out += the gradient of the bending energy
  template <class Value>
  void bend(const Value& z, VectorRef& out) const {
    const double f = 2 * rule_.stiffness / l_;
    for (Index e = 0; e < rule_.elements; ++e)
      for (Index c = 0; c < dimension_; ++c) {
        const double chord = (z(at(e, 2, c)) - z(at(e, 0, c))) / l_;
        const double a = z(at(e, 1, c)) - chord, b = z(at(e, 3, c)) - chord;
        const double by_a = f * (2 * a + b), by_b = f * (a + 2 * b), by_chord = (by_a + by_b) / l_;
        add(out, index(at(e, 0, c)), by_chord);
        add(out, index(at(e, 1, c)), by_a);
        add(out, index(at(e, 2, c)), -by_chord);
        add(out, index(at(e, 3, c)), by_b);
      }
  }
  void add_block(const HermiteElement::Block& block, double factor, VectorRef values) const {
    for (Index e = 0; e < rule_.elements; ++e)
      for (Index a = 0; a < 4; ++a)
        for (Index b = 0; b < 4; ++b)
          for (Index c = 0; c < dimension_; ++c) add(values, slot(e, a, c, b, c), factor * block[a][b]);
  }
  void bending(VectorRef values) const {
    values.setZero();
    add_block(HermiteElement::bending(l_), rule_.stiffness, values);
  }
  /// values += factor Hess |x'|^2
  void add_curvature(Index e, const Row& b, double factor, VectorRef& values) const {
    for (Index a = 0; a < 4; ++a)
      for (Index d = 0; d < 4; ++d)
        for (Index c = 0; c < dimension_; ++c) add(values, slot(e, a, c, d, c), 2 * factor * b[a] * b[d]);
  }

  const BeamRule rule_;
  const double l_;
  const GaussRule gauss_;
  std::vector<Row> slope_;  // of the shape functions, at every Gauss point
  Vector weights_;
  SparsityPattern hessian_pattern_;
  std::vector<Index> slots_;  // (e, a, c, b, d) -> hessian_pattern_, or -1
};

}  // namespace gnomon::problems
