#pragma once
/// \file
/// The Gauss method with four stages on the index-1 form by hand, projected onto both constraint levels; sizes known
/// when compiled, stages by fixed-point iteration.

#include <array>
#include <cmath>

#include "bench/small/point_masses.hpp"

namespace gnomon::bench {

/// Stages i = 1..4, A of Gauss, a the acceleration of the index-1 form:
///
///     q_i = q0 + h c_i v0 + h^2 sum_j (A A)_ij a_j,    v_i = v0 + h sum_j A_ij a_j,    a_i = a(q_i, v_i)
///     A(q) lambda = G M^-1 f + (v.A_k v)_k,    a = M^-1 (f - G^T lambda),    A(q) = G M^-1 G^T
///
/// then q1 onto g = 0 and v1 onto G v = 0 in the mass metric.
template <class Model>
class SmallGauss {
 public:
  static constexpr int n = Model::n, m = Model::m, s = 4;
  using Q = typename Model::template Q<double>;
  using Multiplier = Eigen::Matrix<double, m, 1>;
  using Stages = Eigen::Matrix<double, n, s>;

  SmallGauss(const Model& model, const Q& q, const Q& v, double h)
      : model_(model), w_(model.inverse_mass()), f_(model.force()), q_(q), v_(v), h_(h) {
    const double far = std::sqrt(3. / 7 + 2. / 7 * std::sqrt(6. / 5)),
                 near = std::sqrt(3. / 7 - 2. / 7 * std::sqrt(6. / 5));
    c_ << (1 - far) / 2, (1 - near) / 2, (1 + near) / 2, (1 + far) / 2;
    // Integrals of the Lagrange polynomials by their moments: sum_j A_ij c_j^k = c_i^(k+1)/(k+1).
    Eigen::Matrix4d powers, moments, next;
    Eigen::RowVector4d end;
    for (int i = 0; i < s; ++i)
      for (int k = 0; k < s; ++k) {
        powers(i, k) = std::pow(c_[i], k);
        moments(i, k) = std::pow(c_[i], k + 1) / (k + 1);
        next(i, k) = std::pow(1 + c_[i], k);
        end[k] = 1. / (k + 1);
      }
    const Eigen::Matrix4d inverse = powers.inverse();
    A_ = moments * inverse;
    AA_ = A_ * A_;
    b_ = (end * inverse).transpose();
    bA_ = A_.transpose() * b_;
    extrapolate_ = next * inverse;
    for (int i = 0; i < s; ++i) a_.col(i) = acceleration(q, v);
  }

  bool step() {
    if (steps_ > 0) a_ = Stages(a_ * extrapolate_.transpose());
    for (int iteration = 0;; ++iteration) {
      if (iteration == 100) return false;
      ++iterations_;
      const Stages velocities = v_.replicate(1, s) + h_ * a_ * A_.transpose();
      const Stages positions = q_.replicate(1, s) + h_ * v_ * c_.transpose() + h_ * h_ * a_ * AA_.transpose();
      double change = 0;
      for (int i = 0; i < s; ++i) {
        const Q now = acceleration(positions.col(i), velocities.col(i));
        change = std::max(change, (now - a_.col(i)).template lpNorm<Eigen::Infinity>());
        a_.col(i) = now;
      }
      if (h_ * change <= 1e-15 * (1 + v_.template lpNorm<Eigen::Infinity>())) break;
    }
    q_ += h_ * v_ + h_ * h_ * a_ * bA_;
    v_ += h_ * a_ * b_;
    project();
    ++steps_;
    return true;
  }
  long iterations() const { return iterations_; }
  const Q& q() const { return q_; }
  const Q& v() const { return v_; }

 private:
  Q acceleration(const Q& q, const Q& v) const {
    const auto g = Model::jacobian(q);
    const Eigen::Matrix<double, n, m> pull = w_.asDiagonal() * g.transpose();
    const Eigen::Matrix<double, m, m> matrix = g * pull;
    const Q free = w_.cwiseProduct(f_);
    return free - pull * matrix.llt().solve(g * free + Model::jacobian(v) * v);
  }
  void project() {
    for (int i = 0; i < 2; ++i) {
      const auto g = Model::jacobian(q_);
      const Eigen::Matrix<double, n, m> pull = w_.asDiagonal() * g.transpose();
      const Eigen::Matrix<double, m, m> matrix = g * pull;
      q_ -= pull * matrix.llt().solve(Multiplier(0.5 * g * q_ - model_.constants()));
    }
    const auto g = Model::jacobian(q_);
    const Eigen::Matrix<double, n, m> pull = w_.asDiagonal() * g.transpose();
    const Eigen::Matrix<double, m, m> matrix = g * pull;
    v_ -= pull * matrix.llt().solve(Multiplier(g * v_));
  }

  Model model_;
  Q w_, f_, q_, v_;
  double h_;
  Stages a_;
  Eigen::Vector4d c_, b_, bA_;
  Eigen::Matrix4d A_, AA_, extrapolate_;
  long steps_ = 0, iterations_ = 0;
};

}  // namespace gnomon::bench
