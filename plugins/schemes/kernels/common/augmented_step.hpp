#pragma once
/// \file
/// The augmented Lagrange iteration around a step whose force is that of fixed multipliers and a penalty: solve F(x;
/// lambda) = 0, update lambda, repeat until |g(q1)| is below the tolerance, or at the rounding of its terms.
///
///     first     lambda += the penalty's gain times g1                                (Hestenes, Powell)
///     second    lambda += S^-1 g1,  S = -d g1/d lambda of the step, by one factorisation of [F_x, F_lambda; G1, 0]
///
/// lambda starts from the last step's (warm) or from zero (cold). The last update comes after the last solve; one of
/// second order is the last only if it is small. Unknowns x begin with the changes of q and, where they are unknowns
/// too, p. Source: Glowinski, Holmstroem, Algorithm 1, (10), (11); Leyendecker, Betsch, Steinmann (2004), section 4.

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "algebra/kernels/banded_lu.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

struct AugmentedRule {
  bool second_order = true;
  bool warm = true;
  bool max_norm = true;
  double tolerance = 0;  ///< 0: the rounding of the terms of g
};

inline OptionSpec tolerance_of_g() {
  return OptionSpec::real("tolerance", 0, 0, 1e300, "unit of g",
                          "on |g| at the end of a step, ends the iteration; 0: the rounding of its terms");
}

/// Inner is made of the Equations of its Step, to which it refers, and of a Rule, and has
///
///     Step                                     the step around which the iteration is, with equations_ and x_
///     m(), unknowns()                          constraints, and unknowns d of the linearised step
///     start(z0)                                multipliers to start from
///     prepare(z)                               scheme data of a start
///     set_lambda(lambda), h()
///     predicted(x)                             after the first start value
///     end_constraints(x)                       g(q1)
///     first_order(g, lambda)                   the first update
///     linearise(x)                             evaluates the entries of [F_x, F_lambda; G1, 0] for (d, h^2 lambda),
///                                              d and rows scaled so that they do not depend on h
///     for_each_entry(add)                      add(row, column, value) for each of them
///     scale(root_mass, lengths, columns, rows) the sizes of unknowns and rows in the metric of M, from M_jj^1/2 and
///                                              (G M^-1 G^T)_ii^1/2
///     move(d, x)                               x += what d stands for
///     settle(d)                                after the last update, with its d
///     store(lambda, next)                      State::lambda and scheme data of the end of the step
template <class Inner>
class AugmentedStep final : public Inner::Step {
  using Step = typename Inner::Step;
  using Step::x_;

 public:
  template <class... Arguments>
  AugmentedStep(const AugmentedRule& rule, const typename Inner::Rule& inner, Arguments&&... arguments)
      : Step(std::forward<Arguments>(arguments)...), rule_(rule), inner_(this->equations_, inner) {
    const Index m = inner_.m(), size = inner_.unknowns() + m;
    start_.setZero(this->equations_.size());
    for (Vector* v : {&g_, &lambda_, &lengths_}) v->setZero(m);
    sizes_.setOnes(m);
    jacobian_.setZero(mechanical().constraint_pattern().nonzeros());
    root_mass_ = mechanical().mass().diagonal_entries().cwiseSqrt();
    if (!rule.second_order || m == 0) return;
    for (Vector* v : {&correction_, &columns_, &rows_}) v->setZero(size);
    std::vector<std::pair<Index, Index>> entries;
    inner_.for_each_entry([&](Index i, Index j, double) { entries.emplace_back(i, j); });
    lu_ = BandedLU(SparsityPattern::from_entries(size, size, std::move(entries)));
  }

  void prepare(State& z) const override {
    Step::prepare(z);
    inner_.prepare(z);
  }
  void begin(const State& z0, double h) override {
    Step::begin(z0, h);
    z0_ = &z0;
    if (rule_.warm)
      lambda_ = inner_.start(z0);
    else
      lambda_.setZero();
    inner_.set_lambda(lambda_);
    if (g_.size() > 0) find_sizes(z0);
    renew();
  }
  void predict(Index k, VectorRef x) override {
    if (repeated_) {
      x = start_;
      return;
    }
    Step::predict(k, x);
    inner_.predicted(x);
  }

