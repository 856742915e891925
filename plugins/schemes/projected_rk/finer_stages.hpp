#pragma once
/// \file
/// Finer stages of a projected-rk step, for its local error: of a Gauss method, from the values at them of the
/// polynomials through the unknowns of the step's stages (weights L), with corrections d. With a constant mass, and
/// with M(q):
///
///     e_q = h^2 [ (A'^T b').d_W + (L^T A'^T b' - A^T b).W ],    e_v = h [ b'.d_W + (L^T b' - b).W ]
///     e_q = h [ b'.d_V + (L^T b' - b).V ],                      e_p = h [ b'.d_P' + (L^T b' - b).P' ]
///
/// The brackets without d are zero for three stages and more, and for Gauss methods.

#include "kernels/runge_kutta/rk_stages.hpp"

namespace gnomon::kernels {

template <class Inertia>
class FinerStages {
  static constexpr bool constant_mass = Inertia::constant_mass;
  static constexpr Index slopes = Inertia::Stage::slopes;

 public:
  FinerStages(const System& system, const RkTableau& own, const RkTableau& finer, const StepScales& scales)
      : own_(own),
        finer_(finer),
        weights_(interpolation(own, finer)),
        rest_q_(weights_.transpose() * finer.ba - own.ba),
        rest_(weights_.transpose() * finer.b - own.b),
        n_(system.n()),
        m_(system.m()),
        stages_(system, finer, true, scales) {}

  NonlinearEquations& equations() { return stages_; }
  ApproximateInverse& inverse() { return *stages_.simplified_newton(); }
  void begin(const State& z0, const Vector& v0, double h) {
    h_ = h;
    stages_.begin(z0, v0, h);
  }
  /// x: the stages of the step
  void start(const ConstVectorRef& x, Vector& finer) const {
    const Index s = own_.stages, more = finer_.stages;
    finer.setZero();
    for (Index i = 0; i < more; ++i)
      for (Index j = 0; j < s; ++j) {
        for (Index k = 0; k < slopes; ++k)
          finer.segment((k * more + i) * n_, n_) += weights_(i, j) * x.segment((k * s + j) * n_, n_);
        finer.segment(slopes * more * n_ + i * m_, m_) += weights_(i, j) * x.segment(slopes * s * n_ + j * m_, m_);
      }
  }
  /// Of q and of v, or p
  void errors(const Vector& d, Vector& of_q, Vector& second) const {
    of_q.setZero();
    second.setZero();
    add(d, finer_.ba, finer_.b, of_q, second);
  }
  void add_rest(const ConstVectorRef& x, Vector& of_q, Vector& second) const { add(x, rest_q_, rest_, of_q, second); }

 private:
  void add(const ConstVectorRef& x, const Vector& by_q, const Vector& by, Vector& of_q, Vector& second) const {
    const Index s = by.size();
    for (Index i = 0; i < s; ++i) {
      of_q += (constant_mass ? h_ * h_ * by_q[i] : h_ * by[i]) * x.segment(i * n_, n_);
      second += (h_ * by[i]) * x.segment(((slopes - 1) * s + i) * n_, n_);
    }
  }

  RkTableau own_, finer_;
  Matrix weights_;
  Vector rest_q_, rest_;
  Index n_, m_;
  RkStages<Inertia> stages_;
  double h_ = 0;
};

}  // namespace gnomon::kernels
