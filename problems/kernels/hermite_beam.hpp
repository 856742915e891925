#pragma once
/// \file
/// An inextensible elastic beam in Hermite cubics: a sparse System with hand-written derivatives, any number of
/// elements, in the plane or in space. Glowinski and Holmstroem, section 4.

#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/split_form.hpp"
#include "gnomon/model/system.hpp"
#include "kernels/beam_elements.hpp"
#include "kernels/still_constraints.hpp"

namespace gnomon::problems {

/// x(s) = sum_i N_i(s) z_i on elements of equal length l, z = (x_0, x'_0, x_1, x'_1, ...); q are those z that no end
/// prescribes. The last axis points upwards.
///
///     M = int rho N_i N_j,   U = int [EI |x''|^2/2 + rho gravity x_up] ds,   g_k = |x'(s_k)|^2 - 1
///
/// at the Gauss points s_k; their weights w_k times rho are the constraint weights, so that a penalty sums rho w_k
/// r(g_k). With rule.eps > 0 there are no constraints and U contains sum_k rho w_k (|x'(s_k)|^2 - 1)^2/(2 eps), in
/// split form. An end that moves is an unknown x_e with the constraints x_e - x_e(t) = 0 after those, whose multipliers
/// are the forces that move it: then a step from t_n ends in the V of t_{n+1}, as (93) and (97) have it. Their weights
/// are density/l, a spring as stiff as an element. The bending energy of an element and component is 2 EI/l (a^2 + a b
/// + b^2) with a, b the slopes of its ends less that of its chord: differences of neighbours, which fine meshes need.
class HermiteBeam final : public System,
                          public SplitPotential,
                          public ExtendedPrecision,
                          public StillConstraints,
                          public CurveModel,
                          private BeamElements {
 public:
  explicit HermiteBeam(BeamRule rule) : BeamElements(std::move(rule)) {
    traits_.n = size();
    traits_.blocks = blocks();
    traits_.name = rule_.name;
    traits_.potential_degree = has_penalty() ? 4 : 2;
    traits_.constraint_degree = 2;
    if (has_penalty() && (rule_.a.moves() || rule_.b.moves())) traits_.constraint_degree = 1;
    for (Index i = 0; i < n_stretches(); ++i)
      traits_.constraint_names.push_back("stretch of element " + std::to_string(i / rule_.gauss + 1) + ", point " +
                                         std::to_string(i % rule_.gauss + 1));
    if (rule_.a.moves()) hold(rule_.a, "A", 0);
    if (rule_.b.moves()) hold(rule_.b, "B", 2 * dimension_ * rule_.elements);
    traits_.m = n_stretches() + static_cast<Index>(held_.size());
    traits_.constraint_weights = Vector::Constant(traits_.m, rule_.density / l_);
    traits_.constraint_weights.head(n_stretches()) = weights_.head(n_stretches());
    build_patterns();
    build_mass();
    parts_.extended = this;
    if (has_penalty())
      parts_.split = this;
    else if (held_.empty())
      parts_.unit_vectors = &split_;
    if (!held_.empty()) parts_.time_dependence = this;
  }

  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }
  const BeamRule& rule() const { return rule_; }
  using BeamElements::all_of;
  using BeamElements::free_of;
  /// int over the neighbourhood of constraint i, without rho
  double arc_weight(Index i) const { return weights_[i] / rule_.density; }

