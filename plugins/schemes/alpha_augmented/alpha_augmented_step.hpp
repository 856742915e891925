#pragma once
/// \file
/// A step of the alpha-scheme by the method of multipliers: solve with lambda fixed, update lambda, repeat until
/// |g(x^{n+1})| is below the tolerance. The force is G((x^{n+1} + x^{n-1})/2)^T (lambda + w g(x^{n+1})/eps):
///
///     first     lambda += w g/eps                                                        (10)
///     second    lambda += [J H^-1 J^T]^-1 g                                              (11)
///
/// with H the derivative of the step's equation, penalty included, and J the two constraint Jacobians of it; by one
/// factorisation of [H J^T; J 0]. lambda starts from the last step's. The limit is the scheme alpha. (With multipliers
/// and g at the middles of steps, as printed for (40), lambda carries an undamped (-1)^n: they belong to the nodes.)
/// Source: Glowinski, Holmstroem, Algorithm 1.

#include <limits>

#include "algebra/kernels/banded_lu.hpp"
#include "kernels/alpha/alpha_step.hpp"

namespace gnomon::kernels {

class AlphaAugmentedStep final : public AlphaStep {
 public:
  struct Rule {
    bool second_order = true;
    double tolerance = 1e-15;
  };

  AlphaAugmentedStep(const System& system, const AlphaRule& alpha, const Rule& rule)
      : AlphaStep(system, nullptr, alpha), rule_(rule), eps_(alpha.multiplier.eps), n_(system.n()), m_(system.m()) {
    g_.setZero(m_);
    start_.setZero(equations().size());
    weights_ = Vector::Ones(m_);
    if (system.traits().constraint_weights.size() == m_) weights_ = system.traits().constraint_weights;
    if (!rule.second_order || m_ == 0) return;
    for (Vector* v : {&centre_, &end_}) v->setZero(system.constraint_pattern().nonzeros());
    values_.setZero(equations().pattern().nonzeros());
    correction_.setZero(n_ + m_);
    std::vector<std::pair<Index, Index>> entries;
    for_each_entry([&](Index i, Index j, double) { entries.emplace_back(i, j); });
    lu_ = BandedLU(SparsityPattern::from_entries(n_ + m_, n_ + m_, std::move(entries)));
  }

  void begin(const State& z0, double h) override {
    AlphaStep::begin(z0, h);
    equations().multiplier().set_lambda(lambda_);
    renew();
  }
  const char* failure() const override {
    return "the augmented Lagrange iteration stalls: 100 updates of the multipliers did not halve |g|";
  }

 private:
  void renew() {
    best_ = std::numeric_limits<double>::infinity();
    since_progress_ = 0;
  }

  Next solved() override {
    if (m_ == 0) return Next::advance;
    equations().effective_multiplier(x_);
    g_ = equations().multiplier().end_constraints();
    start_ = x_;
    update();
    equations().multiplier().set_lambda(lambda_);
    const double norm = g_.lpNorm<Eigen::Infinity>();
    if (norm < rule_.tolerance) {
      renew();
      return Next::advance;
    }
    // 100 updates that do not halve the violation: no number of further ones is worth waiting for.
    if (norm < 0.5 * best_) {
      best_ = norm;
      since_progress_ = 0;
    } else if (++since_progress_ >= 100 || !std::isfinite(norm)) {
      return Next::fail;
    }
    x_ = start_;
    return Next::repeat;
  }
  const Vector& multipliers() override { return lambda_; }

  void update() {
    if (!rule_.second_order) {
      lambda_ += weights_.cwiseProduct(g_) / eps_;
      return;
    }
    equations().jacobian(x_, values_);
    equations().constraint_jacobians(x_, centre_, end_);
    lu_.clear();
    for_each_entry([this](Index i, Index j, double value) { lu_.add(i, j, value); });
    correction_.setZero();
    correction_.tail(m_) = -g_;
    if (!lu_.factorise()) {
      lambda_ += weights_.cwiseProduct(g_) / eps_;
      return;
    }
    lu_.solve(correction_);
    const double h = equations().frame().h;
    lambda_ += correction_.tail(m_) / (h * h);
    start_ += correction_.head(n_);  // where the linearised step goes
  }

  /// [h H, J_centre^T; sigma J_end, 0] for (delta, h^2 lambda): its entries do not depend on h.
  template <class Add>
  void for_each_entry(const Add& add) {
    const double h = equations().frame().h, sigma = equations().frame().sigma;
    const SparsityPattern &pattern = equations().pattern(), &g = equations().model().constraint_pattern();
    for (Index i = 0; i < n_; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) add(i, pattern.indices[k], h * values_[k]);
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        add(g.indices[k], n_ + i, centre_[k]);
        add(n_ + i, g.indices[k], sigma * end_[k]);
      }
  }

  Rule rule_;
  double eps_, best_ = 0;
  int since_progress_ = 0;
  Index n_, m_;
  Vector g_, weights_, start_, values_, centre_, end_, correction_;
  BandedLU lu_;
};

}  // namespace gnomon::kernels
