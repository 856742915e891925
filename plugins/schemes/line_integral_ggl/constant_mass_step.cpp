#include "line_integral_ggl/constant_mass_step.hpp"

#include "kernels/ggl/ggl_step.hpp"
#include "kernels/line_integral/line_integral_error.hpp"
#include "line_integral_ggl/line_integral_ggl_equations.hpp"

namespace gnomon::kernels {
namespace {

/// The finer method of line_integral_error.hpp.
class ConstantFinerLine {
 public:
  ConstantFinerLine(const System& system, LineIntegralDegrees degrees)
      : equations_(system, degrees.s, degrees.s, degrees.r) {}

  NonlinearEquations& equations() { return equations_; }
  ApproximateInverse& inverse() { return *equations_.approximate_inverse(); }
  void begin(const State& z0, double h) { equations_.begin(z0, h); }
  void end(const State&) {}
  void velocity(const Vector&, const Vector& dy, Vector& error_v) { error_v = dy; }

 private:
  LineIntegralGglEquations equations_;
};

}  // namespace

std::unique_ptr<StepEquations> constant_mass_line_step(const System& system, const AlgebraTable& table, Index k,
                                                       LineIntegralDegrees own, LineIntegralDegrees finer, int order,
                                                       bool end_multipliers) {
  using Step = EstimatedLineIntegralStep<GglStep<LineIntegralGglEquations>, ConstantFinerLine>;
  return std::make_unique<Step>(system, table, own, finer, order, end_multipliers, k, own.s, own.r);
}

}  // namespace gnomon::kernels