  Next accept(Index k, const ConstVectorRef& x) override {
    x_ = x;
    const Next then = g_.size() == 0 ? Next::advance : iterate();
    repeated_ = then == Next::repeat;
    if (then != Next::advance) return then;
    renew();
    return Step::accept(k, x_);
  }
  const char* failure() const override {
    return "the augmented Lagrange iteration stalls: 100 updates of the multipliers did not halve |g|";
  }
  void finish(State& next) override {
    Step::finish(next);
    inner_.store(lambda_, next);
  }

 private:
  void renew() {
    best_ = std::numeric_limits<double>::infinity();
    since_progress_ = 0;
    repeated_ = false;
  }

  Next iterate() {
    g_ = inner_.end_constraints(x_);
    start_ = x_;
    const bool linear = rule_.second_order && second_order();
    if (!linear) inner_.first_order(g_, lambda_);
    inner_.set_lambda(lambda_);
    const auto parts = g_.cwiseQuotient(sizes_);
    const double norm = rule_.max_norm ? parts.lpNorm<Eigen::Infinity>() : parts.norm();
    if (norm < (rule_.tolerance > 0 ? rule_.tolerance : thresholds::term_rounding) && (!linear || is_last())) {
      if (linear) inner_.settle(correction_);
      return Next::advance;
    }
    // 100 updates that do not halve the violation: no number of further ones is worth waiting for.
    if (norm < 0.5 * best_) {
      best_ = norm;
      since_progress_ = 0;
    } else if (++since_progress_ >= 100 || !std::isfinite(norm)) {
      return Next::fail;
    }
    return Next::repeat;
  }

  /// F_x d + F_lambda dlambda = 0,  G1 d = -g1. The next solve starts where this linearised step goes.
  bool second_order() {
    const Index m = g_.size();
    inner_.linearise(x_);
    lu_.clear();
    inner_.scale(root_mass_, lengths_, columns_, rows_);
    inner_.for_each_entry([this](Index i, Index j, double value) { lu_.add(i, j, value * (columns_[j] / rows_[i])); });
    correction_.setZero();
    correction_.tail(m) = -g_.cwiseQuotient(rows_.tail(m));
    if (!lu_.factorise()) return false;
    lu_.solve(correction_);
    correction_ = correction_.cwiseProduct(columns_);
    const double h = inner_.h();
    lambda_ += correction_.tail(m) / (h * h);
    inner_.move(correction_, start_);
    return true;
  }

  const System& mechanical() const { return this->equations_.model(); }
  /// The sizes of the terms of g at the start of the step, where the tolerance is their rounding, and (G M^-1
  /// G^T)_ii^1/2.
  void find_sizes(const State& z0) {
    const SparsityPattern& pattern = mechanical().constraint_pattern();
    const Vector& mass = mechanical().mass().diagonal_entries();
    mechanical().constraint_jacobian(z0.t, z0.q.value(), jacobian_);
    row_lengths(pattern, jacobian_, mass, lengths_);
    if (rule_.tolerance == 0) constraint_sizes(pattern, jacobian_, mass, z0.q.value(), sizes_);
  }

  /// g = 0 means little where the linearised step is nearly singular: then its correction is large, and another
  /// solution is near. The square of a last one is below the rounding of what it corrects, in the metric of M.
  bool is_last() const {
    const Vector& x = x_;
    const auto small = [&](Index from, const Vector& at_start, const auto& weight) {
      const Index n = at_start.size();
      if (x.size() < from + n) return true;
      const auto size = [&](const auto& part) { return part.cwiseProduct(weight).template lpNorm<Eigen::Infinity>(); };
      return size(start_.segment(from, n) - x.segment(from, n)) <=
             thresholds::last_change * size(x.segment(from, n)) + thresholds::last_change_of_start * size(at_start);
    };
    const Vector &q = z0_->q.value(), &p = z0_->p.value();
    return small(0, q, root_mass_) && small(q.size(), p, root_mass_.cwiseInverse());
  }

  AugmentedRule rule_;
  Inner inner_;
  bool repeated_ = false;
  int since_progress_ = 0;
  double best_ = 0;
  const State* z0_ = nullptr;
  Vector start_, g_, lambda_, correction_;
  Vector sizes_, lengths_, root_mass_, jacobian_, columns_, rows_;
  BandedLU lu_;
};

}  // namespace gnomon::kernels
