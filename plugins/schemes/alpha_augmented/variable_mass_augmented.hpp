#pragma once
/// \file
/// The augmented Lagrange iteration in (q,p) for a mass that depends on q, around VariableMassEquations (augmented):
/// solve with Lambda fixed, the force at the start of the step being h G(q0)^T (Lambda + g(q1)/eps), until |g(q1)| is
/// below the tolerance;
///
///     first     Lambda += g1/eps                              (10) of Glowinski and Holmstroem, Hestenes and Powell
///     second    Lambda -= (d g1/d Lambda)^-1 g1               (11), by one factorisation of the Newton matrix
///
/// Lambda starts from that of the last step. Which multiplier belongs where: see variable_mass_equations.hpp.

#include <Eigen/LU>
#include <limits>

#include "kernels/variable_mass/variable_mass_step.hpp"

namespace gnomon::kernels {

class VariableMassAugmentedStep final : public OneSolveStep<VariableMassEquations> {
 public:
  VariableMassAugmentedStep(const System& system, const VariableMassRule& rule, bool second_order, double tolerance)
      : OneSolveStep(system, rule),
        second_order_(second_order),
        tolerance_(tolerance),
        factors_(equations_.size()),
        update_(equations_.m() > 0 ? equations_.m() : 1) {
    const Index size = equations_.size(), n = system.n(), m = equations_.m();
    start_.setZero(size);
    for (Vector* v : {&g_, &lambda_, &shift_, &unit_, &kicked_}) v->setZero(m);
    for (Vector* v : {&kick_, &turn_, &push_}) v->setZero(n);
    values_.setZero(equations_.pattern().nonzeros());
    newton_.setZero(size, size);
    right_.setZero(size, m);
    solution_.setZero(size, m);
    slope_.setZero(m, m);
    end_values_.setZero(system.constraint_pattern().nonzeros());
  }

  void prepare(State& z) const override {
    OneSolveStep::prepare(z);
    z.scheme_data = z.lambda;
  }
  void begin(const State& z0, double h) override {
    OneSolveStep::begin(z0, h);
    lambda_ = z0.scheme_data;
    solves_ = stalled_ = 0;
    best_ = std::numeric_limits<double>::infinity();
    shift();
  }
  void predict(Index k, VectorRef x) override {
    OneSolveStep::predict(k, x);
    equations_.set_floor(x);
    if (solves_ > 0) x = start_;
  }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = start_ = x;
    ++solves_;
    if (g_.size() == 0) return Next::advance;
    equations_.frame().constraints(equations_.frame().place<double>(x_), 1, g_);
    const double norm = g_.lpNorm<Eigen::Infinity>();
    update();
    shift();
    if (norm < tolerance_) return Next::advance;
    if (norm < 0.5 * best_) {
      best_ = norm;
      stalled_ = 0;
    } else if (++stalled_ >= 100 || !std::isfinite(norm)) {
      return Next::fail;
    }
    return Next::repeat;
  }
  const char* failure() const override {
    return "the augmented Lagrange iteration stalls: 100 updates of the multipliers did not halve |g|";
  }
  void finish(State& next) override {
    OneSolveStep::finish(next);
    next.scheme_data = lambda_;
  }

 private:
  /// lambda = 2 (Lambda + g1/eps) - mu of the last step
  void shift() {
    shift_ = 2 * lambda_ - equations_.frame().z0().lambda;
    equations_.set_shift(shift_);
  }
  void update() {
    if (second_order_ && newton_update()) return;
    for (Index i = 0; i < g_.size(); ++i) lambda_[i] += equations_.penalty().stiffness(i) * g_[i];
  }

  /// dx/dLambda = -J^-1 F_Lambda: Lambda_i enters as lambda = 2 e_i, with k = G(q0)^T 2 e_i as
  /// dp_m = -h/4 k, so that dF1 = h^2/4 T_pp k, dF2 = h/2 k - h^2/4 T_qp k.
  bool newton_update() {
    auto& b = equations_.frame().point<double>();
    const System& system = equations_.model();
    const Index n = system.n(), m = g_.size();
    const double h = equations_.frame().h();
    equations_.jacobian(x_, values_);
    const SparsityPattern& pattern = equations_.pattern();
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) newton_(i, pattern.indices[k]) = values_[k];
    equations_.residual(x_, start_);  // leaves its points
    right_.setZero();
    for (Index i = 0; i < m; ++i) {
      unit_.setZero();
      unit_[i] = 2;
      equations_.frame().start_force(unit_, kick_);
      equations_.frame().at().kinetic_hessian_times(b.qm, b.pm, kick_, turn_, push_);
      right_.col(i).head(n) = 0.25 * h * h * push_;
      right_.col(i).segment(n, n) = 0.5 * h * kick_ - 0.25 * h * h * turn_;
    }
    factors_.compute(newton_);
    solution_.noalias() = factors_.solve(right_);
    system.constraint_jacobian(equations_.frame().t1(), b.q1, end_values_);
    for (Index i = 0; i < m; ++i) {
      kick_ = solution_.col(i).head(n);
      multiply(system.constraint_pattern(), end_values_, kick_, unit_);
      slope_.col(i) = -unit_;
    }
    update_.compute(slope_);
    kicked_ = -g_;
    unit_.noalias() = update_.solve(kicked_);
    start_ = x_;
    if (!unit_.allFinite()) return false;
    lambda_ += unit_;
    start_.noalias() -= solution_ * unit_;
    return true;
  }

  bool second_order_;
  double tolerance_, best_ = 0;
  int solves_ = 0, stalled_ = 0;
  Eigen::PartialPivLU<Matrix> factors_, update_;
  Vector start_, g_, lambda_, shift_, unit_, kicked_, kick_, turn_, push_, values_, end_values_;
  Matrix newton_, right_, solution_, slope_;
};

/// alpha-augmented
inline Binding variable_mass_augmented(const Scheme& scheme, const System& system, const Options& options) {
  require_variable_mass(scheme, system);
  require_quarter(scheme, system, options);
  VariableMassRule rule;
  rule.constraint = VariableMassRule::Constraint::augmented;
  rule.eps = options.real("eps");
  const double tolerance = options.real("tolerance");
  Promises promised = promises_of(system, rule);
  promised.constrained_limit = system.m() == 0 || tolerance <= 1e-13;
  return {std::make_unique<VariableMassAugmentedStep>(system, rule, options.is("update", "second"), tolerance),
          promised};
}

}  // namespace gnomon::kernels
