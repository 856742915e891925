#pragma once
/// \file
/// The augmented Lagrange iteration around MidpointEquations with a penalty: solve with lambda fixed, update lambda,
/// repeat until |g(q1)| is below the tolerance.
///
///     consistent    lambda += a mu g1,  a = dF/d(mu g1) = 1 (equivariant) or 2 (D-hat): contraction 1/(1 + a mu w)
///     printed       lambda += 2 mu g1, which with a = 1 contracts by (1 - mu w)/(1 + mu w) only, -1 for large mu
///     newton        lambda += S^-1 g1, S = -d g1/d lambda of the discrete step, by one factorisation of
///                   [J, h (0, Gm^T); G1, 0], J the step's own Jacobian
///
/// w are the eigenvalues of (h^2/2) G M^-1 G^T. lambda starts from the last step's (warm) or from zero (cold, as
/// printed). The last update comes after the last solve. The limit is the multiplier scheme.

#include "algebra/kernels/banded_lu.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"
#include "kernels/discrete_gradient/penalty_options.hpp"

namespace gnomon::kernels {

struct AugmentedRule {
  enum class Update { newton, consistent, printed };
  Update update = Update::newton;
  bool warm = true;
  bool max_norm = true;
  double tolerance = 1e-15;
};

inline OptionSpecs augmented_options() {
  return {penalty_parameter(),
          OptionSpec::choice("update", {"newton", "consistent", "printed"}, "how the multipliers are updated"),
          OptionSpec::choice("start", {"warm", "cold"}, "multipliers of the last step, or zero"),
          OptionSpec::real("tolerance", 1e-15, 1e-300, 1, "unit of g", "on |g(q1)|, ends the iteration"),
          OptionSpec::choice("norm", {"max", "two"}, "norm of g for the tolerance")};
}
/// What holds to rounding only where the iteration goes down to rounding: order, energy, g = 0.
/// Symmetry is not promised: what is left of g enters p as g/h.
inline void promise_limit(const AugmentedRule& rule, Promises& promises) {
  const bool exact = rule.tolerance <= 1e-15;
  promises.constrained_limit = exact;
  promises.energy = promises.position = exact;
}
inline AugmentedRule augmented_rule(const Options& options) {
  AugmentedRule rule;
  if (options.is("update", "consistent")) rule.update = AugmentedRule::Update::consistent;
  if (options.is("update", "printed")) rule.update = AugmentedRule::Update::printed;
  rule.warm = options.is("start", "warm");
  rule.max_norm = options.is("norm", "max");
  rule.tolerance = options.real("tolerance");
  return rule;
}

class AugmentedStep final : public OneSolveStep<MidpointEquations<PenaltyMultiplier>> {
 public:
  AugmentedStep(const System& system, const MidpointRule& midpoint, const PenaltyMultiplier::Rule& penalty,
                const AugmentedRule& rule)
      : OneSolveStep(system, midpoint, penalty), penalty_(penalty), rule_(rule) {
    const Index n = system.n(), m = system.m(), size = equations_.size();
    start_.setZero(size);
    for (Vector* v : {&g_, &lambda_}) v->setZero(m);
    const bool newton = m > 0 && rule.update == AugmentedRule::Update::newton;
    for (Vector* v : {&middle_, &end_}) v->setZero(system.constraint_pattern().nonzeros());
    values_.setZero(newton ? equations_.pattern().nonzeros() : 0);
    if (!newton) return;
    steps_ = equations_.corrected() ? size : n;
    correction_.setZero(steps_ + m);
    momentum_.setZero(n);
    std::vector<std::pair<Index, Index>> entries;
    for_each_entry([&](Index i, Index j, double) { entries.emplace_back(i, j); });
    lu_ = BandedLU(SparsityPattern::from_entries(steps_ + m, steps_ + m, std::move(entries)));
  }

