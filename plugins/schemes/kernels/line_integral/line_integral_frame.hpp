#pragma once
/// \file
/// What the line-integral schemes share. Over a step, with the tables of legendre.hpp,
///
///     q(ch) = q0 + h sum_{j<s} I_j(c) u_j,    q'(ch) = sum_{j<s} P_j(c) u_j,    lambda(ch) = sum_{i<r} P_i(c) lambda_i
///
/// and integrals over the step replaced by sum_l b_l P_j(c_l) [ ]_l, here called moments. The constraint rows of the
/// schemes without a second constraint level are
///
///     C_i = sum_l b_l P_i(c_l) [G(q_l) q'_l + g_t(q_l)] + delta_i0 g(q0)/h        i < r
///
/// of which C_0 is g(q1)/h where the quadrature is exact. G belongs to q_l itself, not to its rounded value: the row
/// takes back what a step errs in g, which costs the energy lambda.g, and with rounded q_l that is a walk of 1e-15 in
/// 1e4 steps.
///
/// Source: Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (42)-(55), (51) divided by h.

#include <type_traits>

#include "gnomon/model/system_at.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/line_integral/legendre.hpp"

namespace gnomon::kernels {

/// Owns its scratch; not for use by two threads at once.
class LineIntegralFrame {
 public:
  LineIntegralFrame(const System& system, Index nodes, Index s, Index r);

  const LegendreTable table;

  Index r() const { return r_; }  ///< 0 without constraints
  const State& z0() const { return *z0_; }
  double h() const { return h_; }
  double time(Index l) const { return z0_->t + table.c[l] * h_; }
  bool moving() const { return system_->parts().time_dependence; }
  double end() const { return moving() ? time_after(*z0_, h_) : z0_->t + h_; }

  void begin(const State& z0, double h);

  /// out = sum_j weights(l,j) x_j, where x_j is the j-th block of out.size() unknowns from `first` on
  template <class X, class Weights, class Out>
  static void combine(const X& x, Index first, const Weights& weights, Index l, Index count, Out& out) {
    using S = typename Out::Scalar;
    const Index size = out.size();
    out.setConstant(S(0.0));
    for (Index j = 0; j < count; ++j) out += x.segment(first + j * size, size) * S(weights(l, j));
  }
  /// out = q'_l
  template <class X, class Out>
  void velocity(const X& x, Index l, Out& out) const {
    combine(x, 0, table.at<typename Out::Scalar>().P, l, table.s, out);
  }
  /// out = lambda_l, coefficients from `first` on
  template <class X, class Out>
  void multiplier(const X& x, Index first, Index l, Out& out) const {
    combine(x, first, table.at<typename Out::Scalar>().P, l, r_, out);
  }
  /// out = q_l; the increment is summed first, so that at double tail_ is what rounding q_l took away.
  template <class X, class Out>
  void position(const X& x, Index l, Out& out) {
    using S = typename Out::Scalar;
    combine(x, 0, table.at<S>().I, l, table.s, out);
    out *= S(h_);
    out += z0_->q.tail().template cast<S>();
    if constexpr (std::is_same_v<S, double>) tail_ = out;
    out += z0_->q.value().template cast<S>();
    if constexpr (std::is_same_v<S, double>) tail_ -= out - z0_->q.value();
  }

  /// f_j += (factor b_l a) P_j(c_l) for from <= j < count, in blocks of a.size() rows from `row` on, by the P_j(c_l) of
  /// velocities: b_l P_j(c_l) rounded together would be other numbers
  template <class S, class F>
  void add_moments(Index l, double factor, const VectorOf<S>& a, Index row, Index from, Index count, F& f) const {
    const auto& numbers = table.at<S>();
    const Index size = a.size();
    const S* const of = a.data();
    const auto weight = factor * numbers.b[l];
    for (Index j = from; j < count; ++j) {
      S* const to = f.data() + row + j * size;
      for (Index c = 0; c < size; ++c) to[c] += (of[c] * weight) * numbers.P(l, j);
    }
  }

  /// out += G(q_l)^T lambda, with G at q_l + tail
  template <class S>
  void add_constraint_force(Index l, const VectorOf<S>& q, const VectorOf<S>& lambda, VectorOf<S>& work,
                            VectorOf<S>& out) {
    at_.constraint_force(time(l), q, lambda, work);
    out += work;
    if constexpr (std::is_same_v<S, double>) {
      system_->constraint_hessian_times(time(l), q, lambda, tail_, work_);
      out += work_;
    }
  }
  /// f_i = delta_i0 g(q0)/h from `row` on: the start of the sums C_i
  template <class S>
  void start_constraint_rows(Index row, VectorRefOf<S> f) const {
    for (Index i = 0; i < r_; ++i)
      for (Index c = 0; c < m_; ++c) f[row + i * m_ + c] = S(i == 0 ? g0_[c] / h_ : 0.0);
  }
  /// f_i += b_l P_i(c_l) [G(q_l) q'_l + g_t], with G at q_l + tail; g is scratch of m entries
  template <class S>
  void add_constraint_rows(Index l, const VectorOf<S>& q, const VectorOf<S>& rate, VectorOf<S>& g, Index row,
                           VectorRefOf<S> f) {
    if (moving())
      at_.constraint_velocity(time(l), q, rate, g);
    else
      at_.constraint_jacobian_times(time(l), q, rate, g);
    if constexpr (std::is_same_v<S, double>) {
      system_->constraint_jacobian_derivative(time(l), q, rate, g_values_);
      multiply(system_->constraint_pattern(), g_values_, tail_, row_);
      g += row_;
    }
    add_moments(l, 1, g, row, 0, r_, f);
  }

  /// Rounding floor of scaled residuals. The rows with G see q_l rounded to its last place: eps |Hess g||q| |q'|
  /// against their scale.
  double rounding_floor(const StepScales& scales);

 private:
  const System* system_;
  SystemAt at_;
  Index n_, m_, r_;
  const State* z0_ = nullptr;
  double h_ = 0;
  Vector tail_, work_, g0_, row_, floor_, g_values_;
};

}  // namespace gnomon::kernels
