#pragma once
/// \file
/// RATTLE by hand, sizes known when compiled: Newton on the multipliers alone.

#include "bench/small/point_masses.hpp"

namespace gnomon::bench {

/// With mu = h^2/2 lambda and f constant:
///
///     q1 = q0 + h v0 + h^2/2 M^-1 f - M^-1 G0^T mu,    g(q1) = 0
///     v1 = (q1 - q0)/h + h/2 M^-1 f - M^-1 G1^T nu,    G1 v1 = 0
template <class Model>
class SmallRattle {
 public:
  static constexpr int n = Model::n, m = Model::m;
  using Q = typename Model::template Q<double>;
  using Multiplier = Eigen::Matrix<double, m, 1>;

  SmallRattle(const Model& model, const Q& q, const Q& v, double h)
      : model_(model), w_(model.inverse_mass()), q_(q), v_(v), h_(h) {
    force_ = 0.5 * h * h * w_.cwiseProduct(model.force());
    for (Multiplier& past : past_) past.setZero();
  }

  bool step() {
    if (steps_ >= 4) mu_ = 2 * past_[(steps_ - 1) & 3] - 2 * past_[(steps_ - 3) & 3] + past_[(steps_ - 4) & 3];
    const Eigen::Matrix<double, n, m> pull = w_.asDiagonal() * Model::jacobian(q_).transpose();
    const Q free = q_ + h_ * v_ + force_;
    Q q1;
    typename Model::template G<double> g1;
    for (int iteration = 0;; ++iteration) {
      if (iteration == 50) return false;
      ++iterations_;
      q1 = free - pull * mu_;
      g1 = Model::jacobian(q1);
      const Multiplier g = 0.5 * g1 * q1 - model_.constants();
      const Eigen::Matrix<double, m, m> matrix = g1 * pull;
      const Multiplier correction = matrix.partialPivLu().solve(g);
      mu_ += correction;
      if (correction.template lpNorm<Eigen::Infinity>() <= 1e-8 * h_) break;
    }
    q1 = free - pull * mu_;
    g1 = Model::jacobian(q1);
    v_ = (q1 - q_ + force_) / h_;
    const Eigen::Matrix<double, n, m> end = w_.asDiagonal() * g1.transpose();
    const Eigen::Matrix<double, m, m> matrix = g1 * end;
    v_ -= end * matrix.llt().solve(g1 * v_);
    q_ = q1;
    past_[steps_ & 3] = mu_;
    ++steps_;
    return true;
  }
  long iterations() const { return iterations_; }
  const Q& q() const { return q_; }
  const Q& v() const { return v_; }

 private:
  Model model_;
  Q w_, q_, v_, force_;
  double h_;
  Multiplier mu_ = Multiplier::Zero(), past_[4];
  long steps_ = 0, iterations_ = 0;
};

}  // namespace gnomon::bench
