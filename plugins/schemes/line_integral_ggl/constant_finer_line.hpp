#pragma once
/// \file
/// The finer method of line_integral_error.hpp with a constant mass.

#include "kernels/line_integral/line_integral_error.hpp"
#include "line_integral_ggl/line_integral_ggl_equations.hpp"

namespace gnomon::kernels {

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

}  // namespace gnomon::kernels
