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

#include <algorithm>
#include <string>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/sundials/frozen_iteration.hpp"

namespace gnomon {

inline OptionSpecs fixed_point_options(const AlgebraTable& algebras) {
  return {OptionSpec::choice("matrix", {"solve", "kept"},
                             "P is the Jacobian at the start value, or kept from solve to solve until it slows"),
          algebra_option(algebras), OptionSpec::integer("max-iterations", 200, 1, 100000, "iterations a solve")};
}

/// The same and `depth`.
inline OptionSpecs accelerated_options(const AlgebraTable& algebras) {
  OptionSpecs specs = fixed_point_options(algebras);
  specs.insert(specs.begin(),
               OptionSpec::integer("depth", 2, 0, 20, "earlier iterates that Anderson acceleration combines; 0: none"));
  return specs;
}

class GNOMON_EXPORT FixedPointIteration : public FrozenIteration {
 public:
  FixedPointIteration(const AlgebraTable& algebras, const Options& options)
      : FrozenIteration(options.is("matrix", "kept"), AlgebraChoice(algebras, options),
                        options.integer("max-iterations"), "correction", "fixed-point iterations") {}

  void attach(ScaledEquations& equations) final {
    attach_matrix(equations);
    f_ = serial_vector(size(), context_);
    for (Vector* v : {&start_, &x_, &result_, &last_correction_}) v->setZero(size());
    allocate(f_.get());
  }

  SolveReport solve(VectorRef xs) final {
    begin();
    start_ = result_ = xs;
    last_correction_.setZero();
    if (!available() && !set_matrix(xs)) return finish(false);
    do {
      then_ = Then::go_on;
      accelerated_ = -2;  // the first two iterates of an iteration are plain
      x_ = result_;
      const long before = report_.iterations;
      iterate(x_);
      if (report_.status != SolveStatus::converged) return finish(false);
      // It stopped by itself: KINSOL does where acceleration leads back to the very iterate.
      if (then_ == Then::go_on && report_.iterations > before) then_ = Then::restart;
    } while (then_ == Then::restart);
    if (residual(result_, correction())) xs = result_;
    return finish(then_ == Then::done);
  }

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
    if (!residual(x, d)) return accelerated_ < 0 ? false : restart();
    const bool finite = linear_.solve(f_.get());
    if (!finite && fresh()) return singular();
    const double step = correction_norm(d, x);
    // An accelerated iterate that is worse is thrown away. Corrections at rounding level vary a little; what
    // acceleration makes of differences that are rounding may be far off.
    const double noise =
        std::min(10 * report_.step_norm + thresholds::unit_of_rounding, 100 * equations_->rounding_floor());
    if (accelerated_ >= 0 && !(step <= std::max(report_.step_norm, noise))) return restart();
    if (!fresh() && (!finite || stagnation_.slow(step, !of_this_solve()))) {
      if (of_this_solve() || (finite && !stagnation_.diverging(step)))
        result_ = x;
      else
        result_ = start_;
      then_ = Then::restart;
      stagnation_.renew();
      set_matrix(result_);
      return false;
    }
    used();
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
  Eigen::Map<Vector> correction() { return {N_VGetArrayPointer(f_.get()), size()}; }

 private:
  enum class Then { go_on, restart, done, exhausted };

  /// Once more from the last plain step, with the same P, whatever failed at the iterate.
  bool restart() {
    report_.recover();
    then_ = Then::restart;
    return false;
  }

  Then then_ = Then::go_on;
  int accelerated_ = 0;  // iterates of this iteration that Anderson's method has combined
  Vector start_;
  Vector x_;       // belongs to iterate()
  Vector result_;  // the last plain step
  Vector last_correction_;
  SunOwner<N_Vector> f_;
};

}  // namespace gnomon
