#pragma once
/// \file
/// Two systems of point masses on rods with sizes known when compiled: constant gravity, constraints quadratic in q, so
/// that G is linear and homogeneous in q.
///
///     M v' = f - G(q)^T lambda,    0 = g(q) = (G(q) q)/2 - c,    G(q) = (A_1 q, ..., A_m q)^T

#include <Eigen/Dense>

namespace gnomon::bench {

/// planar-pendulum: g = x^2 + y^2 - 1.
struct HandCodedPendulum {
  static constexpr int n = 2, m = 1;
  static constexpr const char* problem = "planar-pendulum";
  template <class S>
  using Q = Eigen::Matrix<S, n, 1>;
  template <class S>
  using G = Eigen::Matrix<S, m, n>;
  using C = Eigen::Matrix<double, m, 1>;

  static Q<double> inverse_mass() { return {1, 1}; }
  static Q<double> force() { return {0, -1}; }
  static C constants() { return C(1); }
  template <class S>
  static G<S> jacobian(const Q<S>& q) {
    return 2 * q.transpose();
  }
  /// sum_i mu_i A_i
  static Eigen::Matrix2d hessian(const C& mu) { return 2 * mu[0] * Eigen::Matrix2d::Identity(); }
};

/// double-spherical-pendulum: g = (|x1|^2 - l1^2)/2, (|x2 - x1|^2 - l2^2)/2.
struct HandCodedDoublePendulum {
  static constexpr int n = 6, m = 2;
  static constexpr const char* problem = "double-spherical-pendulum";
  template <class S>
  using Q = Eigen::Matrix<S, n, 1>;
  template <class S>
  using G = Eigen::Matrix<S, m, n>;
  using C = Eigen::Matrix<double, m, 1>;

  double mass1 = 1, mass2 = 1, length1 = 1, length2 = 1, gravity = 9.81;

  Q<double> inverse_mass() const {
    Q<double> w;
    w << 1 / mass1, 1 / mass1, 1 / mass1, 1 / mass2, 1 / mass2, 1 / mass2;
    return w;
  }
  Q<double> force() const {
    Q<double> f = Q<double>::Zero();
    f[1] = -mass1 * gravity;
    f[4] = -mass2 * gravity;
    return f;
  }
  C constants() const { return {length1 * length1 / 2, length2 * length2 / 2}; }
  template <class S>
  static G<S> jacobian(const Q<S>& q) {
    G<S> g = G<S>::Zero();
    g.template block<1, 3>(0, 0) = q.template head<3>().transpose();
    const Eigen::Matrix<S, 1, 3> d = (q.template tail<3>() - q.template head<3>()).transpose();
    g.template block<1, 3>(1, 0) = -d;
    g.template block<1, 3>(1, 3) = d;
    return g;
  }
  static Eigen::Matrix<double, 6, 6> hessian(const C& mu) {
    Eigen::Matrix<double, 6, 6> sum = Eigen::Matrix<double, 6, 6>::Zero();
    sum.diagonal() << mu[0] + mu[1], mu[0] + mu[1], mu[0] + mu[1], mu[1], mu[1], mu[1];
    sum.diagonal(3).setConstant(-mu[1]);
    sum.diagonal(-3).setConstant(-mu[1]);
    return sum;
  }
};

}  // namespace gnomon::bench
