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
///
/// Their approximate inverse is the Newton matrix to leading order in h, with one M and one G for the whole step, at
/// q0 + h v0/2. With A = G M^-1 G^T,
///
///     M W_i + G^T Lambda_i = f_i,    G W_i = g_i
///     A Lambda_i = G M^-1 f_i - g_i,    W_i = M^-1 (f_i - G^T Lambda_i)
///
/// and with M(q)
///
///     V_i - M^-1 h sum_j a_ij P'_j = k_i,   P'_i + G^T Lambda_i = f_i,   G M^-1 P'_i = g_i
///     A Lambda_i = G M^-1 f_i - g_i,   P'_i = f_i - G^T Lambda_i,   V_i = k_i + M^-1 h sum_j a_ij P'_j

#include "kernels/common/constraint_gram.hpp"
#include "kernels/runge_kutta/rk_stages.hpp"

namespace gnomon::kernels {

template <class Inertia>
class FrozenStages final : public ApproximateInverse {
  static constexpr bool constant_mass = Inertia::constant_mass;

 public:
  FrozenStages(const System& system, const RkTableau& rk)
      : system_(&system), gram_(system), rk_(rk), n_(system.n()), m_(system.m()) {
    for (Vector* v : {&q_, &force_, &jump_, &scratch_}) v->setZero(n_);
    multiplier_.setZero(m_);
  }

  void begin(const State& z0, const Vector& v0, double h) {
    z0_ = &z0;
    t_ = z0.t + 0.5 * h;
    q_ = z0.q.value() + 0.5 * h * v0;
    h_ = h;
  }
  bool update(const ConstVectorRef&) override { return gram_.update(t_, q_); }

  void solve(const ConstVectorRef& f, VectorRef d) override {
    const Index s = rk_.stages, slope = constant_mass ? 0 : s * n_;
    for (Index i = 0; i < s; ++i) {
      const Index at = slope + i * n_, lambda = slope + s * n_ + i * m_;
      force_ = f.segment(at, n_);
      system_->velocity(q_, force_, scratch_, jump_);
      d.segment(at, n_) = constant_mass ? jump_ : force_;
      if (m_ == 0) continue;
      gram_.times(jump_, multiplier_);
      multiplier_ -= f.segment(lambda, m_);
      gram_.solve(multiplier_);
      d.segment(lambda, m_) = multiplier_;
      if (constant_mass)
        gram_.velocity(multiplier_, jump_);
      else
        multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), multiplier_, jump_);
      d.segment(at, n_) -= jump_;
    }
    if (constant_mass) return;
    for (Index i = 0; i < s; ++i) {
      force_.setZero();
      for (Index j = 0; j < s; ++j) force_ += (h_ * rk_.a(i, j)) * d.segment(slope + j * n_, n_);
      system_->velocity(q_, force_, scratch_, jump_);
      d.segment(i * n_, n_) = f.segment(i * n_, n_) + jump_;
    }
  }

 private:
  const System* system_;
  ConstraintGram gram_;
  RkTableau rk_;
  Index n_, m_;
  const State* z0_ = nullptr;
  double t_ = 0, h_ = 0;
  Vector q_, force_, jump_, scratch_, multiplier_;
};

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
        stages_(system, finer, true, scales),
        inverse_(system, finer) {}

  NonlinearEquations& equations() { return stages_; }
  ApproximateInverse& inverse() { return inverse_; }
  void begin(const State& z0, const Vector& v0, double h) {
    h_ = h;
    stages_.begin(z0, v0, h);
    inverse_.begin(z0, v0, h);
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
  FrozenStages<Inertia> inverse_;
  double h_ = 0;
};

}  // namespace gnomon::kernels
