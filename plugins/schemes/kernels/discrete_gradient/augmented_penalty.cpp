#include "kernels/discrete_gradient/augmented_penalty.hpp"

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/augmented_step.hpp"
#include "kernels/discrete_gradient/midpoint_equations.hpp"
#include "kernels/discrete_gradient/penalty_multiplier.hpp"
#include "kernels/discrete_gradient/penalty_scheme.hpp"

extern template class gnomon::TemplatedEquations<gnomon::kernels::MidpointEquations<gnomon::kernels::PenaltyMultiplier>,
                                                 true>;

namespace gnomon::kernels {

extern template class MidpointEquations<PenaltyMultiplier>;

namespace {

AugmentedRule augmented_rule(const Options& options) {
  AugmentedRule rule;
  rule.second_order = options.is("update", "newton");
  rule.warm = options.is("start", "warm");
  rule.max_norm = options.is("norm", "max");
  rule.tolerance = options.real("tolerance");
  return rule;
}

class AugmentedPenalty {
 public:
  using Equations = MidpointEquations<PenaltyMultiplier>;
  using Step = OneSolveStep<Equations>;
  struct Rule {
    double gain;  ///< of g in the first update
  };

  AugmentedPenalty(Equations& equations, const Rule& rule)
      : equations_(&equations),
        rule_(rule),
        n_(equations.model().n()),
        steps_(equations.corrected() ? equations.size() : n_) {
    const SparsityPattern& g = equations.model().constraint_pattern();
    for (Vector* v : {&middle_, &end_}) v->setZero(g.nonzeros());
    values_.setZero(equations.pattern().nonzeros());
    momentum_.setZero(n_);
    if (!equations.multiplier().remains()) return;
    column_.setZero(2 * n_);
    remainder_.setZero(m());
  }

  Index m() const { return equations_->model().m(); }
  Index unknowns() const { return steps_; }
  double h() const { return equations_->step().h; }
  void prepare(State&) const {}
  const Vector& start(const State& z0) const { return z0.lambda; }
  void set_lambda(const Vector& lambda) { equations_->multiplier().set_lambda(lambda); }
  void predicted(const ConstVectorRef& x) { equations_->look_at_start(x); }
  const Vector& end_constraints(const Vector& x) {
    equations_->refined_multiplier(x);
    return equations_->multiplier().end_constraints(equations_->step());
  }
  void first_order(const Vector& g, Vector& lambda) const { lambda += rule_.gain * g; }
  void store(const Vector& lambda, State& next) const { next.lambda = lambda; }

  void linearise(const Vector& x) {
    equations_->jacobian(x, values_);
    equations_->constraint_jacobians(x, middle_, end_);
    if (column_.size() == 0) return;
    equations_->correction_column(x, column_);
    remainder_ = equations_->multiplier().remainder(equations_->step(), equations_->point());
  }
  /// J d(dq, dp) + h (0, Gm^T) dlambda = 0,  G1 d(dq) = -g1. Without a correction s the rows F1 = M dq/h - p_m
  /// eliminate dp = 2 M dq/h, and J becomes K/h, K = 2 M/h^2 + ... . Unknowns d(dq), h d(dp); rows times h.
  template <class Add>
  void for_each_entry(const Add& add) const {
    const Index row = steps_ - n_;
    const SparsityPattern &pattern = equations_->pattern(), &g = equations_->model().constraint_pattern();
    const bool reduced = steps_ == n_;
    for (Index i = 0; i < 2 * n_; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
        const Index j = pattern.indices[k];
        if (!reduced)
          add(i, j, (j < n_ ? h() : 1) * values_[k]);
        else if (j < n_)
          add(i < n_ ? i : i - n_, j, (i < n_ ? 2 : 1) * h() * values_[k]);
      }
    for (Index i = 0; i < g.rows; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        add(row + g.indices[k], steps_ + i, middle_[k]);
        add(steps_ + i, g.indices[k], end_[k]);
      }
    for (Index j = 0; j < column_.size(); ++j)
      for (Index i = 0; i < g.rows; ++i) add(j, steps_ + i, column_[j] * remainder_[i] / h());
  }
  void scale(const Vector& root_mass, const Vector& lengths, Vector& columns, Vector& rows) const {
    columns.head(n_) = root_mass.cwiseInverse();
    rows.head(n_) = root_mass;
    if (steps_ > n_) columns.segment(n_, n_) = rows.segment(n_, n_) = root_mass;
    columns.tail(m()) = lengths.cwiseInverse();
    rows.tail(m()) = lengths;
  }
  /// low += d: the last update's multipliers, and g = 0 beyond double precision. lambda times what the tolerance leaves
  /// of g would be energy, in every step.
  void settle(const Vector& d) {
    low_ = equations_->low();
    move(d, low_);
    equations_->set_low(low_);
  }
  void move(const Vector& d, Vector& x) {
    x.head(n_) += d.head(n_);
    if (steps_ == n_) {
      equations_->model().mass().apply(d.head(n_), momentum_);
      x.tail(n_) += 2 / h() * momentum_;
    } else {
      x.tail(n_) += d.segment(n_, n_) / h();
    }
  }

 private:
  Equations* equations_;
  Rule rule_;
  Index n_, steps_;  ///< steps_: unknowns of the update that belong to dq and dp
  Vector values_, middle_, end_, momentum_, low_;
  Vector column_, remainder_;  ///< d[F1; F2]/dc and dc/dlambda, where c depends on the multipliers
};

}  // namespace

OptionSpecs augmented_options() {
  return {penalty_parameter(),
          OptionSpec::choice("update", {"newton", "consistent", "printed"}, "how the multipliers are updated"),
          OptionSpec::choice("start", {"warm", "cold"}, "multipliers of the last step, or zero"), tolerance_of_g(),
          OptionSpec::choice("norm", {"max", "two"}, "norm of g for the tolerance")};
}

void promise_limit(const Options& options, Promises& promises) {
  const bool exact = augmented_rule(options).tolerance == 0;
  promises.constrained_limit = exact;
  promises.energy = promises.position = exact;
}

std::unique_ptr<StepEquations> augmented_penalty(const System& system, const Options& options, const MidpointRule& rule,
                                                 PenaltyDerivative derivative) {
  const PenaltyMultiplier::Rule penalty{derivative, options.real("mu")};
  const double slope = options.is("update", "printed") ? 2 : penalty.slope();
  return std::make_unique<AugmentedStep<AugmentedPenalty>>(
      augmented_rule(options), AugmentedPenalty::Rule{slope * penalty.mu}, system, rule, penalty);
}

}  // namespace gnomon::kernels
