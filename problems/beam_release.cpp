/// \file
/// The hanging beam whose end B is let go at t = 0.

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/beam_problem.hpp"

namespace {

class BeamRelease final : public gnomon::Problem {
 public:
  std::string name() const override { return "beam-release"; }
  std::string description() const override { return "inextensible elastic beam that falls after its end B is let go"; }
  std::string equations() const override {
    return "the model of `beam` with B free for t > 0, where A may move\n"
           "start: at rest in the static equilibrium with B held at (bx, by[, bz])\n"
           "  start=catenary: on the catenary of the same length, moved onto g = 0 in the mass metric";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "sections 4.7 and 4.9, parameters (95)";
  }
  gnomon::OptionSpecs parameters() const override { return gnomon::problems::beam_parameters(true); }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    return gnomon::problems::BeamBuilder(name(), parameters, true).build();
  }
};

}  // namespace

GNOMON_PLUGIN(beam_release) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<BeamRelease>()));
}
