#pragma once
/// \file
/// A fixed-point iteration of SUNDIALS, with Anderson acceleration, on the map
///
///     G(x) = x - P^-1 F(x),     P = dF/dx, frozen.
///
/// x - F(x) alone is useless with multipliers: their rows have no diagonal. Shared by kinsol-anderson and the solvers
/// around SUNNonlinearSolvers of type SUNNONLINEARSOLVER_FIXEDPOINT, which differ in who combines the iterates.
///
/// P is set at the start value (matrix=solve) or kept from solve to solve (matrix=kept; the rounding of a step then
/// depends on the steps before it). It is set anew where a correction P^-1 F is not half of the one before, with a P of
/// an earlier solve a fifth (stagnation.hpp); that correction is thrown away, and the acceleration begins again with P
/// at the present iterate, or, where a P of an earlier solve made corrections or residual grow, at the start value: in
/// the worst case this is Newton's method.
///
/// Anderson's method divides by the differences of corrections. Where they depend on each other but for their rounding,
/// or are zero (one unknown that matters, the end of any iteration), the accelerated iterate is far off, or not finite:
/// a correction that grows is thrown away too, and the acceleration begins again from the last plain step of G.
///
/// It ends when the corrections stop shrinking (stagnation.hpp), with a plain step.

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/solve/stagnation.hpp"
#include "gnomon/sundials/frozen_jacobian.hpp"
#include "gnomon/sundials/sundials_compat.hpp"

namespace gnomon {

inline OptionSpecs fixed_point_options(const AlgebraTable& algebras) {
  return {OptionSpec::choice("matrix", {"solve", "kept"},
                             "P is the Jacobian at the start value, or kept from solve to solve until it slows"),
          algebra_option(algebras), OptionSpec::integer("max-iterations", 200, 1, 100000, "iterations a solve")};
}

inline OptionSpec depth_option() {
  return OptionSpec::integer("depth", 2, 0, 20, "earlier iterates that Anderson acceleration combines; 0: none");
}

class GNOMON_EXPORT FixedPointIteration : public NonlinearSolver {
 public:
  FixedPointIteration(const AlgebraTable& algebras, const Options& options)
      : algebra_(algebras, options), matrix_(options.is("matrix", "kept"), "correction", "fixed-point iterations") {
    rule_.max_iterations = options.integer("max-iterations");
  }

  void attach(ScaledEquations& equations) final {
    equations_ = &equations;
    const Index n = equations.size();
    f_.reset(N_VNew_Serial(n, context_));
    if (!f_) throw Error(ErrorCode::refused, "SUNDIALS could not allocate its vectors");
    for (Vector* v : {&start_, &x_, &result_, &last_correction_}) v->setZero(n);
    matrix_.attach(equations, algebra_, context_);
    allocate(f_.get());
  }

  SolveReport solve(VectorRef xs) final {
    report_ = SolveReport();
    matrix_.begin();
    const double floor = equations_->rounding_floor();
    stagnation_.start(floor);
    start_ = result_ = xs;
    last_correction_.setZero();
    if (!matrix_.available() && !matrix_.set(xs, report_)) return matrix_.failed(report_);
    do {
      then_ = Then::go_on;
      accelerated_ = -2;  // the first two iterates of an iteration are plain
      x_ = result_;
      const long before = report_.iterations;
      iterate(x_);
      if (report_.status != SolveStatus::converged) return matrix_.failed(report_);
      // It stopped by itself: KINSOL does where acceleration leads back to the very iterate.
      if (then_ == Then::go_on && report_.iterations > before) then_ = Then::restart;
    } while (then_ == Then::restart);
    ++report_.residual_evaluations;
    if (equations_->residual(result_, correction()) != EvaluationStatus::ok) {
      matrix_.evaluation_failed(report_);
      return matrix_.failed(report_);
    }
    report_.residual_norm = correction().lpNorm<Eigen::Infinity>();
    xs = result_;
    if (rule_.at_floor(report_.residual_norm, floor) ||
        (then_ == Then::done && rule_.acceptable(report_.residual_norm, floor)))
      return report_;
    report_.status = SolveStatus::not_converged;
    report_.message = "scaled residual " + number_text(report_.residual_norm) + " and correction " +
                      number_text(report_.step_norm) + " after " + std::to_string(report_.iterations) +
                      " fixed-point iterations";
    return matrix_.failed(report_);
  }

