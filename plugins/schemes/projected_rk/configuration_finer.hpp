#pragma once
/// \file
/// Finer stages of a projected-rk step with a mass M(q), for its local error, as kernels/runge_kutta/finer_stages.hpp
/// for a constant one, x = [V | F | Lambda]:
///
///     e_q = h [ b'.d_V + (L^T b' - b).V ],    e_p = h [ b'.d_F + (L^T b' - b).F ]
///
/// Their approximate inverse, with M and G of the middle of the step:
///
///     V_i - M^-1 h sum_j a_ij F_j = f_i,   F_i + G^T Lambda_i = k_i,   G M^-1 F_i = g_i
///     A Lambda_i = G M^-1 k_i - g_i,   F_i = k_i - G^T Lambda_i,   V_i = f_i + M^-1 h sum_j a_ij F_j

#include "kernels/common/constraint_gram.hpp"
#include "projected_rk/configuration_stages.hpp"

namespace gnomon::kernels {

class FrozenConfigurationStages final : public ApproximateInverse {
 public:
  FrozenConfigurationStages(const System& system, const Matrix& a)
      : system_(&system), gram_(system, true, true), a_(a), n_(system.n()), m_(system.m()), stages_(a.rows()) {
    for (Vector* v : {&q_, &force_, &kick_, &scratch_}) v->setZero(n_);
    multiplier_.setZero(m_);
  }

  void begin(const State& z0, const Vector& v0, double h) {
    z0_ = &z0;
    t_ = z0.t + 0.5 * h;
    q_ = z0.q.value() + 0.5 * h * v0;
    h_ = h;
  }
  bool update(const ConstVectorRef&) override { return gram_.update_near(z0_->t, z0_->q.value(), t_, q_); }

  void solve(const ConstVectorRef& f, VectorRef d) override {
    const Index momentum = stages_ * n_;
    for (Index i = 0; i < stages_; ++i) {
      const Index lambda = 2 * momentum + i * m_;
      force_ = f.segment(momentum + i * n_, n_);
      if (m_ > 0) {
        system_->velocity(q_, force_, scratch_, kick_);
        gram_.times(kick_, multiplier_);
        multiplier_ -= f.segment(lambda, m_);
        gram_.solve(multiplier_);
        d.segment(lambda, m_) = multiplier_;
        multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), multiplier_, kick_);
        force_ -= kick_;
      }
      d.segment(momentum + i * n_, n_) = force_;
    }
    for (Index i = 0; i < stages_; ++i) {
      force_.setZero();
      for (Index j = 0; j < stages_; ++j) force_ += (h_ * a_(i, j)) * d.segment(momentum + j * n_, n_);
      system_->velocity(q_, force_, scratch_, kick_);
      d.segment(i * n_, n_) = f.segment(i * n_, n_) + kick_;
    }
  }

 private:
  const System* system_;
  ConstraintGram gram_;
  Matrix a_;
  Index n_, m_, stages_;
  const State* z0_ = nullptr;
  double t_ = 0, h_ = 0;
  Vector q_, force_, kick_, scratch_, multiplier_;
};

class ConfigurationFinerStages {
 public:
  ConfigurationFinerStages(const System& system, const RkTableau& own, const RkTableau& finer, const StepScales& scales)
      : own_(own),
        finer_(finer),
        weights_(interpolation(own, finer)),
        rest_(weights_.transpose() * finer.b - own.b),
        n_(system.n()),
        m_(system.m()),
        stages_(system, finer, true, scales),
        inverse_(system, finer.a) {}

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
        finer.segment(i * n_, n_) += weights_(i, j) * x.segment(j * n_, n_);
        finer.segment((more + i) * n_, n_) += weights_(i, j) * x.segment((s + j) * n_, n_);
        finer.segment(2 * more * n_ + i * m_, m_) += weights_(i, j) * x.segment(2 * s * n_ + j * m_, m_);
      }
  }
  void errors(const Vector& d, Vector& of_q, Vector& of_p) const {
    of_q.setZero();
    of_p.setZero();
    add(d, finer_.b, of_q, of_p);
  }
  void add_rest(const ConstVectorRef& x, Vector& of_q, Vector& of_p) const { add(x, rest_, of_q, of_p); }

 private:
  void add(const ConstVectorRef& x, const Vector& by, Vector& of_q, Vector& of_p) const {
    for (Index i = 0; i < by.size(); ++i) {
      of_q += (h_ * by[i]) * x.segment(i * n_, n_);
      of_p += (h_ * by[i]) * x.segment((by.size() + i) * n_, n_);
    }
  }

  RkTableau own_, finer_;
  Matrix weights_;
  Vector rest_;
  Index n_, m_;
  ConfigurationStages stages_;
  FrozenConfigurationStages inverse_;
  double h_ = 0;
};

}  // namespace gnomon::kernels
