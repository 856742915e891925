#pragma once
/// \file
/// The scalar of the general discrete derivative, Gonzalez (1996), eq. (19) of Leyendecker, Betsch, Steinmann (2004):
///
///     F1 -= s M W_p dp,   F2 += h s W_q dq,   s = c/N,   N = dq.W_q dq + dp.W_p dp
///
/// with W_q = W_p = 1 (as printed, not invariant under a change of units) or W_q = M, W_p = h^2 M^-1.

#include "gnomon/model/system.hpp"
#include "kernels/common/step_frame.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace gnomon::kernels {

class GeneralQuotient {
 public:
  using Weight = QuotientWeight;

  GeneralQuotient(const System& system, Weight weight, bool active, Index unknowns);

  bool active() const { return active_; }
  bool mass_weight() const { return weight_ == Weight::mass; }

  void begin(const Vector& q0, const StepScales& scales, double h);
  /// Below this N counts as zero: s (dq, dp) -> 0 with (dq, dp).
  double smallest() const { return n_min_; }

  /// N, where b.mdq = M dq; leaves M dp or M^-1 dp in b.mdp.
  template <class S>
  S norm(StepPoint<S>& b) {
    if (mass_weight()) {
      mass_solve(b.dp, b.mdp);
      return b.dq.dot(b.mdq) + b.dp.dot(b.mdp) * S(h_ * h_);
    }
    mass_times(b.dp, b.mdp);
    return b.dq.dot(b.dq) + b.dp.dot(b.dp);
  }

  /// Adds the terms of s, after norm().
  template <class S>
  void add(const StepPoint<S>& b, const S& s, VectorRefOf<S> f) const {
    for (Index j = 0; j < n_; ++j) {
      f[j] -= s * (mass_weight() ? b.dp[j] * (h_ * h_) : b.mdp[j]);
      f[n_ + j] += s * (mass_weight() ? b.mdq[j] : b.dq[j]) * h_;
    }
  }
  /// The same for the derivative along (dq, dp) themselves where (dq, dp) = 0 and s is homogeneous of degree zero.
  void add_tangent(const StepPoint<double>& direction, double s, VectorRefOf<Dual1> f) const;

  /// dF1 -= M W_p (s, on dp) + r ds^T, dF2 += h (W_q (s, on dq) + W_q dq ds^T), ds = (dc - s dN)/N, r = M W_p dp;
  /// `linearise` returns c and adds its gradient to its argument. False where N counts as zero. Rows F1 and F2 of the
  /// pattern are dense.
  template <class Linearise>
  bool add_jacobian(const StepPoint<double>& b, const SparsityPattern& pattern, VectorRef values,
                    const Linearise& linearise) {
    auto left_q = left_.head(n_), left_p = left_.tail(n_);      // W_q dq, W_p dp
    auto right_q = right_.head(n_), right_p = right_.tail(n_);  // h W_q dq, -M W_p dp
    if (mass_weight()) {
      mass_->apply(b.dq, left_q);
      mass_->solve(b.dp, left_p);
      left_p *= h_ * h_;
      right_p = -h_ * h_ * b.dp;
    } else {
      left_q = b.dq;
      left_p = b.dp;
      mass_->apply(b.dp, right_p);
      right_p *= -1;
    }
    right_q = h_ * left_q;
    const double norm = b.dq.dot(left_q) + b.dp.dot(left_p);
    if (norm <= n_min_) return false;

    gradient_.setZero();
    const double s = linearise(gradient_) / norm;
    gradient_.head(2 * n_) -= 2 * s * left_;
    gradient_ /= norm;
    const Index size = gradient_.size();
    for (Index j = 0; j < n_; ++j) {
      values.segment(pattern.offsets[j], size) += right_[n_ + j] * gradient_;
      values.segment(pattern.offsets[n_ + j], size) += right_[j] * gradient_;
    }
    for (Index j = 0; j < n_; ++j) {
      if (mass_weight())
        values[pattern.find(j, n_ + j)] -= s * h_ * h_;
      else
        add_mass_row(j, n_, -s, pattern, values);
      add_weight_row(j, h_ * s, pattern, values);
    }
    return true;
  }
  /// Column j of the derivative at (dq, dp) = 0: h s W_q e_j in F2, for s along e_j.
  void add_column_at_rest(Index j, double s, const SparsityPattern& pattern, VectorRef values) const;
  /// W_q's diagonal.
  double position_weight(Index j) const { return mass_weight() ? mass_->diagonal_entries()[j] : 1; }

  /// What a rounding error `noise` in c does to the rows scaled by sqrt(mass) s: it enters F1 as s r, F2 as h s W_q dq.
  double floor(const ConstVectorRef& x, double noise, double scale) const;

 private:
  void mass_times(const Vector& v, Vector& out) { mass_->apply(v, out); }
  void mass_solve(const Vector& v, Vector& out) { mass_->solve(v, out); }
  void mass_times(const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  void mass_solve(const VectorOf<Dual1>& v, VectorOf<Dual1>& out);
  /// N and the direction of the correction, which may be rounded: c is of third order in (dq, dp).
  void mass_times(const VectorOf<Extended>& v, VectorOf<Extended>& out);
  void mass_solve(const VectorOf<Extended>& v, VectorOf<Extended>& out);
  /// A linear map of value and tangent.
  template <class Map>
  void by_parts(const VectorOf<Dual1>& v, VectorOf<Dual1>& out, const Map& map) {
    for (Index j = 0; j < n_; ++j) work_[j] = v[j].value;
    map();
    for (Index j = 0; j < n_; ++j) out[j].value = solved_[j];
    for (Index j = 0; j < n_; ++j) work_[j] = v[j].grad[0];
    map();
    for (Index j = 0; j < n_; ++j) out[j].grad[0] = solved_[j];
  }

  /// Row F1_j += factor M_j on dp
  void add_mass_row(Index j, Index column, double factor, const SparsityPattern& pattern, VectorRef values) const;
  /// Row F2_j += factor W_q on dq
  void add_weight_row(Index j, double factor, const SparsityPattern& pattern, VectorRef values) const;

  const Mass* mass_;
  Weight weight_;
  bool active_;
  Index n_;
  double h_ = 0, n_min_ = 0;
  Vector work_, solved_, left_, right_, gradient_;
};

}  // namespace gnomon::kernels
