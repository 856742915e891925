#pragma once
/// \file
/// The local error of a line-integral step with both constraint levels, (k,s,r) of order p = min(2s, 2r+2): how far its
/// solution x = [u_j | pi_j | lambda_i | gamma_i], with zeros for the coefficients that it does not have, is from that
/// of the finer method (s+1,s+1,r'), by finer_solution.hpp:
///
///     e_q = h du_0,    e_p = dpi_0,    e_v = T_pp e_p + T_pq e_q
///
/// of which a constant mass leaves e_v = dy_0, y = M^-1 pi. r' = r + 1, or r where the multipliers do not limit the
/// order, 2r + 2 > 2s. The finer method has order p + 2, hence the error of the step of (k,s,r) is e to leading order,
/// O(h^(p+1)). The state stays that of (k,s,r), with its energy and both constraint levels.
///
/// Source: this file's; estimates by a method of higher order are in Hairer, Norsett, Wanner, Solving Ordinary
/// Differential Equations I, II.4.

#include <memory>
#include <type_traits>
#include <utility>

#include "gnomon/scheme/state.hpp"
#include "kernels/common/finer_solution.hpp"
#include "kernels/line_integral/line_integral_degrees.hpp"
#include "kernels/line_integral/line_start.hpp"

namespace gnomon::kernels {

/// Finer: the equations of (s+1,s+1,r') and what goes with them,
///
///     Finer(const System&, LineIntegralDegrees)
///     NonlinearEquations& equations();   ApproximateInverse& inverse();
///     void begin(const State& z0, double h)
///     void end(const State& z1)
///     void velocity(const Vector& error_q, const Vector& second, Vector& error_v)      second: dy_0 or dpi_0
template <class Finer>
class LineIntegralError {
 public:
  LineIntegralError(const System& system, const AlgebraTable& table, LineIntegralDegrees own, LineIntegralDegrees finer)
      : own_(own),
        finer_(finer),
        n_(system.n()),
        m_(system.m()),
        method_(system, finer),
        solution_(method_.equations(), method_.inverse(), table, system.mass().diagonal_entries().cwiseSqrt(),
                  system.mass().diagonal_entries().cwiseSqrt()) {
    x_.setZero(method_.equations().size());
    second_.setZero(n_);
  }

  /// x: the solution of the step from z0 to z1 over h
  bool estimate(const State& z0, const State& z1, double h, const Vector& x, VectorRef error_q, VectorRef error_v) {
    extend(x);
    method_.begin(z0, h);
    method_.end(z1);
    const bool found =
        solution_.estimate(x_, static_cast<int>(finer_.s), [&](const Vector& d, Vector& of_q, Vector& of_v) {
          of_q = h * d.head(n_);
          second_ = d.segment(finer_.s * n_, n_);
          method_.velocity(of_q, second_, of_v);
        });
    if (!found) return false;
    error_q = solution_.error_q();
    error_v = solution_.error_v();
    return true;
  }

 private:
  void extend(const Vector& x) {
    const Index u = own_.s * n_, lambda = m_ > 0 ? own_.r * m_ : 0;
    const Index longer_u = finer_.s * n_, longer_lambda = m_ > 0 ? finer_.r * m_ : 0;
    x_.setZero();
    x_.head(u) = x.head(u);
    x_.segment(longer_u, u) = x.segment(u, u);
    x_.segment(2 * longer_u, lambda) = x.segment(2 * u, lambda);
    x_.segment(2 * longer_u + longer_lambda, lambda) = x.segment(2 * u + lambda, lambda);
  }

  LineIntegralDegrees own_, finer_;
  Index n_, m_;
  Finer method_;
  FinerSolution solution_;
  Vector x_, second_;
};

/// A line-integral step, a OneSolveStep, with the start values of line_start.hpp, that may estimate its local error.
template <class Step, class Finer>
class EstimatedLineIntegralStep final : public Step {
 public:
  /// The system and the table outlive this object. order: of the end values.
  template <class... Arguments>
  EstimatedLineIntegralStep(const System& system, const AlgebraTable& table, LineIntegralDegrees own,
                            LineIntegralDegrees finer, int order, Arguments&&... of_step)
      : Step(system, std::forward<Arguments>(of_step)...),
        system_(&system),
        table_(&table),
        own_(own),
        finer_(finer),
        order_(order),
        start_(system.n(), system.m(), own.s, own.r,
               std::remove_reference_t<decltype(this->equations_)>::multiplier_power) {}

  void prepare(State& z) const override { z.history.resize(this->equations_.size(), LineIntegralStart::depth); }
  void predict(Index solve, VectorRef x) override {
    if (!start_(*this->z0_, this->h_, x)) Step::predict(solve, x);
  }
  int estimate_errors(bool on) override {
    error_ = on ? std::make_unique<LineIntegralError<Finer>>(*system_, *table_, own_, finer_) : nullptr;
    return order_;
  }
  bool local_error(const State& before, const State& after, VectorRef error_q, VectorRef error_v) override {
    return error_ && led(before, after, this->h_) &&
           error_->estimate(before, after, this->h_, this->x_, error_q, error_v);
  }

 private:
  const System* system_;
  const AlgebraTable* table_;
  LineIntegralDegrees own_, finer_;
  int order_;
  LineIntegralStart start_;
  std::unique_ptr<LineIntegralError<Finer>> error_;
};

}  // namespace gnomon::kernels
