#include "kernels/line_integral/general_line_step.hpp"

#include "kernels/common/velocity_change.hpp"
#include "kernels/ggl/frozen_ggl_inverse.hpp"
#include "kernels/line_integral/general_line_integral.hpp"
#include "kernels/line_integral/line_integral_error.hpp"
#include "kernels/line_integral/system_hamiltonian.hpp"

namespace gnomon::kernels {
namespace {

/// The finer method of line_integral_error.hpp.
class GeneralFinerLine {
 public:
  GeneralFinerLine(const System& system, LineIntegralDegrees degrees)
      : equations_(system, SystemHamiltonian(system), degrees.s, degrees.s, degrees.r),
        inverse_(system, LegendreTable(degrees.s, degrees.s).X, system.m() > 0 ? degrees.r : 0,
                 FrozenGglInverse::momenta),
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
  FrozenGglInverse inverse_;
  VelocityChange change_;
  const State* end_ = nullptr;
};

}  // namespace

std::unique_ptr<StepEquations> position_line_step(const System& system, Index k, Index s, Index r) {
  return std::make_unique<GeneralLineIntegralStep<SystemHamiltonian>>(system, SystemHamiltonian(system), k, s, r);
}

std::unique_ptr<StepEquations> both_levels_line_step(const System& system, const AlgebraTable& table, Index k,
                                                     LineIntegralDegrees own, LineIntegralDegrees finer, int order) {
  using Step = EstimatedLineIntegralStep<GeneralLineIntegralStep<SystemHamiltonian, BothLevels>, GeneralFinerLine>;
  return std::make_unique<Step>(system, table, own, finer, order, SystemHamiltonian(system), k, own.s, own.r);
}

}  // namespace gnomon::kernels