  void begin(const State& z0, double h) override {
    OneSolveStep::begin(z0, h);
    if (rule_.warm)
      lambda_ = z0.lambda;
    else
      lambda_.setZero();
    equations_.multiplier().set_lambda(lambda_);
    solves_ = since_progress_ = 0;
    best_ = std::numeric_limits<double>::infinity();
  }
  void predict(Index k, VectorRef x) override {
    if (solves_ > 0) {
      x = start_;
      return;
    }
    OneSolveStep::predict(k, x);
    equations_.set_floor(x);
  }

  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    equations_.refine(x_);
    equations_.effective_multiplier(x_);
    g_ = equations_.multiplier().end_constraints(equations_.step());
    start_ = x_;
    ++solves_;
    if (g_.size() == 0) return Next::advance;
    update();
    const double norm = rule_.max_norm ? g_.lpNorm<Eigen::Infinity>() : g_.norm();
    if (norm < rule_.tolerance) return Next::advance;
    // 100 updates that do not halve the violation: no number of further ones is worth waiting for.
    if (norm < 0.5 * best_) {
      best_ = norm;
      since_progress_ = 0;
    } else if (++since_progress_ >= 100 || !std::isfinite(norm)) {
      return Next::fail;
    }
    return Next::repeat;
  }
  const char* failure() const override {
    return "the augmented Lagrange iteration stalls: 100 updates of the multipliers did not halve |g|";
  }

  void finish(State& next) override {
    next.lambda = lambda_;
    OneSolveStep::finish(next);
  }

 private:
  void update() {
    switch (rule_.update) {
      case AugmentedRule::Update::newton:
        newton_update();
        break;
      case AugmentedRule::Update::consistent:
        consistent_update();
        break;
      case AugmentedRule::Update::printed:
        lambda_ += 2 * penalty_.mu * g_;
        break;
    }
    equations_.multiplier().set_lambda(lambda_);
  }

  /// J d(dq, dp) + h (0, Gm^T) dlambda = 0,  G1 d(dq) = -g1. Without a correction s the rows F1 = M dq/h - p_m
  /// eliminate dp = 2 M dq/h, and J becomes K/h, K = 2 M/h^2 + ... . Unknowns d(dq), h d(dp), h^2 dlambda; rows times
  /// h: then the entries do not depend on h.
  template <class Add>
  void for_each_entry(const Add& add) const {
    const Index n = equations_.model().n(), row = steps_ - n;
    const double h = equations_.step().h;
    const SparsityPattern &pattern = equations_.pattern(), &g = equations_.model().constraint_pattern();
    const bool reduced = steps_ == n;
    for (Index i = 0; i < 2 * n; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
        const Index j = pattern.indices[k];
        if (!reduced)
          add(i, j, (j < n ? h : 1) * values_[k]);
        else if (j < n)
          add(i < n ? i : i - n, j, (i < n ? 2 : 1) * h * values_[k]);
      }
    for (Index i = 0; i < g.rows; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        add(row + g.indices[k], steps_ + i, middle_[k]);
        add(steps_ + i, g.indices[k], end_[k]);
      }
  }

  void newton_update() {
    const Index n = equations_.model().n(), m = g_.size();
    const double h = equations_.step().h;
    equations_.jacobian(x_, values_);
    equations_.constraint_jacobians(x_, middle_, end_);
    lu_.clear();
    for_each_entry([this](Index i, Index j, double value) { lu_.add(i, j, value); });
    correction_.setZero();
    correction_.tail(m) = -g_;
    if (!lu_.factorise()) {
      consistent_update();
      return;
    }
    lu_.solve(correction_);
    lambda_ += correction_.tail(m) / (h * h);
    // The next solve starts where the linearised step goes.
    start_.head(n) += correction_.head(n);
    if (steps_ == n) {
      equations_.model().mass().apply(correction_.head(n), momentum_);
      start_.tail(n) += 2 / h * momentum_;
    } else {
      start_.tail(n) += correction_.segment(n, n) / h;
    }
  }
  void consistent_update() { lambda_ += penalty_.slope() * penalty_.mu * g_; }

  PenaltyMultiplier::Rule penalty_;
  AugmentedRule rule_;
  int solves_ = 0, since_progress_ = 0;
  double best_ = 0;
  Index steps_ = 0;  ///< unknowns of the update that belong to dq and dp
  Vector start_, g_, lambda_;
  Vector values_, middle_, end_, correction_, momentum_;
  BandedLU lu_;
};

}  // namespace gnomon::kernels