  double potential(double, const ConstVectorRef& q) const override {
    return energy<double>([&](Index z) { return value(q, z); });
  }
  long double potential_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef) const override {
    return energy<long double>([&](Index z) { return static_cast<long double>(value(q, z)) + rate(tail, z); });
  }
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    regular_potential_gradient(t, q, out);
    if (has_penalty())
      each_point([&](Index i, Index e, const Row& b) {
        const Triple p = slope(q, e, b);
        const double f = 2 * weights_[i] / rule_.eps * excess(p);
        add_row(e, b, {f * p[0], f * p[1], f * p[2]}, out);
      });
  }
  void potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const override {
    out.setZero();
    bend([&](Index z) { return rate(w, z); }, out);
    if (has_penalty())
      each_point([&](Index i, Index e, const Row& b) {
        const Triple p = slope(q, e, b), r = slope_rate(w, e, b);
        const double f = weights_[i] / rule_.eps, g = 2 * f * excess(p), s = 4 * f * dot(p, r);
        add_row(e, b, {g * r[0] + s * p[0], g * r[1] + s * p[1], g * r[2] + s * p[2]}, out);
      });
  }

  const SparsityPattern& constraint_pattern() const override { return constraints_; }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    each_held([&](Index i, const Held& end) { out[i] = q[end.j] - end.of->at(t, end.c); });
    if (!has_penalty()) each_point([&](Index i, Index e, const Row& b) { out[i] = excess(slope(q, e, b)); });
  }
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef) const override {
    each_held([&](Index i, const Held& end) { out[i] = (q[end.j] - end.of->at(t, end.c)) + tail[end.j]; });
    if (has_penalty()) return;
    each_point([&](Index i, Index e, const Row& b) {
      long double sum = -1;
      for (Index c = 0; c < dimension_; ++c) {
        const auto z = [&](Index a) {
          return static_cast<long double>(value(q, at(e, a, c))) + rate(tail, at(e, a, c));
        };
        const long double p = b[2] * (z(2) - z(0)) + b[1] * z(1) + b[3] * z(3);
        sum += p * p;
      }
      out[i] = static_cast<double>(sum);
    });
  }
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override {
    if (!has_penalty()) rows([&](Index e, const Row& b) { return slope(q, e, b); }, values);
    values.tail(static_cast<Index>(held_.size())).setOnes();
  }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override {
    out.setZero();
    if (has_penalty()) return;
    each_point([&](Index i, Index e, const Row& b) {
      const Triple r = slope_rate(w, e, b);
      const double f = 2 * lambda[i];
      add_row(e, b, {f * r[0], f * r[1], f * r[2]}, out);
    });
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef& v,
                                      VectorRef values) const override {
    if (!has_penalty()) rows([&](Index e, const Row& b) { return slope_rate(v, e, b); }, values);
    values.tail(static_cast<Index>(held_.size())).setZero();
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    each_held([&](Index i, const Held& end) { out[i] = v[end.j] - end.of->velocity(t, end.c); });
    if (has_penalty()) return;
    each_point([&](Index i, Index e, const Row& b) { out[i] = 2 * dot(slope(q, e, b), slope_rate(v, e, b)); });
  }
  void constraint_bias(double t, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    each_held([&](Index i, const Held& end) { out[i] = -end.of->acceleration(t, end.c); });
    if (has_penalty()) return;
    each_point([&](Index i, Index e, const Row& b) {
      const Triple r = slope_rate(v, e, b);
      out[i] = 2 * dot(r, r);
    });
  }

  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }
  void lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    bending(values);
    each_point([&](Index i, Index e, const Row& b) {
      if (!has_penalty()) return add_curvature(e, b, lambda[i], values);
      const Triple p = slope(q, e, b);
      const double f = weights_[i] / rule_.eps;
      add_curvature(e, b, f * excess(p), values);
      for (Index a = 0; a < 4; ++a)
        for (Index c = 0; c < dimension_; ++c)
          for (Index d = 0; d < 4; ++d)
            for (Index g = 0; g < dimension_; ++g) add(values, slot(e, a, c, d, g), 4 * f * b[a] * p[c] * b[d] * p[g]);
    });
  }

  Index n_invariants() const override { return n_points(); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override {
    each_point([&](Index i, Index e, const Row& b) {
      const Triple p = slope(q, e, b);
      pi[i] = dot(p, p);
    });
  }
  const SparsityPattern& invariant_pattern() const override { return slopes_; }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    rows([&](Index e, const Row& b) { return slope(q, e, b); }, values);
  }
  /// V_k = rho w_k (pi - 1)^2/(2 eps)
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    const double f = weights_[k] / rule_.eps, g = pi - 1;
    return {0.5 * f * g * g, f * g, f, 0};
  }
  void regular_potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override {
    out = weight_;
    bend([&](Index z) { return value(q, z); }, out);
  }
  void split_hessian(double, const ConstVectorRef&, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    bending(values);
    const ConstVectorRef& factor = has_penalty() ? c : lambda;
    each_point([&](Index i, Index e, const Row& b) { add_curvature(e, b, factor[i], values); });
  }

  std::vector<Curve> curves() const override {
    return {{"beam", rule_.elements * pieces() + 1, static_cast<int>(dimension_), true, "m"}};
  }
  void curve_points(Index, double, const ConstVectorRef& q, Matrix& points) const override {
    for (Index k = 0; k < points.cols(); ++k) {
      const Index e = std::min(k / pieces(), rule_.elements - 1);
      const auto n = HermiteElement::shape(l_, static_cast<double>(k - e * pieces()) / static_cast<double>(pieces()));
      for (Index c = 0; c < dimension_; ++c) {
        points(c, k) = 0;
        for (Index a = 0; a < 4; ++a) points(c, k) += n[a] * value(q, at(e, a, c));
      }
    }
  }

 private:
  /// The constraint q_j = component c of an end that moves.
  struct Held {
    const BeamEnd* of;
    Index c, j;
  };
  void hold(const BeamEnd& end, const std::string& name, Index first) {
    for (Index c = 0; c < dimension_; ++c) {
      held_.push_back({&end, c, index(first + c)});
      traits_.constraint_names.push_back("end " + name + ", component " + std::to_string(c + 1));
    }
  }
  template <class Visit>
  void each_held(const Visit& visit) const {
    Index i = n_stretches();
    for (const Held& end : held_) visit(i++, end);
  }

  /// Straight pieces that an element is drawn by.
  Index pieces() const { return rule_.elements < 200 ? 4 : 1; }
  void build_patterns() {
    PatternBuilder slopes(n_points(), n()), split(dimension_ * n_points(), n());
    each_point([&](Index i, Index e, const Row&) {
      for (Index a = 0; a < 4; ++a)
        for (Index c = 0; c < dimension_; ++c)
          if (const Index j = index(at(e, a, c)); j >= 0) {
            slopes.add(i, j);
            split.add(dimension_ * i + c, j);
          }
    });
    slopes_ = slopes.build();
    PatternBuilder constraints(m(), n());
    for (Index i = 0; i < n_stretches(); ++i)
      for (Index k = slopes_.offsets[i]; k < slopes_.offsets[i + 1]; ++k) constraints.add(i, slopes_.indices[k]);
    each_held([&](Index i, const Held& end) { constraints.add(i, end.j); });
    constraints_ = constraints.build();

    // p = B q + c
    split_.dimension = static_cast<int>(dimension_);
    split_.pattern = split.build();
    split_.values.setZero(split_.pattern.nonzeros());
    split_.offset.setZero(dimension_ * n_points());
    each_point([&](Index i, Index e, const Row& b) {
      for (Index a = 0; a < 4; ++a)
        for (Index c = 0; c < dimension_; ++c) {
          const Index row = dimension_ * i + c, j = index(at(e, a, c));
          const double f = b[a];
          if (j >= 0)
            split_.values[split_.pattern.find(row, j)] = f;
          else
            split_.offset[row] += f * prescribed(at(e, a, c));
        }
    });
  }

  /// M, and the weight: int rho gravity N_i for the components that point upwards.
  void build_mass() {
    Vector values = Vector::Zero(hessian_pattern_.nonzeros());
    add_block(HermiteElement::mass(l_), rule_.density, values);
    PatternBuilder used(n(), n());
    for (Index i = 0; i < n(); ++i)
      for (Index k = hessian_pattern_.offsets[i]; k < hessian_pattern_.offsets[i + 1]; ++k)
        if (values[k] != 0) used.add(i, hessian_pattern_.indices[k]);
    const SparsityPattern pattern = used.build();
    Vector entries(pattern.nonzeros());
    Index next = 0;
    for (const double value : values)
      if (value != 0) entries[next++] = value;
    mass_ = Mass::sparse(pattern, entries);
    weight_.setZero(n());
    const Row load = HermiteElement::integral(l_);
    VectorRef weight = weight_;
    for (Index e = 0; e < rule_.elements; ++e)
      for (Index a = 0; a < 4; ++a)
        add(weight, index(at(e, a, dimension_ - 1)), rule_.density * rule_.gravity * load[a]);
  }

  Vector weight_;
  SystemTraits traits_;
  Mass mass_ = Mass::diagonal(Vector::Ones(1));
  SparsityPattern slopes_, constraints_;
  std::vector<Held> held_;
  UnitVectorForm split_;
};

}  // namespace gnomon::problems
