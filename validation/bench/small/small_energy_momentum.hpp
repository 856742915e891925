#pragma once
/// \file
/// The energy-momentum step by hand, sizes known when compiled: Newton on the increment and the multiplier.

#include <cmath>

#include "bench/small/point_masses.hpp"

namespace gnomon::bench {

/// With delta = q1 - q0, mu = h^2/2 lambda, f constant and g quadratic, the discrete derivative is that at the middle:
///
///     0 = delta - h v0 - h^2/2 M^-1 f + M^-1 G(q0 + delta/2)^T mu
///     0 = g(q0) + G(q0 + delta/2) delta
///
/// refined = true: the residual once more at long double from q and v with their rounding errors, and one correction by
/// the last matrix, as Gnomon's steps end.
template <class Model, bool refined>
class SmallEnergyMomentum {
 public:
  static constexpr int n = Model::n, m = Model::m;
  using Real = long double;
  template <class S>
  using Q = typename Model::template Q<S>;

  SmallEnergyMomentum(const Model& model, const Q<double>& q, const Q<double>& v, double h)
      : model_(model), w_(model.inverse_mass()), q_(q), v_(v), h_(h) {
    force_ = 0.5 * h * h * w_.cwiseProduct(model.force());
    for (Unknown& past : past_) past.setZero();
  }

  bool step() {
    predict();
    const Eigen::Matrix<double, m, 1> g0 = 0.5 * Model::jacobian(q_) * q_ - model_.constants();
    for (int iteration = 0;; ++iteration) {
      if (iteration == 50) return false;
      ++iterations_;
      factorise();
      const Unknown correction = lu_.solve(residual(g0));
      x_ -= correction;
      if (correction.template lpNorm<Eigen::Infinity>() <= 1e-7 * h_) break;
    }
    if constexpr (refined)
      finish_refined();
    else
      finish();
    past_[steps_ & 3] = x_;
    ++steps_;
    return true;
  }
  long iterations() const { return iterations_; }
  const Q<double>& q() const { return q_; }
  const Q<double>& v() const { return v_; }

 private:
  using Unknown = Eigen::Matrix<double, n + m, 1>;
  using Matrix = Eigen::Matrix<double, n + m, n + m>;

  /// The polynomial through the increments of the steps 1, 3 and 4 ago.
  void predict() {
    if (steps_ >= 4)
      x_ = 2 * past_[(steps_ - 1) & 3] - 2 * past_[(steps_ - 3) & 3] + past_[(steps_ - 4) & 3];
    else
      x_.template head<n>() = h_ * v_;
  }
  Unknown residual(const Eigen::Matrix<double, m, 1>& g0) const {
    const Q<double> delta = x_.template head<n>(), middle = q_ + 0.5 * delta;
    const auto g = Model::jacobian(middle);
    Unknown r;
    r.template head<n>() = delta - h_ * v_ - force_ + w_.cwiseProduct(Q<double>(g.transpose() * x_.template tail<m>()));
    r.template tail<m>() = g0 + g * delta;
    return r;
  }
  void factorise() {
    const Q<double> delta = x_.template head<n>(), middle = q_ + 0.5 * delta, end = q_ + delta;
    Matrix a;
    a.template topLeftCorner<n, n>() =
        Eigen::Matrix<double, n, n>::Identity() + 0.5 * w_.asDiagonal() * Model::hessian(x_.template tail<m>());
    a.template topRightCorner<n, m>() = w_.asDiagonal() * Model::jacobian(middle).transpose();
    a.template bottomLeftCorner<m, n>() = Model::jacobian(end);
    a.template bottomRightCorner<m, m>().setZero();
    lu_.compute(a);
  }
  void finish() {
    const Q<double> delta = x_.template head<n>();
    v_ += 2 / h_ * (delta - h_ * v_);
    q_ += delta;
  }
  /// x as a sum of two numbers, then q and v likewise.
  void finish_refined() {
    const Q<Real> q = q_.template cast<Real>() + q_tail_.template cast<Real>();
    const Q<Real> v = v_.template cast<Real>() + v_tail_.template cast<Real>();
    Q<Real> delta = x_.template head<n>().template cast<Real>();
    const Q<Real> middle = q + delta / Real(2), w = w_.template cast<Real>();
    const auto g = Model::jacobian(middle), g0 = Model::jacobian(q);
    Unknown r;
    const Q<Real> first = delta - Real(h_) * v - force_.template cast<Real>() +
                          w.cwiseProduct(Q<Real>(g.transpose() * x_.template tail<m>().template cast<Real>()));
    r.template head<n>() = first.template cast<double>();
    r.template tail<m>() =
        (g0 * q / Real(2) - model_.constants().template cast<Real>() + g * delta).template cast<double>();
    delta -= lu_.solve(r).template head<n>().template cast<Real>();
    split(q + delta, q_, q_tail_);
    split(v + Real(2) / Real(h_) * (delta - Real(h_) * v), v_, v_tail_);
  }
  static void split(const Q<Real>& sum, Q<double>& value, Q<double>& tail) {
    value = sum.template cast<double>();
    tail = (sum - value.template cast<Real>()).template cast<double>();
  }

  Model model_;
  Q<double> w_, q_, v_, force_, q_tail_ = Q<double>::Zero(), v_tail_ = Q<double>::Zero();
  double h_;
  Unknown x_ = Unknown::Zero(), past_[4];
  Eigen::PartialPivLU<Matrix> lu_{Matrix::Identity()};
  long steps_ = 0, iterations_ = 0;
};

}  // namespace gnomon::bench
