#pragma once
/// \file
/// Finer stages of a projected-rk step with a constant mass, for its local error: of a Gauss method, from the values at
/// them of the polynomials through the stages W_j, Lambda_j of the step (weights L), with corrections d:
///
///     e_q = h^2 [ (A'^T b').d_W + (L^T A'^T b' - A^T b).W ],    e_v = h [ b'.d_W + (L^T b' - b).W ]
///
/// The brackets without d are zero for three stages and more, and for Gauss methods.

#include "kernels/runge_kutta/frozen_stages.hpp"
#include "kernels/runge_kutta/rk_stages.hpp"

namespace gnomon::kernels {

class FinerStages {
 public:
  FinerStages(const System& system, const RkTableau& own, const RkTableau& finer, const StepScales& scales)
      : own_(own),
        finer_(finer),
        weights_(interpolation(own, finer)),
        rest_q_(weights_.transpose() * finer.ba - own.ba),
        rest_v_(weights_.transpose() * finer.b - own.b),
        n_(system.n()),
        m_(system.m()),
        stages_(system, finer, true, scales),
        inverse_(system, finer.stages) {}

  NonlinearEquations& equations() { return stages_; }
  ApproximateInverse& inverse() { return inverse_; }
  void begin(const State& z0, const Vector& v0, double h) {
    h_ = h;
    stages_.begin(z0, v0, h);
    inverse_.begin(z0, v0, h);
  }
  /// x: the stages of the step
  void start(const ConstVectorRef& x, Vector& finer) const {
    finer.setZero();
    for (Index i = 0; i < finer_.stages; ++i)
      for (Index j = 0; j < own_.stages; ++j) {
        finer.segment(i * n_, n_) += weights_(i, j) * x.segment(j * n_, n_);
        finer.segment(finer_.stages * n_ + i * m_, m_) += weights_(i, j) * x.segment(own_.stages * n_ + j * m_, m_);
      }
  }
  void errors(const Vector& d, Vector& of_q, Vector& of_v) const {
    of_q.setZero();
    of_v.setZero();
    add(d, finer_.ba, finer_.b, of_q, of_v);
  }
  void add_rest(const ConstVectorRef& x, Vector& of_q, Vector& of_v) const { add(x, rest_q_, rest_v_, of_q, of_v); }

 private:
  void add(const ConstVectorRef& w, const Vector& by_q, const Vector& by_v, Vector& of_q, Vector& of_v) const {
    for (Index i = 0; i < by_q.size(); ++i) {
      of_q += (h_ * h_ * by_q[i]) * w.segment(i * n_, n_);
      of_v += (h_ * by_v[i]) * w.segment(i * n_, n_);
    }
  }

  RkTableau own_, finer_;
  Matrix weights_;
  Vector rest_q_, rest_v_;
  Index n_, m_;
  RkStages stages_;
  FrozenStages inverse_;
  double h_ = 0;
};

}  // namespace gnomon::kernels
