#pragma once
/// \file
/// Mechanisms in natural coordinates: a sparse System with constant diagonal mass, linear potential and constraints
/// that are at most quadratic,
///
///     g_i = sum_k a_k q_j(k) q_l(k) + sum_k b_k q_j(k) + c_i,     U = w.q

#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon::problems {

class QuadraticSystem final : public System, public ExtendedPrecision {
 public:
  /// factor q_j q_l of constraint row; l = linear: factor q_j.
  struct Term {
    Index row, j, l;
    double factor;
  };
  static constexpr Index linear = -1;

  /// traits: name, blocks and constraint names; the rest is filled in.
  QuadraticSystem(SystemTraits traits, const Vector& masses, Vector weight, std::vector<Term> terms, Vector constants)
      : traits_(std::move(traits)),
        mass_(Mass::diagonal(masses)),
        weight_(std::move(weight)),
        terms_(std::move(terms)),
        constants_(std::move(constants)) {
    traits_.n = masses.size();
    traits_.m = constants_.size();
    traits_.potential_degree = 1;
    traits_.constraint_degree = 2;
    parts_.extended = this;
    PatternBuilder jacobian(m(), n()), hessian(n(), n());
    for (Index j = 0; j < n(); ++j) hessian.add(j, j);
    for (const Term& term : terms_) {
      jacobian.add(term.row, term.j);
      if (term.l == linear) continue;
      jacobian.add(term.row, term.l);
      hessian.add(term.j, term.l);
      hessian.add(term.l, term.j);
    }
    constraint_pattern_ = jacobian.build();
    hessian_pattern_ = hessian.build();
    for (const Term& term : terms_) {
      Place place{constraint_pattern_.find(term.row, term.j), -1, -1, -1};
      if (term.l != linear)
        place = {place.j, constraint_pattern_.find(term.row, term.l), hessian_pattern_.find(term.j, term.l),
                 hessian_pattern_.find(term.l, term.j)};
      places_.push_back(place);
    }
  }

  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }

  double potential(double, const ConstVectorRef& q) const override { return weight_.dot(q); }
  long double potential_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef) const override {
    long double sum = 0;
    for (Index j = 0; j < n(); ++j) sum += weight_[j] * (static_cast<long double>(q[j]) + tail[j]);
    return sum;
  }
  bool extended_gradient(double, const ConstVectorRef&, const ConstVectorRef&,
                         VectorRefOf<Extended> out) const override {
    out = weight_.cast<Extended>();
    return true;
  }
  bool extended_jacobian(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const override {
    const auto x = [&](Index j) { return static_cast<Extended>(q[j]) + tail[j]; };
    values.setZero();
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const Term& t = terms_[k];
      values[places_[k].j] += t.factor * (t.l == linear ? 1 : x(t.l));
      if (t.l != linear) values[places_[k].l] += t.factor * x(t.j);
    }
    return true;
  }
  void potential_gradient(double, const ConstVectorRef&, VectorRef out) const override { out = weight_; }
  void potential_hessian_times(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef out) const override {
    out.setZero();
  }

  const SparsityPattern& constraint_pattern() const override { return constraint_pattern_; }
  void constraints(double, const ConstVectorRef& q, VectorRef out) const override {
    out = constants_;
    for (const Term& t : terms_) out[t.row] += t.factor * q[t.j] * (t.l == linear ? 1 : q[t.l]);
  }
  void constraints_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef) const override {
    // Terms are sorted by row, so that one sum at long double is enough.
    std::size_t k = 0;
    for (Index i = 0; i < m(); ++i) {
      long double sum = constants_[i];
      for (; k < terms_.size() && terms_[k].row == i; ++k) {
        const Term& t = terms_[k];
        const long double a = static_cast<long double>(q[t.j]) + tail[t.j];
        sum += t.factor * a * (t.l == linear ? 1 : static_cast<long double>(q[t.l]) + tail[t.l]);
      }
      out[i] = static_cast<double>(sum);
    }
  }
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override {
    values.setZero();
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const Term& t = terms_[k];
      values[places_[k].j] += t.factor * (t.l == linear ? 1 : q[t.l]);
      if (t.l != linear) values[places_[k].l] += t.factor * q[t.j];
    }
  }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override {
    out.setZero();
    for (const Term& t : terms_) {
      if (t.l == linear) continue;
      out[t.j] += lambda[t.row] * t.factor * w[t.l];
      out[t.l] += lambda[t.row] * t.factor * w[t.j];
    }
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef& v,
                                      VectorRef values) const override {
    values.setZero();
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const Term& t = terms_[k];
      if (t.l == linear) continue;
      values[places_[k].j] += t.factor * v[t.l];
      values[places_[k].l] += t.factor * v[t.j];
    }
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    out.setZero();
    for (const Term& t : terms_) out[t.row] += t.factor * (t.l == linear ? v[t.j] : v[t.j] * q[t.l] + q[t.j] * v[t.l]);
  }
  void constraint_bias(double, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    out.setZero();
    for (const Term& t : terms_)
      if (t.l != linear) out[t.row] += 2 * t.factor * v[t.j] * v[t.l];
  }

  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }
  void lagrangian_hessian(double, const ConstVectorRef&, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    values.setZero();
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const Term& t = terms_[k];
      if (t.l == linear) continue;
      values[places_[k].jl] += t.factor * lambda[t.row];
      values[places_[k].lj] += t.factor * lambda[t.row];
    }
  }

 private:
  /// Of a term: its two entries in G and in the Hessian (for l = j the same one, which gets both halves).
  struct Place {
    Index j, l, jl, lj;
  };

  SystemTraits traits_;
  Mass mass_;
  Vector weight_;
  std::vector<Term> terms_;
  Vector constants_;
  SparsityPattern constraint_pattern_, hessian_pattern_;
  std::vector<Place> places_;
};

}  // namespace gnomon::problems
