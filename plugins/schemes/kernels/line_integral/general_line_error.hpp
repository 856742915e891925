#pragma once
/// \file
/// The finer method of line_integral_error.hpp with a mass M(q), for H = T(q,p) + U(q,t).

#include "kernels/common/velocity_change.hpp"
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
        change_(system) {}

  NonlinearEquations& equations() { return equations_; }
  ApproximateInverse& inverse() { return inverse_; }
  void begin(const State& z0, double h) {
    equations_.begin(z0, h);
    inverse_.begin(z0, h);
  }
  void end(const State& z1) { end_ = &z1; }
  /// error_v = T_pp e_p + T_pq e_q at the end
  void velocity(const Vector& error_q, const Vector& error_p, Vector& error_v) {
    change_(*end_, error_q, error_p, error_v);
  }

 private:
  GeneralLineIntegralEquations<SystemHamiltonian, BothLevels> equations_;
  FrozenGeneralInverse inverse_;
  VelocityChange change_;
  const State* end_ = nullptr;
};

}  // namespace gnomon::kernels
