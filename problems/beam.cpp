/// \file
/// Elastic beam that does not stretch, hung between two points.

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/beam_problem.hpp"

namespace {

class Beam final : public gnomon::Problem {
 public:
  std::string name() const override { return "beam"; }
  std::string description() const override {
    return "inextensible elastic beam in Hermite cubics, its ends fixed, clamped or free, in the plane or in space";
  }
  std::string equations() const override {
    return "x(s) = sum_i N_i(s) z_i, Hermite cubics on `elements` elements, z = (x_0, x'_0, x_1, x'_1, ...);\n"
           "q = those z that the ends leave free, A at the origin, B at (bx, by[, bz]), the last axis upwards\n"
           "M = int density N_i N_j ds\n"
           "U = int [stiffness |x''|^2/2 + density gravity x_up] ds\n"
           "g_k = |x'(s_k)|^2 - 1 at `gauss` points s_k of every element\n"
           "  stretch=penalty: no g, and density (|x'|^2 - 1)^2/(2 eps) in the integral of U, at the same points\n"
           "amplitude_ax, ...: A moves, x_a(t) = amplitude_a (1 - cos(frequency_a t)), and is an unknown with the\n"
           "  constraints x_0 - x_a(t) = 0, whose multipliers are the force that moves it; amplitude_bx, ...: B "
           "likewise\n"
           "start: at rest, on the catenary of the same length, moved onto g = 0 in the mass metric\n"
           "  start=equilibrium: where grad U + G^T lambda = 0, found from the catenary by Newton's method\n"
           "  (both with the ends A and B held there, also where a=free or b=free lets them go)";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "(68)-(73), V_t after (88), (95); f = (0, -9.81 density) and 2 Gauss points are not printed there";
  }
  gnomon::OptionSpecs parameters() const override { return gnomon::problems::beam_parameters(false); }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    return gnomon::problems::BeamBuilder(name(), parameters, false).build();
  }
};

}  // namespace

GNOMON_PLUGIN(beam) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<Beam>()));
}