  bool correct(VectorRef f) final { return matrix_.correct(f); }
  double pivot_ratio() const final { return matrix_.pivot_ratio(); }
  void serialize(Archive& archive) final { matrix_.serialize(archive); }
  void forget_matrix() final { matrix_.forget(); }

 protected:
  /// like: a vector of the size of the equations.
  virtual void allocate(N_Vector like) = 0;
  /// Iterates from x with advance() until that says that the iteration is over.
  virtual void iterate(Vector& x) = 0;

  /// One evaluation of the map: true to go on, with G(x) = x - correction().
  bool advance(const Eigen::Ref<const Vector>& x) {
    if (then_ != Then::go_on) return false;
    if (!x.allFinite()) return restart();
    auto d = correction();
    ++report_.residual_evaluations;
    if (equations_->residual(x, d) != EvaluationStatus::ok)
      return accelerated_ < 0 ? matrix_.evaluation_failed(report_) : restart();
    report_.residual_norm = d.lpNorm<Eigen::Infinity>();
    stagnation_.take_residual(report_.residual_norm);
    const bool finite = matrix_.solve(f_.get());
    if (!finite && matrix_.fresh()) return matrix_.singular(report_);
    const double step = (d.array().abs() / (1 + x.array().abs())).maxCoeff();
    // An accelerated iterate that is worse is thrown away. Corrections at rounding level vary a little; what acceleration
    // makes of differences that are rounding may be far off.
    const double noise = std::min(10 * report_.step_norm + 1e-16, 100 * equations_->rounding_floor());
    if (accelerated_ >= 0 && !(step <= std::max(report_.step_norm, noise))) return restart();
    if (!matrix_.fresh() && (!finite || stagnation_.slow(step, !matrix_.of_this_solve()))) {
      if (matrix_.of_this_solve() || (finite && !stagnation_.diverging(step)))
        result_ = x;
      else
        result_ = start_;
      then_ = Then::restart;
      stagnation_.renew();
      matrix_.set(result_, report_);
      return false;
    }
    matrix_.used();
    ++accelerated_;
    ++report_.iterations;
    report_.step_norm = step;
    result_ = x - d;
    if (stagnation_.last(step) || d == last_correction_)
      then_ = Then::done;
    else if (report_.iterations >= rule_.max_iterations)
      then_ = Then::exhausted;
    last_correction_ = d;
    return then_ == Then::go_on;
  }
  /// The iteration is over; the solver may be told.
  bool over() const { return then_ != Then::go_on || report_.status != SolveStatus::converged; }
  Eigen::Map<Vector> correction() { return {N_VGetArrayPointer(f_.get()), equations_->size()}; }
  Index size() const { return equations_->size(); }
  long max_iterations() const { return rule_.max_iterations; }

  SunContext context_;

 private:
  enum class Then { go_on, restart, done, exhausted };

  /// Once more from the last plain step, with the same P.
  bool restart() {
    then_ = Then::restart;
    return false;
  }

  AlgebraChoice algebra_;
  ConvergenceRule rule_;
  Stagnation stagnation_;
  ScaledEquations* equations_ = nullptr;
  SolveReport report_;
  Then then_ = Then::go_on;
  int accelerated_ = 0;  // iterates of this iteration that Anderson's method has combined
  Vector start_;
  Vector x_;       // belongs to iterate()
  Vector result_;  // the last plain step
  Vector last_correction_;
  SunOwner<N_Vector> f_;
  FrozenJacobian matrix_;
};

}  // namespace gnomon
