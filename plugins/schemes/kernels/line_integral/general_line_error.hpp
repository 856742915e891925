#pragma once
/// \file
/// The finer method of line_integral_error.hpp with a mass M(q), for H = T(q,p) + U(q,t).

#include "gnomon/model/system_at.hpp"
#include "kernels/line_integral/frozen_general_inverse.hpp"
#include "kernels/line_integral/general_line_integral.hpp"
#include "kernels/line_integral/line_integral_error.hpp"
#include "kernels/line_integral/system_hamiltonian.hpp"

namespace gnomon::kernels {

class GeneralFinerLine {
 public:
  GeneralFinerLine(const System& system, LineIntegralDegrees degrees)
      : equations_(system, SystemHamiltonian(system), degrees.s, degrees.s, degrees.r),
        inverse_(system, LegendreTable(degrees.s, degrees.s).X, system.m() > 0 ? degrees.r : 0),
        at_(system) {
    for (auto* v : {&q_, &p_, &t_q_, &t_p_}) v->resize(system.n());
  }

  NonlinearEquations& equations() { return equations_; }
  ApproximateInverse& inverse() { return inverse_; }
  void begin(const State& z0, double h) {
    equations_.begin(z0, h);
    inverse_.begin(z0, h);
  }
  void end(const State& z1) { end_ = &z1; }
  /// error_v = T_pp e_p + T_pq e_q at the end
  void velocity(const Vector& error_q, const Vector& error_p, Vector& error_v) {
    for (Index i = 0; i < q_.size(); ++i) {
      q_[i].value = end_->q.value()[i];
      p_[i].value = end_->p.value()[i];
      q_[i].grad[0] = error_q[i];
      p_[i].grad[0] = error_p[i];
    }
    at_.kinetic_gradient(q_, p_, t_q_, t_p_);
    for (Index i = 0; i < q_.size(); ++i) error_v[i] = t_p_[i].grad[0];
  }

 private:
  GeneralLineIntegralEquations<SystemHamiltonian, BothLevels> equations_;
  FrozenGeneralInverse inverse_;
  SystemAt at_;
  const State* end_ = nullptr;
  VectorOf<Dual1> q_, p_, t_q_, t_p_;
};

}  // namespace gnomon::kernels
